package supervisor

import "syscall"

// attributes make the child the leader of a group, which is told to end when
// the thread that started it does.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
