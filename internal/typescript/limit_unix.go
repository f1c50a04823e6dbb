//go:build unix

package typescript

import "golang.org/x/sys/unix"

// limitMemory bounds what this process can allocate. macOS ignores it.
func limitMemory(bytes uint64) error {
	return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: bytes, Max: bytes})
}
