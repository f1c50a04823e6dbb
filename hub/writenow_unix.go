//go:build unix

package hub

import "syscall"

// writeNow writes what raw takes without waiting, and says how much that was.
// An error is the next writer's to meet.
func writeNow(raw syscall.RawConn, b []byte) (n int) {
	err := raw.Write(func(fd uintptr) bool {
		n, _ = syscall.Write(int(fd), b)
		return true
	})
	if err != nil {
		return 0
	}
	return max(n, 0)
}
