package supervisor

import "syscall"

// sysProcAttr makes the child the leader of a process group, which gets SIGTERM
// when the thread that started it ends.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
