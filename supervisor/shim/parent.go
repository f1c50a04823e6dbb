package shim

import "context"

// WatchParent returns a channel that is closed when the process that started
// this one is gone. Clients do not always close the pipe when they die, and a
// shim that keeps running keeps a session open.
func WatchParent(ctx context.Context) <-chan struct{} {
	gone := make(chan struct{})
	wait := parentWaiter(ctx)
	go func() {
		if wait() {
			close(gone)
		}
	}()
	return gone
}
