package shim

import (
	"context"
	"os"

	"golang.org/x/sys/windows"
)

// parentWaiter returns a function that waits until the parent has ended, and
// returns false if ctx ends first. Windows gives a dead process's id to the
// next one, so the parent is held by a handle.
func parentWaiter(ctx context.Context) func() bool {
	parent, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(os.Getppid())) //nolint:gosec // a pid is 32 bits wide on Windows
	if err != nil {
		return func() bool { <-ctx.Done(); return false } // we may not watch it
	}
	return func() bool {
		defer func() { _ = windows.CloseHandle(parent) }()
		const every = 1000 // milliseconds; to notice ctx
		for ctx.Err() == nil {
			if event, err := windows.WaitForSingleObject(parent, every); err == nil && event == windows.WAIT_OBJECT_0 {
				return true
			}
		}
		return false
	}
}
