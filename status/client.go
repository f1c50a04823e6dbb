package status

import (
	"context"
	"fmt"
)

// A Client is one end of the status API: it reads the picture, asks questions
// and has actions carried out. supervisor.HubAPI is the one inside the hub
// process, status/loopback.Dial reaches it over the control socket,
// supervisor/daemon.Client works without a hub too, the panel's own in
// cmd/lectern adds what concerns this machine, and statustest.Fake is for tests.
// All of them pass statustest.Run.
//
// A channel that a method returns is closed when ctx ends or the hub is gone;
// the reader then asks again.
type Client interface {
	// Watch delivers the current snapshot at once and then one after changes.
	// A slow reader misses intermediate snapshots, never the last.
	Watch(ctx context.Context) (<-chan Snapshot, error)
	// Query delivers the answers to a request, or one error and then no more.
	// [Ask] and [Open] wrap it in the types of the query.
	Query(ctx context.Context, r Request) (<-chan Response, error)
	// Preview says what Do would change. It changes nothing.
	Preview(ctx context.Context, a Action) (Plan, error)
	// Do carries a out and returns when it is done.
	Do(ctx context.Context, a Action) error
}

// A Router is a Client that carries out the actions and answers the queries it
// has handlers for, and passes the others to the next Client.
type Router struct {
	Client  // the next one; nil: other actions and queries are unknown
	Actions ActionHandlers
	Queries QueryHandlers
}

// Query implements [Client].
func (r Router) Query(ctx context.Context, req Request) (<-chan Response, error) {
	if handle, ok := r.Queries[req.Query]; ok {
		return handle(ctx, req.Input)
	}
	if r.Client == nil {
		return nil, fmt.Errorf("unknown query %q; the hub may be of another version: run `lectern hub restart`", req.Query)
	}
	return r.Client.Query(ctx, req)
}

// Preview implements [Client].
func (r Router) Preview(ctx context.Context, a Action) (Plan, error) {
	switch handler, ok := r.Actions[a.Verb]; {
	case !ok && r.Client == nil:
		return Plan{}, errUnknown(a)
	case !ok:
		return r.Client.Preview(ctx, a)
	case handler.Preview == nil:
		return Plan{Title: capitalized(a.Title()), Steps: []Step{}, Risks: []string{}}, ctx.Err()
	default:
		return handler.Preview(ctx, a)
	}
}

// Do implements [Client].
func (r Router) Do(ctx context.Context, a Action) error {
	switch handler, ok := r.Actions[a.Verb]; {
	case !ok && r.Client == nil:
		return errUnknown(a)
	case !ok:
		return r.Client.Do(ctx, a)
	default:
		return handler.Do(ctx, a)
	}
}

func errUnknown(a Action) error {
	return fmt.Errorf("unknown action %q; the hub may be of another version: run `lectern hub restart`", a.Verb)
}

// Offer puts v into ch, which has room for one value, in place of one that the
// reader has not taken yet. Only one goroutine may send to ch.
func Offer[T any](ch chan T, v T) {
	select {
	case <-ch:
	default:
	}
	ch <- v
}
