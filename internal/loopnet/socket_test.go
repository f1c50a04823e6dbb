//go:build unix

package loopnet

import (
	"bufio"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSocketRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run", "mcp.sock")
	l, err := ListenSocket(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go answerHello(l)
	if got := modeOf(t, filepath.Dir(path)); got != 0o700 {
		t.Errorf("directory has mode %04o, want 0700", got)
	}
	if got := modeOf(t, path); got != 0o600 {
		t.Errorf("socket has mode %04o, want 0600", got)
	}
	conn, err := DialSocket(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if line, err := bufio.NewReader(conn).ReadString('\n'); line != "hello\n" {
		t.Errorf("read %q, %v; want hello", line, err)
	}
}

// TestSocketPathLong uses a directory no socket address can hold. Both ends
// must meet all the same, and two such directories must not.
func TestSocketPathLong(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("d", 200))
	paths := SocketPaths(dir, "mcp.sock")
	path := paths[0]
	if len(paths) != 1 || len(path) > maxSocketPath || path != SocketPaths(dir+"/.", "mcp.sock")[0] {
		t.Fatalf("SocketPaths = %s (%d bytes)", paths, len(path))
	}
	if path == SocketPaths(dir+"e", "mcp.sock")[0] || path == SocketPaths(dir, "control.sock")[0] {
		t.Fatalf("%s is shared", path)
	}
	l, err := ListenSocket(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(filepath.Dir(path)) }) // stays when others use it
	go answerHello(l)
	conn, err := DialSocket(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Errorf("%s is left behind", path)
	}
	if _, err := ListenSocket(filepath.Join(dir, "mcp.sock")); err == nil || !strings.Contains(err.Error(), "the system allows") {
		t.Errorf("ListenSocket of a long path: %v", err)
	}
}

func TestSocketRefusals(t *testing.T) {
	for _, c := range []struct {
		name, want string
		spoil      func(t *testing.T, dir string)
	}{
		{"directory open to the group", "run: chmod 700 ", func(t *testing.T, dir string) { chmod(t, dir, 0o710) }},
		{"directory open to others", "run: chmod 700 ", func(t *testing.T, dir string) { chmod(t, dir, 0o701) }},
		{"directory is a link", "is not a directory", func(t *testing.T, dir string) {
			real := dir + "-real"
			if err := os.Rename(dir, real); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(real, dir); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			path := filepath.Join(dir, "s")
			l, err := ListenSocket(path)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			c.spoil(t, dir)
			_, err = ListenSocket(filepath.Join(dir, "other"))
			wantError(t, "listen", err, c.want)
			_, err = DialSocket(t.Context(), path)
			wantError(t, "dial", err, c.want)
		})
	}
}

func TestDialAbsentAndStale(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run", "s")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := DialSocket(t.Context(), path); !errors.Is(err, fs.ErrNotExist) || IsStale(err) {
		t.Errorf("absent socket: %v", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false) // as a killed process leaves it
	l.Close()
	if _, err := DialSocket(t.Context(), path); !IsStale(err) {
		t.Errorf("stale socket: %v", err)
	}
	if _, err := ListenSocket(path); err == nil {
		t.Error("ListenSocket took a stale socket away by itself")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = DialSocket(t.Context(), path)
	wantError(t, "dial a file", err, "is not a socket")
}

func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func chmod(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func wantError(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v, want one with %q", what, err, want)
	}
}
