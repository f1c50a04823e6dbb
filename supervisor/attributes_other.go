//go:build unix && !linux

package supervisor

import "syscall"

// attributes make the child the leader of a group. That its supervisor is gone
// it learns from the lifeline alone.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
