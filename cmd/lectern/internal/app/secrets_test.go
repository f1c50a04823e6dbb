package app_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/tools"
)

// A secret is read when it is used, and what is wrong names the reference and
// never the secret.
func TestReveal(t *testing.T) {
	a := apptest.New(t)
	a.Environ = append(a.Environ, "KEY=hunter2", "EMPTY=")
	write := func(dir, name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	write(a.Paths.Config, "key", "hunter2\n", 0o600)
	write(a.Paths.Config, "crlf", " hunter2\r\n", 0o400)
	write(a.Home, "mine", "hunter2", 0o600)
	write(a.Paths.Config, "open", "hunter2\n", 0o640)
	write(a.Paths.Config, "big", strings.Repeat("hunter2", 10_000), 0o600)
	write(a.Paths.Config, "empty", "\n", 0o600)
	for reference, want := range map[string]string{
		"": "", "env:KEY": "hunter2", "file:key": "hunter2", "file:crlf": " hunter2", "file:~/mine": "hunter2",
		"file:" + filepath.Join(a.Paths.Config, "key"): "hunter2",
		"env:EMPTY":      "!read secret env:EMPTY: the variable is not set",
		"env:GONE":       "!the variable is not set",
		"file:gone":      "!gone does not exist",
		"file:open":      "!open. Run: chmod 600 '" + filepath.Join(a.Paths.Config, "open") + "'",
		"file:big":       "!is larger than 65536 bytes",
		"file:empty":     "!empty is empty",
		"file:" + a.Home: "!is not a regular file",
	} {
		if runtime.GOOS == "windows" && reference == "file:open" {
			continue
		}
		secret, err := tools.ParseSecret(reference)
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.RevealSecret(t.Context(), secret)
		if msg, fails := strings.CutPrefix(want, "!"); fails {
			if err == nil || tools.AsError(err).Code != tools.Unavailable || !strings.Contains(err.Error(), msg) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v, want %s", reference, err, msg)
			}
		} else if err != nil || got != want {
			t.Errorf("%s: %q, %v", reference, got, err)
		}
	}
	write(a.Paths.Config, "key", "hunter3", 0o600)
	secret, _ := tools.ParseSecret("file:key")
	if got, err := a.RevealSecret(t.Context(), secret); got != "hunter3" {
		t.Errorf("a new secret does not count: %q, %v", got, err)
	}
}

// A hub gets the variables that sources name, and no other secrets.
func TestSecretsReachTheHub(t *testing.T) {
	a := apptest.New(t)
	text := "[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"" + filepath.ToSlash(t.TempDir()) + "\"\nsync = \"env:NOTES_DSN\"\n"
	if err := os.WriteFile(a.Paths.File(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := a.HubConnectConfig(slog.New(slog.DiscardHandler)).SecretNames(); !slices.Equal(got, []string{"NOTES_DSN"}) {
		t.Errorf("variables %q", got)
	}
}
