package statustest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// patience is how long the suite waits for what must come. Only a broken
// Client makes it wait that long.
const patience = 10 * time.Second

// Run checks that a Client keeps the promises of status.Client. For every check
// it calls wrap, which makes the Client under test of a new Fake: one that asks
// the Fake, or one that is filled through [Fake.Tee] and keeps [Kept] lines. It
// does so before it fills the Fake.
func Run(t *testing.T, wrap func(*testing.T, *Fake) status.Client) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			f := new(Fake)
			c.check(t, f, wrap(t, f))
		})
	}
}

var checks = []struct {
	name  string
	check func(*testing.T, *Fake, status.Client)
}{
	{"the first snapshot comes at once", checkFirstSnapshot},
	{"a snapshot arrives whole", checkWholeSnapshot},
	{"every change is told in the end", checkChanges},
	{"a slow reader gets the last snapshot", checkSlowWatcher},
	{"watching ends with its context", checkWatchEnds},
	{"many watch at once", checkManyWatchers},
	{"a line arrives whole", checkWholeLine},
	{"lines come oldest first and then end", checkOrder},
	{"a query picks lines", checkPicks},
	{"lines that are gone are counted", checkGone},
	{"following goes on", checkFollow},
	{"a slow follower knows what it missed", checkSlowFollower},
	{"a preview changes nothing", checkPreview},
	{"an action arrives with its fields", checkDo},
	{"errors keep their words", checkErrors},
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

func logs(t *testing.T, c status.Client, q status.LogQuery) (<-chan status.Line, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	ch, err := c.Logs(ctx, q)
	if err != nil {
		t.Fatalf("logs: %v", err)
	}
	return ch, cancel
}

// addLines adds lines "line from" to "line to" and makes no two equal.
func addLines(f *Fake, from, to int) {
	for i := from; i <= to; i++ {
		f.AddLine(status.Line{Text: fmt.Sprintf("line %d", i), Component: "hub"})
	}
}
