package loopnet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestTokenMatches(t *testing.T) {
	tok, other := newToken(), newToken()
	secret := tok.Reveal()
	if !regexp.MustCompile(`^lectern_[0-9A-Za-z]{49}$`).MatchString(secret) {
		t.Errorf("%s does not look as scanners expect", secret)
	}
	for bearer, want := range map[string]bool{
		secret: true, other.Reveal(): false, "": false, secret + " ": false, secret[:len(secret)-1]: false,
		strings.ToUpper(secret): false,
	} {
		if got := tok.Matches(bearer); got != want {
			t.Errorf("Matches(%q) = %v", bearer, got)
		}
		if (Token{}).Matches(bearer) {
			t.Errorf("the zero token matches %q", bearer)
		}
	}
}

func TestTokenKeepsSilent(t *testing.T) {
	tok := newToken()
	type outer struct {
		Open   Token
		hidden Token
		ptr    *Token
	}
	o := outer{tok, tok, &tok}
	var said bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%p", "%c"} {
		fmt.Fprintf(&said, verb+"\n"+verb+"\n"+verb+"\n", tok, o, &o)
	}
	slog.New(slog.NewTextHandler(&said, nil)).Info("a", "token", tok, "outer", o)
	slog.New(slog.NewJSONHandler(&said, nil)).Info("a", "token", tok, "outer", o)
	if err := json.NewEncoder(&said).Encode(map[string]any{"token": tok, "outer": o}); err != nil {
		t.Fatal(err)
	}
	hex := fmt.Sprintf("%x", tok.Reveal())
	for _, secret := range []string{tok.Reveal(), tok.Reveal()[len(tokenPrefix):], hex, strings.ToUpper(hex)} {
		if strings.Contains(said.String(), secret) {
			t.Errorf("the token is in:\n%s", said.String())
		}
	}
	if !strings.Contains(said.String(), redacted) {
		t.Errorf("no %s in:\n%s", redacted, said.String())
	}
}

func TestTokenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "token")
	first, err := LoadOrCreateToken(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := LoadOrCreateToken(path)
	if err != nil || again.Reveal() != first.Reveal() {
		t.Fatalf("second load gives another token (%v)", err)
	}
	second, err := RotateToken(path)
	if err != nil || second.Reveal() == first.Reveal() {
		t.Fatalf("rotation gives the same token (%v)", err)
	}
	if again, _ = LoadOrCreateToken(path); !again.Matches(second.Reveal()) {
		t.Error("the file does not hold the rotated token")
	}
	names, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(names) != 1 {
		t.Errorf("left in the directory: %v (%v)", names, err)
	}
}

func TestTokenFileTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "token")
	var tokens [16]Token
	var wg sync.WaitGroup
	for i := range tokens {
		wg.Go(func() {
			tok, err := LoadOrCreateToken(path)
			if err != nil {
				t.Error(err)
			}
			tokens[i] = tok
		})
	}
	wg.Wait()
	for _, tok := range tokens {
		if tok.Reveal() != tokens[0].Reveal() {
			t.Fatal("two processes that start together hold different tokens")
		}
	}
}

func TestTokenFileRefusals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("mode bits mean nothing on Windows")
	}
	good := newToken().Reveal()
	damaged := good[:20] + string(good[20]^1) + good[21:]
	for _, c := range []struct {
		name, want string
		make       func(path string) error
	}{
		{"group can read", "run: chmod 600 '", fileOf(good, 0o640)},
		{"others can read", "run: chmod 600 '", fileOf(good, 0o604)},
		{"others can write", "run: chmod 600 '", fileOf(good, 0o602)},
		{"empty", "remove the file and a new one will be created", fileOf("", 0o600)},
		{"password", "does not hold a token", fileOf("hunter2", 0o600)},
		{"one digit off", "wrong checksum", fileOf(damaged, 0o600)},
		{"directory", "not a regular file", func(path string) error { return os.Mkdir(path, 0o700) }},
		{"link", "is a symbolic link", func(path string) error {
			if err := fileOf(good, 0o600)(path + "-real"); err != nil {
				return err
			}
			return os.Symlink(path+"-real", path)
		}},
		{"dangling link", "is a symbolic link", func(path string) error { return os.Symlink(path+"-real", path) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "state")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "token")
			if err := c.make(path); err != nil {
				t.Fatal(err)
			}
			_, err := LoadOrCreateToken(path)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v, want one with %q and the path", err, c.want)
			}
		})
	}
}

func fileOf(text string, mode os.FileMode) func(string) error {
	return func(path string) error {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
		return os.Chmod(path, mode)
	}
}
