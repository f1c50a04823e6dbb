package daemon

import (
	"context"
	"time"

	"github.com/lectern-mcp/lectern/supervisor"
)

// pollInterval is how often a lock or a socket of another process is checked,
// because there is no way to wait for it.
const pollInterval = 20 * time.Millisecond

// waitFor calls try until it is done, fails, or ctx ends.
func waitFor(ctx context.Context, try func() (done bool, err error)) error {
	return supervisor.Poll(ctx, pollInterval, try)
}
