// Package emacstest starts a real Emacs with a server, for the tests of what talks
// to one. It knows nothing of Lectern, and no product code imports it. Start
// reading at [Start].
package emacstest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// An Emacs runs without the user's configuration until its test has ended.
type Emacs struct {
	Socket string // path of its server
	Folder string // an empty folder, without symbolic links in its path
	PID    int
	t      testing.TB
}

// Start starts an Emacs and waits until its server answers. Without Emacs the test
// is skipped.
func Start(t testing.TB) *Emacs {
	t.Helper()
	command, err := exec.LookPath("emacs")
	if err != nil {
		t.Skip("a running Emacs needs emacs; make oracle installs it")
	}
	base, err := os.MkdirTemp("", "lectern-emacs") // t.TempDir is too long a path for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	if base, err = filepath.EvalSymlinks(base); err != nil {
		t.Fatal(err)
	}
	e := &Emacs{Socket: filepath.Join(base, "s"), Folder: filepath.Join(base, "org"), t: t}
	if err := os.Mkdir(e.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), command, "-Q", "--fg-daemon="+e.Socket, //nolint:gosec // the command is emacs, as found
		"--eval",
		`(progn (setq make-backup-files nil auto-save-default nil native-comp-deferred-compilation nil native-comp-jit-compilation nil) (run-with-timer 0 nil (lambda () (message "ready"))))`)
	cmd.Env = append(cmd.Environ(), "HOME="+base, "LC_ALL=C", "TZ=UTC")
	ready := &wordWatch{word: "ready", seen: make(chan struct{})}
	cmd.Stderr = ready
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e.PID = cmd.Process.Pid
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }() // it is killed
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	select {
	case <-ready.seen:
	case <-ended:
		t.Fatalf("Emacs ended:\n%s", ready.text.String())
	case <-time.After(runtest.Timeout):
		t.Fatal("Emacs did not start")
	}
	return e
}

// For is the same Emacs for a part of the test.
func (e *Emacs) For(t testing.TB) *Emacs {
	part := *e
	part.t = t
	return &part
}

// Run evaluates an expression and returns its printed value. Where Emacs would ask
// something the test fails.
func (e *Emacs) Run(expression string) string {
	e.t.Helper()
	command := filepath.Join(filepath.Dir(e.Socket), "none")
	if found, err := exec.LookPath("emacsclient"); err == nil {
		command = found
	}
	out, err := exec.CommandContext(e.t.Context(), command, "-s", e.Socket, "--eval", "(let ((inhibit-interaction t)) "+expression+")"). //nolint:gosec // the command is emacsclient, as found
																		CombinedOutput()
	if err != nil {
		e.t.Fatalf("%s: %v\n%s", expression, err, out)
	}
	return strings.TrimSpace(string(out))
}

// In evaluates an expression in the buffer that visits a file, which is opened if
// none does.
func (e *Emacs) In(path, expression string) string {
	e.t.Helper()
	return e.Run(`(with-current-buffer (or (find-buffer-visiting "` + path + `") (find-file-noselect "` + path + `")) ` + expression + ")")
}

// wordWatch closes seen when what is written to it contains a word.
type wordWatch struct {
	word string
	text bytes.Buffer
	seen chan struct{}
	done bool
}

func (w *wordWatch) Write(p []byte) (int, error) {
	w.text.Write(p)
	if !w.done && strings.Contains(w.text.String(), w.word) {
		w.done = true
		close(w.seen)
	}
	return len(p), nil
}
