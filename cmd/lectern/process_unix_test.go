//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// alive reports whether a process runs. One that is dead but not yet reaped,
// which Linux tells in /proc, does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil {
		_, after, _ := bytes.Cut(stat, []byte(") "))
		return !bytes.HasPrefix(after, []byte("Z"))
	}
	return syscall.Kill(pid, 0) == nil
}
