//go:build unix

package shim

import (
	"context"
	"os"
	"time"
)

// parentPollInterval is how often the parent is looked for. Nothing portable tells.
const parentPollInterval = 2 * time.Second

// parentWaiter returns a function that waits until the parent has changed, which
// is what happens to an orphan, and returns false if ctx ends first. A client
// that had died before the first look cannot be told from init.
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
