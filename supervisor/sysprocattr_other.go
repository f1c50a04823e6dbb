//go:build unix && !linux

package supervisor

import "syscall"

// sysProcAttr makes the child the leader of a process group. Only the lifeline
// shows it that its supervisor is gone.
func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
