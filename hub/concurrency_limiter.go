package hub

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// A concurrencyLimiter bounds the calls of one session that run at once. More
// wait their turn, first come first served, up to a bound of their own. Every
// session has its own limiter, so a busy agent never makes another wait.
type concurrencyLimiter struct {
	running  chan struct{}
	admitted chan struct{} // running and waiting
}

func newConcurrencyLimiter(running, waiting int) concurrencyLimiter {
	return concurrencyLimiter{make(chan struct{}, running), make(chan struct{}, running+waiting)}
}

// acquire waits for a slot.
func (l concurrencyLimiter) acquire(ctx context.Context) (release func(), err error) {
	select {
	case l.admitted <- struct{}{}:
	default:
		return nil, tools.Errorf(tools.Limited, "more than %d calls of this session are waiting", cap(l.admitted)-cap(l.running)).
			WithHint("Wait for answers before you call again.")
	}
	select {
	case l.running <- struct{}{}:
		return func() { <-l.running; <-l.admitted }, nil
	case <-ctx.Done():
		<-l.admitted
		return nil, ctx.Err()
	}
}
