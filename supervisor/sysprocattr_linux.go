package supervisor

import "syscall"

// sysProcAttr make the child the leader of a group, which is told to end when
// the thread that started it does.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
