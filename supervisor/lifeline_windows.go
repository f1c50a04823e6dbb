package supervisor

import (
	"fmt"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// LifelineEnv is not used on Windows, where a job ends the child.
const LifelineEnv = "LECTERN_LIFELINE"

// A lifeline makes a child end with us: a job object whose last handle is ours,
// and which takes everything in it along.
type lifeline struct{ job windows.Handle }

func newLifeline(cmd *exec.Cmd) (lifeline, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return lifeline{}, fmt.Errorf("make job: %w", err)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return lifeline{}, fmt.Errorf("limit job: %w", err)
	}
	return lifeline{job}, nil
}

// attachChild puts the child into the job. What it starts before that escapes.
func (t lifeline) attachChild(cmd *exec.Cmd) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, //nolint:gosec // a pid is 32 bits wide on Windows
		uint32(cmd.Process.Pid))
	if err != nil {
		return fmt.Errorf("open child: %w", err)
	}
	defer func() { _ = windows.CloseHandle(process) }()
	if err := windows.AssignProcessToJobObject(t.job, process); err != nil {
		return fmt.Errorf("put child into job: %w", err)
	}
	return nil
}

func (t lifeline) close() { _ = windows.CloseHandle(t.job) }

// terminate sends Ctrl-Break, on which a console program may end.
func (c *childProcess) terminate() error {
	if c.pid == 0 {
		return errNotStarted
	}
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(c.pid)) //nolint:gosec // a pid is 32 bits wide on Windows
}

// kill ends everything in the job.
func (c *childProcess) kill() error { return windows.TerminateJobObject(c.lifeline.job, 1) }

// WatchLifeline returns nil: see lifeline.
func WatchLifeline(string) (<-chan struct{}, error) { return nil, nil }
