package daemon

import (
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// detachedProcAttr gives the hub no console and a group of its own, so that no
// client's closing window or Ctrl-C reaches it.
func detachedProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP,
	}
}

// isPipe reports whether path is no file: a pipe goes with its process.
func isPipe(path string) bool { return strings.HasPrefix(path, `\\.\pipe\`) }
