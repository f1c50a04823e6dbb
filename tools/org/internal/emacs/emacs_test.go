package emacs

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

func encodeBase64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func TestDifference(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"abc", "abc", "3 3 "},
		{"abc", "axc", "1 2 x"},
		{"aé", "aè", "1 2 è"},
		{"é", "Ã", "0 1 Ã"},
		{"€x", "₤x", "0 1 ₤"},
		{"aa", "aaa", "2 2 a"},
		{"", "x", "0 0 x"},
		{"日本", "", "0 2 "},
	} {
		from, to, text := difference([]byte(c.before), []byte(c.after))
		if got := fmt.Sprintf("%d %d %s", from, to, text); got != c.want {
			t.Errorf("%q to %q: %s, want %s", c.before, c.after, got, c.want)
		}
	}
}

func FuzzDifference(f *testing.F) {
	f.Add("* A\n", "* TODO A\n")
	f.Add("é€", "è₤")
	f.Fuzz(func(t *testing.T, before, after string) {
		before, after = strings.ToValidUTF8(before, "?"), strings.ToValidUTF8(after, "?")
		from, to, text := difference([]byte(before), []byte(after))
		runes := []rune(before)
		if got := string(runes[:from]) + string(text) + string(runes[to:]); got != after {
			t.Errorf("%q to %q: made %q", before, after, got)
		}
	})
}

func TestUnquoteArgument(t *testing.T) {
	for _, s := range []string{"", "a b", "a&b\n c&&_", "&", "& \n&-"} {
		if got := unquoteArgument(quoteArgument.Replace(s)); got != s {
			t.Errorf("%q came back as %q", s, got)
		}
	}
	if got := unquoteArgument("&-eval&"); got != "-eval&" {
		t.Errorf("a leading minus: %q", got)
	}
}

// TestFind: what there is decides, in Emacs's order, and the error says where was
// looked.
func TestFind(t *testing.T) {
	base, err := os.MkdirTemp("", "lectern-emacs") // t.TempDir is too long a path for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	env := map[string]string{"XDG_RUNTIME_DIR": filepath.Join(base, "run"), "TMPDIR": filepath.Join(base, "tmp")}
	client := func(socket string) *Client {
		return NewClient(Options{Socket: socket, Getenv: func(n string) string { return env[n] }, Home: filepath.Join(base, "home"), Now: time.Now})
	}
	name := filepath.Base(base) // so that no Emacs of this machine is found
	env["EMACS_SOCKET_NAME"] = name
	_, err = client("").Find()
	if !errors.Is(err, ErrNoServer) || !strings.Contains(err.Error(), filepath.Join(base, "run", "emacs", name)) || !strings.Contains(err.Error(), "server-start") {
		t.Errorf("without any: %v", err)
	}
	want := func(socket, network, address, key string) {
		t.Helper()
		got, err := client(socket).Find()
		if err != nil || got != (Server{network, address, key}) {
			t.Errorf("found %+v, %v, want %s %s", got, err, network, address)
		}
	}
	write := func(path, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	key := strings.Repeat("k", 64)
	file := filepath.Join(base, "home", ".emacs.d", "server", name)
	write(file, "127.0.0.1:4321 77\n"+key)
	want("", "tcp", "127.0.0.1:4321", key)
	for _, bad := range []string{"192.0.2.1:4321 77\n" + key, "127.0.0.1:4321 77\n", "nonsense", "127.0.0.1:4321 77\na b"} {
		write(file, bad)
		if _, err := client("").Find(); !errors.Is(err, ErrNoServer) || !strings.Contains(err.Error(), file) {
			t.Errorf("server file %q: %v", bad, err)
		}
	}
	if os.Getuid() < 0 {
		return
	}
	socket := filepath.Join(base, "run", "emacs", name)
	if err := os.MkdirAll(filepath.Dir(socket), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	want("", "unix", socket, "")
	want(socket, "unix", socket, "")
	if err := os.Chmod(filepath.Dir(socket), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := client("").Find(); !errors.Is(err, ErrNoServer) || !strings.Contains(err.Error(), "chmod") {
		t.Errorf("a socket in a folder that everybody may write to: %v", err)
	}
}

// TestAnswers: whatever a server answers, the call ends with an error that says
// whether Emacs has begun.
func TestAnswers(t *testing.T) {
	ok := encodeBase64("(ok)")
	for _, c := range []struct {
		name, reply string
		want        error
	}{
		{"nothing", "", ErrBusy},
		{"a process only", "-emacs-pid 1\n", ErrOutcomeUnknown},
		{"an error", "-emacs-pid 1\n-error Authentication&_failed", ErrNoServer},
		{"half an answer", "-emacs-pid 1\n-print \"" + ok[:3] + "\n", ErrOutcomeUnknown},
		{"no base64", "-emacs-pid 1\n-print \"**\"&n\n", ErrOutcomeUnknown},
		{"another form", "-emacs-pid 1\n-print nil&n\n", ErrOutcomeUnknown},
		{"in pieces", "-emacs-pid 1\n-print \"" + ok[:3] + "\n-print-nonl " + ok[3:] + "\"&n\n", nil},
		{"late", "-emacs-pid 1\n-print \"" + encodeBase64("(late)") + "\"&n\n", ErrBusy},
		{"old", "-emacs-pid 1\n-print \"" + encodeBase64(`(old "27.1")`) + "\"&n\n", ErrNoServer},
		{"not Lisp", "-emacs-pid 1\n-print \"" + encodeBase64(`(ok`) + "\"&n\n", ErrOutcomeUnknown},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "server")
		if err := os.WriteFile(file, []byte(l.Addr().String()+" 1\nsecret"), 0o600); err != nil {
			t.Fatal(err)
		}
		silent := c.reply == "" || c.name == "a process only" // until the timeout
		asked := make(chan string, 1)
		go func() {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 12)
			_, _ = conn.Read(buf)
			asked <- string(buf)
			_, _ = conn.Write([]byte(c.reply))
			if !silent {
				_ = conn.(*net.TCPConn).CloseWrite()
			}
		}()
		timeout := runtest.Timeout
		if silent {
			timeout = 300 * time.Millisecond
		}
		client := NewClient(Options{Socket: file, Now: time.Now, Timeout: timeout})
		if _, err := client.eval(t.Context(), "(list 'ok)"); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if got := <-asked; got != "-auth secret" {
			t.Errorf("%s: the request began with %q", c.name, got)
		}
		_ = l.Close()
	}
}

func TestLocks(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.org")
	own := fmt.Sprint(os.Getpid())
	for _, c := range []struct {
		owner string
		want  bool
	}{
		{"me@" + host + "." + own, true},
		{"me@" + host + "." + own + ":1700000000", true},
		{"me@" + host + ".999999999", false}, // no such process
		{"me@elsewhere.example.5:1700000000", true},
		{"some file", false},
		{"me@" + host + ".x", false},
	} {
		if err := os.Symlink(c.owner, lockName(path)); err != nil {
			t.Skip(err)
		}
		var locked *LockError
		if err := CheckLock(path); errors.As(err, &locked) != c.want || !c.want && err != nil {
			t.Errorf("%s: %v", c.owner, err)
		}
		unlock, err := Lock(path)
		if (err != nil) != c.want {
			t.Errorf("Lock beside %s: %v", c.owner, err)
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(lockName(path)); err != nil {
			t.Errorf("Lock removed the lock of %s", c.owner)
		}
		if err := os.Remove(lockName(path)); err != nil {
			t.Fatal(err)
		}
	}
	unlock, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckLock(path); err == nil {
		t.Error("no lock is seen")
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if err := CheckLock(path); err != nil {
		t.Errorf("after unlock: %v", err)
	}
	if err := os.WriteFile(lockName(path), []byte("me@"+host+"."+own), 0o600); err != nil { // as Emacs on Windows does
		t.Fatal(err)
	}
	if err := CheckLock(path); err == nil {
		t.Error("a lock that is a file is not seen")
	}
}
