package hub

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// slots bound the calls of one session that run at once. More wait their turn,
// first come first served, up to a bound of their own. Because every session
// has its own slots, a busy agent never makes another wait.
type slots struct {
	running chan struct{}
	present chan struct{} // running and waiting
}

func newSlots(running, waiting int) slots {
	return slots{make(chan struct{}, running), make(chan struct{}, running+waiting)}
}

// take waits for a slot. The caller gives it back with release.
func (s slots) take(ctx context.Context) (release func(), err error) {
	select {
	case s.present <- struct{}{}:
	default:
		return nil, tools.Errorf(tools.Limited, "more than %d calls of this session are waiting", cap(s.present)-cap(s.running)).
			WithHint("Wait for answers before you call again.")
	}
	select {
	case s.running <- struct{}{}:
		return func() { <-s.running; <-s.present }, nil
	case <-ctx.Done():
		<-s.present
		return nil, ctx.Err()
	}
}
