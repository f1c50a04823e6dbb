package loopnet

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

const nobody = 65534

// TestMain lets the test binary be the stranger, when started by asStranger.
func TestMain(m *testing.M) {
	switch path := os.Getenv("STRANGER_PATH"); os.Getenv("STRANGER") {
	case "dial":
		conn, err := net.Dial("unix", path)
		if err != nil {
			fmt.Println(err)
			os.Exit(0)
		}
		text, err := io.ReadAll(conn)
		fmt.Printf("connected, read %q, %v\n", text, err)
	case "listen":
		l, err := net.Listen("unix", path)
		fmt.Println("listening", err)
		_, _ = io.Copy(io.Discard, os.Stdin) // until the test lets go
		_ = l
	default:
		os.Exit(m.Run())
	}
}

// TestStrangerIsNotServed takes away both locks in front of the peer check, the
// directory's mode and the socket's, so that the check alone decides.
func TestStrangerIsNotServed(t *testing.T) {
	dir := strangersDir(t)
	path := filepath.Join(dir, "run", "s")
	l, err := ListenSocket(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go answerHello(l)

	if got, want := output(t, asStranger(t, dir, "dial", path)), "dial unix "+path+": connect: permission denied\n"; got != want {
		t.Errorf("stranger at the closed directory got %q, want %q", got, want)
	}
	chmod(t, filepath.Dir(path), 0o755)
	chmod(t, path, 0o666)
	if got, want := output(t, asStranger(t, dir, "dial", path)), "connected, read \"\", <nil>\n"; got != want {
		t.Errorf("stranger at the open directory got %q, want %q", got, want)
	}
	chmod(t, filepath.Dir(path), 0o700)
	conn, err := DialSocket(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if text, _ := io.ReadAll(conn); string(text) != "hello\n" {
		t.Errorf("after a stranger, we read %q", text)
	}
}

// TestStrangersSocketIsNotDialled gives the file to us after the stranger has
// begun to listen: the file says ours, the kernel says whose it is.
func TestStrangersSocketIsNotDialled(t *testing.T) {
	dir := strangersDir(t)
	run := filepath.Join(dir, "run")
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Fatal(err)
	}
	chmod(t, run, 0o777)
	path := filepath.Join(run, "s")
	cmd := asStranger(t, dir, "listen", path)
	hold, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer hold.Close()
	if line, _ := bufio.NewReader(said).ReadString('\n'); line != "listening <nil>\n" {
		t.Fatalf("stranger said %q", line)
	}
	chmod(t, run, 0o700)
	_, err = DialSocket(t.Context(), path)
	wantError(t, "dial the stranger's socket", err, "belongs to uid 65534")
	if err := os.Chown(path, os.Getuid(), -1); err != nil {
		t.Fatal(err)
	}
	_, err = DialSocket(t.Context(), path)
	wantError(t, "dial the stranger behind our file", err, "peer runs as uid 65534")
}

// TestStrangersFilesAreRefused: what another user owns, another user wrote.
func TestStrangersFilesAreRefused(t *testing.T) {
	dir := strangersDir(t)
	path := filepath.Join(dir, "state", "token")
	if _, err := LoadOrCreateToken(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, nobody, -1); err != nil {
		t.Fatal(err)
	}
	_, err := LoadOrCreateToken(path)
	wantError(t, "load a stranger's token", err, "sudo chown 0 '"+path+"'")
	if err := os.Chown(filepath.Dir(path), nobody, -1); err != nil {
		t.Fatal(err)
	}
	_, err = RotateToken(path)
	wantError(t, "rotate in a stranger's directory", err, "belongs to uid 65534")
}

// strangersDir is a directory that other users can enter, with a copy of the
// test binary that they can run; both are hidden from them in Go's own.
func strangersDir(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("becoming another user needs root")
	}
	dir, err := os.MkdirTemp("/tmp", "loopnet")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	chmod(t, dir, 0o755)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "stranger"), binary, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func asStranger(t *testing.T, dir, what, path string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "stranger"))
	cmd.Dir = "/"
	cmd.Env = []string{"STRANGER=" + what, "STRANGER_PATH=" + path}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("stranger: %v\n%s", err, out)
	}
	return string(out)
}
