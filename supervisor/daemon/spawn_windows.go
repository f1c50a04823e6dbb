package daemon

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// detached gives the hub no console and a group of its own, so that no
// client's closing window or Ctrl-C reaches it.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP,
	}
}
