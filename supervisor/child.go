package supervisor

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// pipeWait is how long output is read after the child has ended: a grandchild
// that holds the pipe open must not keep us waiting.
const pipeWait = 500 * time.Millisecond

// A child is one run of a process, the leader of a group of its own.
type child struct {
	pid    int
	stderr *tail
	tether tether
	done   chan struct{}
	exit   Exit // read after done is closed
}

// start starts the child. It dies when this process dies.
func (p *Process) start() (*child, error) {
	cmd := exec.Command(p.Command[0], p.Command[1:]...) //nolint:gosec,noctx // what to run is given by cmd; Run ends it in steps
	c := &child{stderr: &tail{}, done: make(chan struct{})}
	out := &shared{w: p.Output}
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.Dir, p.Env, pipeWait
	cmd.Stdout, cmd.Stderr = out, io.MultiWriter(c.stderr, out)
	var err error
	if c.tether, err = tie(cmd); err != nil {
		return nil, err
	}
	started := make(chan error)
	go func() {
		// On Linux the child dies with the thread that started it, not with
		// the process, so this goroutine keeps its thread until the end.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			c.pid = cmd.Process.Pid
			err = c.tether.started(cmd)
		}
		started <- err
		if cmd.Process == nil {
			return
		}
		waited := cmd.Wait()
		_ = c.kill() // what is left of the group
		c.exit = exitOf(cmd.ProcessState, waited)
		c.tether.cut()
		close(c.done)
	}()
	err = <-started
	if cmd.Process == nil {
		c.tether.cut()
		return nil, err
	}
	if err != nil {
		_ = c.kill()
		<-c.done
		return nil, err
	}
	return c, nil
}

func (c *child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

func exitOf(state *os.ProcessState, err error) Exit {
	if state == nil {
		return Exit{Code: -1, Why: err.Error()}
	}
	exit := Exit{Code: state.ExitCode()}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		exit.Signal = ws.Signal()
	}
	return exit
}

// shared lets stdout and stderr be copied into one writer.
type shared struct {
	mu sync.Mutex
	w  io.Writer
}

// Write never fails: a full disk must not stop a child from running.
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.w != nil {
		_, _ = s.w.Write(p)
	}
	return len(p), nil
}

// Bounds of a tail.
const (
	tailLines = 50
	tailLine  = 1 << 10 // bytes
)

// A tail keeps the last lines that were written to it.
type tail struct {
	mu   sync.Mutex
	full []string
	part []byte // a line without its end
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for line := range strings.Lines(string(p)) {
		whole := strings.HasSuffix(line, "\n")
		line = strings.TrimRight(line, "\r\n")
		t.part = append(t.part, line[:min(len(line), tailLine-len(t.part))]...)
		if whole {
			t.full = append(t.full, string(t.part))
			t.part = t.part[:0]
		}
	}
	if extra := len(t.full) - tailLines; extra > 0 {
		t.full = append(t.full[:0:0], t.full[extra:]...)
	}
	return len(p), nil
}

func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := append([]string(nil), t.full...)
	if len(t.part) > 0 {
		lines = append(lines, string(t.part))
	}
	return lines[max(0, len(lines)-tailLines):]
}

// errNotStarted is what signalling nobody answers.
var errNotStarted = errors.New("not started")
