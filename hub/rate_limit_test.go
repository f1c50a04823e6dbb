package hub

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

func TestCallsPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, nil, nil, Limits{CallsPerMinute: 3})
		a, b := h.asker(policy.Client{Name: "cursor"}), h.asker(policy.Client{Name: "codex"})
		for range 3 {
			says(t, <-a.begin(t.Context(), "get", `{"path":"a"}`), "ok", "")
		}
		time.Sleep(20 * time.Second)
		says(t, <-a.begin(t.Context(), "get", `{"path":"a"}`), tools.Limited, "40 s")
		says(t, <-b.begin(t.Context(), "get", `{"path":"a"}`), "ok", "") // another client is not held up
		time.Sleep(40 * time.Second)
		says(t, <-a.begin(t.Context(), "get", `{"path":"a"}`), "ok", "")
	})
}

func TestSessionWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, nil, nil, Limits{SessionWrites: 2})
		a := h.asker(policy.Client{Name: "cursor"})
		for range 2 {
			says(t, <-a.begin(t.Context(), "put", `{"path":"a"}`), "ok", "")
		}
		says(t, <-a.begin(t.Context(), "put", `{"path":"a"}`), tools.Limited, "new session")
		says(t, <-a.begin(t.Context(), "get", `{"path":"a"}`), "ok", "")
		says(t, <-h.asker(policy.Client{Name: "cursor"}).begin(t.Context(), "put", `{"path":"a"}`), "ok", "")
	})
}

// Too many deletions in a minute stop a client before the one too many; from
// then on a person is asked, until they reset the circuit breaker.
func TestCircuitBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shown := hubtest.NewBoard()
		h := startPadOn(t, shown, nil, nil, Limits{DeletesPerMinute: 3})
		a, b := h.asker(policy.Client{Name: "cursor"}), h.asker(policy.Client{Name: "codex"})
		for i := range 8 {
			h.pad.pages[fmt.Sprint(i)] = "x"
		}
		drop := func(i int) string { return fmt.Sprintf(`{"path":"%d"}`, i) }
		for i := range 3 {
			says(t, <-a.begin(t.Context(), "drop", drop(i)), "ok", "")
		}
		says(t, <-a.begin(t.Context(), "drop", drop(3)), tools.Denied, "too much at once")
		if h.pad.holds("3") == "" {
			t.Error("deleted all the same")
		}
		if !blames(shown, "cursor") {
			t.Error("no problem is shown")
		}
		says(t, <-a.begin(t.Context(), "get", `{"path":"4"}`), "ok", "")
		says(t, <-b.begin(t.Context(), "drop", drop(4)), "ok", "")
		time.Sleep(time.Hour) // time alone mends nothing
		out := a.begin(t.Context(), "drop", drop(5))
		synctest.Wait()
		h.answers(h.waiting().ID, true, status.Answer{})
		says(t, <-out, "ok", "")
		if err := h.ResetCircuitBreaker("codex"); err == nil {
			t.Error("reset a circuit breaker that has not tripped")
		}
		if err := h.ResetCircuitBreaker("cursor"); err != nil {
			t.Fatal(err)
		}
		if blames(shown, "cursor") {
			t.Error("the problem stays")
		}
		says(t, <-a.begin(t.Context(), "drop", drop(6)), "ok", "")
	})
}

func TestCircuitBreakerCountsBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, nil, nil, Limits{RewrittenBytesPerMinute: 10})
		a := h.asker(policy.Client{Name: "cursor"})
		put := `{"path":"n","text":"123456"}`
		for range 2 { // creates six bytes, rewrites six
			says(t, <-a.begin(t.Context(), "put", put), "ok", "")
		}
		time.Sleep(time.Minute) // a minute begins anew
		says(t, <-a.begin(t.Context(), "put", put), "ok", "")
		says(t, <-a.begin(t.Context(), "put", put), tools.Denied, "rewrite")
	})
}

// Calls on their way when the circuit breaker trips are stopped too.
func TestCircuitBreakerStopsCallsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, nil, nil, Limits{DeletesPerMinute: 1})
		for _, page := range []string{"0", "1", "2"} {
			h.pad.pages[page] = "x"
		}
		a := h.asker(policy.Client{Name: "cursor"})
		h.pad.meddle = func(p *pad) {
			p.meddle = nil
			says(t, <-a.begin(t.Context(), "drop", `{"path":"0"}`), "ok", "")
			says(t, <-a.begin(t.Context(), "drop", `{"path":"1"}`), tools.Denied, "too much at once")
		}
		says(t, <-a.begin(t.Context(), "drop", `{"path":"2"}`), tools.Denied, "too much at once")
		if h.pad.holds("2") == "" {
			t.Error("deleted all the same")
		}
	})
}

// An approved call does not trip it, however much it changes.
func TestCircuitBreakerSparesApprovedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, askWrites(), nil, Limits{RewrittenBytesPerMinute: 1})
		h.pad.pages["a"] = "many bytes"
		a := h.asker(policy.Client{Name: "cursor"})
		out := a.begin(t.Context(), "put", `{"path":"a","text":"others"}`)
		synctest.Wait()
		h.answers(h.waiting().ID, true, status.Answer{})
		says(t, <-out, "ok", "")
	})
}

// blames reports whether the circuit breaker of a client is a Problem.
func blames(b *hubtest.Board, client string) bool {
	_, is := b.Problem(breakerTripped.Code + " " + client)
	return is
}
