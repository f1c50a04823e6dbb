//go:build unix

package supervisor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// LifelineEnv is the variable with the number of the file that a child reads the
// end of when its supervisor is gone.
const LifelineEnv = "LECTERN_LIFELINE"

// A lifeline makes a child end with us: a pipe of which we hold the other end,
// so that the child reads its end whatever becomes of us. Linux has a signal
// for it besides.
type lifeline struct{ ours, theirs *os.File }

func newLifeline(cmd *exec.Cmd) (lifeline, error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return lifeline{}, fmt.Errorf("make lifeline: %w", err)
	}
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Env = append(slices.Clip(cmd.Env), LifelineEnv+"=3") // the first of ExtraFiles
	cmd.SysProcAttr = sysProcAttr()
	return lifeline{ours, theirs}, nil
}

func (t lifeline) attachChild(*exec.Cmd) error { return t.theirs.Close() }

func (t lifeline) close() {
	_ = t.ours.Close()
	_ = t.theirs.Close()
}

func (c *childProcess) terminate() error { return c.signal(unix.SIGTERM) }
func (c *childProcess) kill() error      { return c.signal(unix.SIGKILL) }

// signal is sent to the whole group, so that processes of the child end too.
func (c *childProcess) signal(s syscall.Signal) error {
	if c.pid <= 1 {
		return errNotStarted
	}
	return unix.Kill(-c.pid, s)
}

// WatchLifeline returns a channel that is closed when the supervisor that started
// this process is gone. The value is that of LifelineEnv; if it is empty, so is
// the channel nil.
func WatchLifeline(value string) (<-chan struct{}, error) {
	if value == "" {
		return nil, nil
	}
	fd, err := strconv.Atoi(value)
	if err != nil || fd < 3 {
		return nil, fmt.Errorf("read %s: %q is not a file descriptor", LifelineEnv, value)
	}
	unix.CloseOnExec(fd)
	pipe := os.NewFile(uintptr(fd), "lifeline")
	if pipe == nil {
		return nil, errors.New("open lifeline: no such file descriptor")
	}
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, pipe)
		close(gone)
	}()
	return gone, nil
}
