//go:build unix

package shim

import (
	"context"
	"os"
	"time"
)

// parentPollInterval is how often the parent is checked. There is no portable way
// to wait for it.
const parentPollInterval = 2 * time.Second

// parentWaiter returns a function that waits until the parent has changed, which
// is what happens to an orphan, and returns false if ctx ends first. A client
// that died before the first check looks the same as init.
func parentWaiter(ctx context.Context) func() bool {
	parent := os.Getppid()
	return func() bool {
		tick := time.NewTicker(parentPollInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if os.Getppid() != parent {
					return true
				}
			case <-ctx.Done():
				return false
			}
		}
	}
}
