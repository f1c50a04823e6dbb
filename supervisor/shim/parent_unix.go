//go:build unix

package shim

import (
	"context"
	"os"
	"time"
)

// parentEvery is how often the parent is looked for. Nothing portable tells.
const parentEvery = 2 * time.Second

// parentWait returns a function that waits until the parent has changed, which
// is what happens to an orphan, and returns false if ctx ends first. A client
// that had died before the first look cannot be told from init.
func parentWait(ctx context.Context) func() bool {
	parent := os.Getppid()
	return func() bool {
		tick := time.NewTicker(parentEvery)
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
