//go:build unix

package daemon

import "syscall"

// detachedProcAttr puts the hub into a session of its own, so that no terminal's
// hang-up and no client's group signal reaches it.
func detachedProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// isPipe reports whether path is no file: never, on unix.
func isPipe(string) bool { return false }
