//go:build unix

package loopnet

import (
	"syscall"

	"golang.org/x/sys/unix"
)

const errAddrInUse = unix.EADDRINUSE

// setExclusive has nothing to do: a listening address cannot be taken over.
func setExclusive(_, _ string, _ syscall.RawConn) error { return nil }
