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

// pipeDrainTimeout is how long output is read after the child has ended: a process that
// it started may hold the pipe open.
const pipeDrainTimeout = 500 * time.Millisecond

// A childProcess is one run of a process, the leader of a group of its own.
type childProcess struct {
	pid      int
	stderr   *outputTail
	lifeline lifeline
	done     chan struct{}
	exit     Exit // read after done is closed
}

// start starts the child. It dies when this process dies.
func (p *Process) start() (*childProcess, error) {
	cmd := exec.Command(p.Command[0], p.Command[1:]...) //nolint:gosec,noctx // what to run is given by cmd; Run ends it in steps
	c := &childProcess{stderr: &outputTail{}, done: make(chan struct{})}
	out := &lockedWriter{w: p.Output}
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.Dir, p.Env, pipeDrainTimeout
	cmd.Stdout, cmd.Stderr = out, io.MultiWriter(c.stderr, out)
	var err error
	if c.lifeline, err = newLifeline(cmd); err != nil {
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
			err = c.lifeline.attachChild(cmd)
		}
		started <- err
		if cmd.Process == nil {
			return
		}
		waited := cmd.Wait()
		_ = c.kill() // the rest of its process group
		c.exit = newExit(cmd.ProcessState, waited)
		c.lifeline.close()
		close(c.done)
	}()
	err = <-started
	if cmd.Process == nil {
		c.lifeline.close()
		return nil, err
	}
	if err != nil {
		_ = c.kill()
		<-c.done
		return nil, err
	}
	return c, nil
}

func (c *childProcess) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

func newExit(state *os.ProcessState, err error) Exit {
	if state == nil {
		return Exit{Code: -1, Reason: err.Error()}
	}
	exit := Exit{Code: state.ExitCode()}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		exit.Signal = ws.Signal()
	}
	return exit
}

// lockedWriter lets stdout and stderr write into one writer.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write never fails: a full disk must not stop a child from running.
func (s *lockedWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.w != nil {
		_, _ = s.w.Write(p)
	}
	return len(p), nil
}

// Bounds of a tail.
const (
	maxTailLines     = 50
	maxTailLineBytes = 1 << 10 // bytes
)

// An outputTail keeps the last lines that were written to it.
type outputTail struct {
	mu      sync.Mutex
	lines   []string
	partial []byte // a line without its end
}

func (t *outputTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for line := range strings.Lines(string(p)) {
		whole := strings.HasSuffix(line, "\n")
		line = strings.TrimRight(line, "\r\n")
		t.partial = append(t.partial, line[:min(len(line), maxTailLineBytes-len(t.partial))]...)
		if whole {
			t.lines = append(t.lines, string(t.partial))
			t.partial = t.partial[:0]
		}
	}
	if extra := len(t.lines) - maxTailLines; extra > 0 {
		t.lines = append(t.lines[:0:0], t.lines[extra:]...)
	}
	return len(p), nil
}

func (t *outputTail) lastLines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := append([]string(nil), t.lines...)
	if len(t.partial) > 0 {
		lines = append(lines, string(t.partial))
	}
	return lines[max(0, len(lines)-maxTailLines):]
}

// errNotStarted is for a signal before the child runs.
var errNotStarted = errors.New("not started")
