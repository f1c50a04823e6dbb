package hub_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/tools"
)

// startSlow is a hub with a tool that takes a minute, unless it is cancelled, and
// then says how it ended after that long.
func startSlow(t *testing.T, says error, after time.Duration) *testHub {
	kind := tools.Erase(tools.System[slowSource, struct{}]{
		Name: "slow", Title: "Slow", Doc: "Waits.",
		Open: func(context.Context, struct{}, tools.Env) (slowSource, error) { return slowSource{}, nil },
		Tools: []tools.Tool[slowSource]{tools.WithTargets(tools.Define(
			tools.Spec[slowIn, slowOut]{Name: "wait", Title: "Wait", Doc: "Waits.", Effect: tools.Reads, Timeout: 2 * time.Minute},
			func(_ slowSource, ctx context.Context, _ slowIn) (slowOut, error) {
				select {
				case <-time.After(time.Minute):
					return slowOut{true}, nil
				case <-ctx.Done():
					time.Sleep(after)
					return slowOut{}, says
				}
			}), func(slowSource, context.Context, slowIn) ([]string, error) { return []string{"the clock"}, nil })},
	})
	return startWith(t, hub.Config{Systems: []tools.Kind{kind}, Sources: []hub.Source{{Name: "slow", Kind: "slow"}}})
}

func TestCancelCall(t *testing.T) {
	spoken := tools.Errorf(tools.Timeout, "stopped in line 3")
	spoken.SpecCode = "Cancelled"
	for _, c := range []struct {
		name   string
		says   error
		after  time.Duration
		want   string
		waited time.Duration
	}{
		{"ends at once", context.Canceled, 0, "the user cancelled the call", 0},
		{"says how it ended", spoken, time.Second, "stopped in line 3", time.Second},
		{"does not end", spoken, time.Hour, "the user cancelled the call", 2 * time.Second},
		{"ends with another error", tools.Errorf(tools.Conflict, "gone"), 0, "gone", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := startSlow(t, c.says, c.after)
				failed := make(chan error, 1)
				go func() {
					_, err := h.PersonAPI().Call(t.Context(), "slow", "wait", nil)
					failed <- err
				}()
				synctest.Wait()
				running := h.Calls().Running()
				if len(running) != 1 || running[0].Tool != "wait" || running[0].Source != "slow" || running[0].Effect != "read" || running[0].Client != "lectern call" {
					t.Fatalf("under way are %+v", running)
				}
				began := time.Now()
				if err := h.Calls().CancelCall(running[0].Name); err != nil {
					t.Fatal(err)
				}
				e := tools.AsError(<-failed)
				if e.Message != c.want || e.Code == tools.Timeout && !strings.Contains(e.Hint, "Ask them before you call again") {
					t.Errorf("the agent was told %s: %s. %s", e.Code, e.Message, e.Hint)
				}
				if waited := time.Since(began); waited != c.waited {
					t.Errorf("it took %s", waited)
				}
				if left := h.Calls().Running(); len(left) != 0 {
					t.Errorf("under way is still %+v", left)
				}
				if spoken.Hint != "" {
					t.Error("the tool's own error was changed")
				}
				time.Sleep(c.after) // for what outlives its call
			})
		})
	}
}

// Of a call that waits for a person, cancelling withdraws the question; a name that
// is not that of a call under way cancels nothing.
func TestCancelCallThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		out := h.agent(cursor).startCall("put", `{"path":"a"}`)
		synctest.Wait()
		running := h.Calls().Running()
		if len(running) != 1 || !slices.Equal(running[0].Targets, []string{"a"}) {
			t.Errorf("under way are %+v", running)
		}
		if len(running) != 1 || !running[0].Waiting || running[0].Session != h.onlyPending().Session {
			t.Fatalf("under way are %+v", running)
		}
		for _, name := range []string{"", "s1", running[0].Session, running[0].Session + ".99", running[0].Session + ".0", "s99.1", running[0].Name + "x", "." + running[0].Name} {
			if err := h.Calls().CancelCall(name); err == nil || !strings.Contains(err.Error(), "is under way") {
				t.Errorf("cancelled %q: %v", name, err)
			}
		}
		if err := h.Calls().CancelCall(running[0].Name); err != nil {
			t.Fatal(err)
		}
		checkOutcome(t, <-out, tools.Timeout, "Ask them before you call again")
		if left := h.Approvals().Pending(); len(left) != 0 || h.notes.Writes != 0 {
			t.Errorf("%d calls wait, %d writes", len(left), h.notes.Writes)
		}
	})
}

// A call that goes on is in the snapshot without anything else happening.
func TestRunningCallIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startSlow(t, context.Canceled, 0)
		time.Sleep(time.Minute) // it has been started
		go h.PersonAPI().Call(t.Context(), "slow", "wait", nil)
		time.Sleep(time.Second)
		synctest.Wait()
		if shown := h.board.LastSnapshot().Running; len(shown) != 1 || shown[0].Name == "" || !slices.Equal(shown[0].Targets, []string{"the clock"}) {
			t.Errorf("the snapshot shows %+v", shown)
		}
		time.Sleep(2 * time.Minute)
		if shown := h.board.LastSnapshot().Running; len(shown) != 0 {
			t.Errorf("the snapshot still shows %+v", shown)
		}
	})
}
