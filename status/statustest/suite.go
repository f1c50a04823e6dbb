package statustest

import (
	"context"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
)

// patience is how long the suite waits for what must come. Only a broken
// Client makes it wait that long.
const patience = runtest.Timeout

// Run checks that a Client keeps the promises of status.Client. For every check
// it calls wrap, which makes the Client under test of a new Fake: one that asks
// the Fake, or one that is filled through [Fake.Tee] and keeps [Kept] lines. It
// does so before it fills the Fake. Own are the names of the queries that the
// Client answers itself.
func Run(t *testing.T, wrap func(*testing.T, *Fake) status.Client, own ...string) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			f := new(Fake)
			c.check(t, f, wrap(t, f))
		})
	}
	for name, check := range map[string]func(*testing.T, *Fake, status.Client, []string){
		"every query arrives whole": checkQueries, "errors of queries keep their text": checkQueryErrors,
		"the largest messages pass": checkLargest,
	} {
		t.Run(name, func(t *testing.T) {
			f := new(Fake)
			check(t, f, wrap(t, f), own)
		})
	}
	t.Run("lines", func(t *testing.T) {
		runFeed(t, func(t *testing.T) feedTest[status.Line] {
			f := new(Fake)
			return lineTest(f, wrap(t, f))
		})
	})
	t.Run("calls", func(t *testing.T) {
		runFeed(t, func(t *testing.T) feedTest[status.Call] {
			f := new(Fake)
			c := wrap(t, f)
			return callTest(f, func(ctx context.Context, q status.CallFilter) (<-chan status.Call, error) {
				return status.Open(ctx, c, status.CallsQuery, q)
			})
		})
	})
}

var checks = []struct {
	name  string
	check func(*testing.T, *Fake, status.Client)
}{
	{"the first snapshot comes at once", checkFirstSnapshot},
	{"a snapshot arrives whole", checkWholeSnapshot},
	{"every change arrives in the end", checkChanges},
	{"a slow reader gets the last snapshot", checkSlowWatcher},
	{"watching ends with its context", checkWatchEnds},
	{"many watch at once", checkManyWatchers},
	{"a filter selects lines", checkLogFilter},
	{"a preview changes nothing", checkPreview},
	{"an action arrives with its fields", checkDo},
	{"errors of actions keep their text", checkErrors},
}

// next waits for the next value of ch.
func next[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v, open := <-ch:
		if !open {
			t.Fatal("the channel was closed, want another value")
		}
		return v
	case <-time.After(patience):
		t.Fatal("nothing came, want another value")
	}
	panic("unreachable")
}

// closes waits for ch to be closed, and returns what came before that.
func closes[T any](t *testing.T, ch <-chan T) (rest []T) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case v, open := <-ch:
			if !open {
				return rest
			}
			rest = append(rest, v)
		case <-deadline:
			t.Fatalf("the channel is still open after %d values", len(rest))
		}
	}
}

// soon gives a call of the Client a bounded time.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func watch(t *testing.T, c status.Client) (<-chan status.Snapshot, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	ch, err := c.Watch(ctx)
	if err != nil {
		t.Fatalf("watch: %v", err)
	}
	return ch, cancel
}
