package hub_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

func TestCallsPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, nil, func(c *hub.Config) { c.Limits = hub.Limits{CallsPerMinute: 3} })
		a, b := h.agent(policy.Client{Name: "cursor"}), h.agent(policy.Client{Name: "codex"})
		for range 3 {
			checkOutcome(t, <-a.startCall("get", `{"path":"a"}`), "ok", "")
		}
		time.Sleep(20 * time.Second)
		checkOutcome(t, <-a.startCall("get", `{"path":"a"}`), tools.Limited, "40 s")
		checkOutcome(t, <-b.startCall("get", `{"path":"a"}`), "ok", "") // another client is not held up
		time.Sleep(40 * time.Second)
		checkOutcome(t, <-a.startCall("get", `{"path":"a"}`), "ok", "")
	})
}

func TestSessionWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, nil, func(c *hub.Config) { c.Limits = hub.Limits{SessionWrites: 2} })
		a := h.agent(policy.Client{Name: "cursor"})
		for range 2 {
			checkOutcome(t, <-a.startCall("put", `{"path":"a"}`), "ok", "")
		}
		checkOutcome(t, <-a.startCall("put", `{"path":"a"}`), tools.Limited, "new session")
		checkOutcome(t, <-a.startCall("get", `{"path":"a"}`), "ok", "")
		checkOutcome(t, <-h.agent(policy.Client{Name: "cursor"}).startCall("put", `{"path":"a"}`), "ok", "")
	})
}

// Too many deletions in a minute stop a client before the one too many; from
// then on a person is asked, until they reset the circuit breaker.
func TestCircuitBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, nil, func(c *hub.Config) { c.Limits = hub.Limits{DeletesPerMinute: 3} })
		a, b := h.agent(policy.Client{Name: "cursor"}), h.agent(policy.Client{Name: "codex"})
		for i := range 8 {
			h.notes.EditAsPerson(fmt.Sprint(i), "x")
		}
		drop := func(i int) string { return fmt.Sprintf(`{"path":"%d"}`, i) }
		for i := range 3 {
			checkOutcome(t, <-a.startCall("drop", drop(i)), "ok", "")
		}
		checkOutcome(t, <-a.startCall("drop", drop(3)), tools.Denied, "too much at once")
		if h.notes.Text("3") == "" {
			t.Error("deleted all the same")
		}
		if !blames(h.board, "cursor") {
			t.Error("no problem is shown")
		}
		checkOutcome(t, <-a.startCall("get", `{"path":"4"}`), "ok", "")
		checkOutcome(t, <-b.startCall("drop", drop(4)), "ok", "")
		time.Sleep(time.Hour) // time alone resets nothing
		out := a.startCall("drop", drop(5))
		synctest.Wait()
		h.answer(h.onlyPending().ID, true, status.Answer{})
		checkOutcome(t, <-out, "ok", "")
		if err := h.Limiter().ResetCircuitBreaker("codex"); err == nil {
			t.Error("reset a circuit breaker that has not tripped")
		}
		if err := h.Limiter().ResetCircuitBreaker("cursor"); err != nil {
			t.Fatal(err)
		}
		if blames(h.board, "cursor") {
			t.Error("the problem stays")
		}
		checkOutcome(t, <-a.startCall("drop", drop(6)), "ok", "")
	})
}

func TestCircuitBreakerCountsBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, nil, func(c *hub.Config) { c.Limits = hub.Limits{RewrittenBytesPerMinute: 10} })
		a := h.agent(policy.Client{Name: "cursor"})
		put := `{"path":"n","text":"123456"}`
		for range 2 { // creates six bytes, rewrites six
			checkOutcome(t, <-a.startCall("put", put), "ok", "")
		}
		time.Sleep(time.Minute) // another minute
		checkOutcome(t, <-a.startCall("put", put), "ok", "")
		checkOutcome(t, <-a.startCall("put", put), tools.Denied, "rewrite")
	})
}

// Calls on their way when the circuit breaker trips are stopped too.
func TestCircuitBreakerStopsCallsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, nil, func(c *hub.Config) { c.Limits = hub.Limits{DeletesPerMinute: 1} })
		for _, page := range []string{"0", "1", "2"} {
			h.notes.EditAsPerson(page, "x")
		}
		a := h.agent(policy.Client{Name: "cursor"})
		h.notes.BeforeWrite = func(p *hubtest.FakeNotes) {
			p.BeforeWrite = nil
			checkOutcome(t, <-a.startCall("drop", `{"path":"0"}`), "ok", "")
			checkOutcome(t, <-a.startCall("drop", `{"path":"1"}`), tools.Denied, "too much at once")
		}
		checkOutcome(t, <-a.startCall("drop", `{"path":"2"}`), tools.Denied, "too much at once")
		if h.notes.Text("2") == "" {
			t.Error("deleted all the same")
		}
	})
}

// An approved call does not trip it, however much it changes.
func TestCircuitBreakerSparesApprovedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), func(c *hub.Config) { c.Limits = hub.Limits{RewrittenBytesPerMinute: 1} })
		h.notes.EditAsPerson("a", "many bytes")
		a := h.agent(policy.Client{Name: "cursor"})
		out := a.startCall("put", `{"path":"a","text":"others"}`)
		synctest.Wait()
		h.answer(h.onlyPending().ID, true, status.Answer{})
		checkOutcome(t, <-out, "ok", "")
	})
}

// blames reports whether the circuit breaker of a client is a Problem.
func blames(b *hubtest.FakeSnapshotStore, client string) bool {
	_, is := b.Problem("breaker.tripped " + client)
	return is
}

// A dry run is refused as the call would be, and trips nothing.
func TestCircuitBreakerJudgesDryRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, nil, func(c *hub.Config) { c.Limits = hub.Limits{RewrittenBytesPerMinute: 3} })
		h.notes.EditAsPerson("a", "many bytes")
		a := h.agent(policy.Client{Name: "cursor"})
		checkOutcome(t, <-a.startCall("put", `{"path":"a","text":"x","dry_run":true}`), tools.Denied, "too much at once")
		if blames(h.board, "cursor") {
			t.Error("a dry run trips the circuit breaker")
		}
		checkOutcome(t, <-a.startCall("put", `{"path":"b","text":"x","dry_run":"true"}`), "ok", "")
		if h.notes.Text("b") != "" {
			t.Error("a dry run wrote")
		}
		checkOutcome(t, <-a.startCall("put", `{"path":"a","text":"x"}`), tools.Denied, "too much at once")
		checkOutcome(t, <-a.startCall("put", `{"path":"b","text":"x","dry_run":true}`), tools.Denied, "until they reset the circuit breaker")
	})
}
