package daemon

import (
	"context"
	"time"
)

// pollInterval is how often a lock or a socket of another process is checked,
// because there is no way to wait for it.
const pollInterval = 20 * time.Millisecond

// waitFor calls try until it is done, fails, or ctx ends.
func waitFor(ctx context.Context, try func() (done bool, err error)) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		if done, err := try(); done || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
