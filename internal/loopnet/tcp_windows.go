package loopnet

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

const errAddrInUse = windows.WSAEADDRINUSE

// soExclusiveAddrUse is SO_EXCLUSIVEADDRUSE of winsock2.h, ~SO_REUSEADDR.
const soExclusiveAddrUse = ^windows.SO_REUSEADDR

// setExclusive keeps another program from binding our port over us, which
// Windows otherwise allows with SO_REUSEADDR.
func setExclusive(_, _ string, raw syscall.RawConn) error {
	var optErr error
	err := raw.Control(func(fd uintptr) {
		optErr = windows.SetsockoptInt(windows.Handle(fd), windows.SOL_SOCKET, soExclusiveAddrUse, 1)
	})
	return errors.Join(err, optErr)
}
