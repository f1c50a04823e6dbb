//go:build unix && !linux

package supervisor

import "syscall"

// sysProcAttr make the child the leader of a group. That its supervisor is gone
// it learns from the lifeline alone.
func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
