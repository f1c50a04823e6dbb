//go:build unix

package mcp

import "syscall"

// writeWithoutBlocking writes what raw takes without waiting and returns how many bytes that
// were. An error counts as none.
func writeWithoutBlocking(raw syscall.RawConn, b []byte) (n int) {
	err := raw.Write(func(fd uintptr) bool {
		n, _ = syscall.Write(int(fd), b)
		return true
	})
	if err != nil {
		return 0
	}
	return max(n, 0)
}
