package hub_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// allowFor has agent a write a page and a person allow that for ten minutes within
// something.
func (h *notesHub) allowFor(a *agent, page, within string) status.Permit {
	h.t.Helper()
	out := a.startCall("put", fmt.Sprintf(`{"path":%q,"text":"first"}`, page))
	synctest.Wait()
	h.answer(h.onlyPending().ID, true, status.Answer{Scope: status.Timed, Within: within})
	checkOutcome(h.t, <-out, "ok", "")
	given := h.Approvals().DescribePermits()
	return given[len(given)-1]
}

// writes reports whether a call writes a page without a person being asked. One
// that waits is refused.
func (h *notesHub) writes(a *agent, tool, page string) bool {
	h.t.Helper()
	out := a.startCall(tool, fmt.Sprintf(`{"path":%q}`, page))
	synctest.Wait()
	for _, w := range h.pending() {
		h.answer(w.ID, false, status.Answer{})
	}
	return (<-out).code == "ok"
}

// A yes for ten minutes is for one client, source, effect and place, and for ten
// minutes.
func TestPermit(t *testing.T) {
	for _, who := range []policy.Client{proven, cursor} {
		synctest.Test(t, func(t *testing.T) {
			h := startNotes(t, askWrites(), nil)
			a := h.agent(who)
			given := h.allowFor(a, "P/a", "P/**")
			if given.Until.Sub(given.Since) != 10*time.Minute || given.Client != "cursor" || given.Proven != who.Proven || given.Effect != "write" || given.Source != "notes" {
				t.Errorf("given: %+v", given)
			}
			for _, tt := range []struct {
				name       string
				who        *agent
				tool, page string
				want       bool
			}{
				{"the page", a, "put", "P/a", true},
				{"another page of the folder", a, "put", "P/b", true},
				{"a page further down", a, "put", "P/deep/b", true},
				{"a page beside it", a, "put", "Q/b", false},
				{"a page whose name only begins so", a, "put", "P2", false},
				{"a path that turns back", a, "put", "P/../a", false},
				{"another effect", a, "drop", "P/a", false},
				{"another session", h.agent(who), "put", "P/c", who.Proven},
				{"another client", h.agent(policy.Client{Name: "zed", Proven: true}), "put", "P/d", false},
				{"the same name with the other proof", h.agent(policy.Client{Name: "cursor", Proven: !who.Proven}), "put", "P/e", false},
				{"another one without a name", h.agent(policy.Client{}), "put", "P/f", false},
			} {
				if got := h.writes(tt.who, tt.tool, tt.page); got != tt.want {
					t.Errorf("%+v: %s: written %v", who, tt.name, got)
				}
			}
			time.Sleep(10*time.Minute - time.Millisecond)
			if !h.writes(a, "put", "P/a") {
				t.Error("asked before ten minutes were over")
			}
			time.Sleep(2 * time.Millisecond)
			if h.writes(a, "put", "P/a") || len(h.Approvals().DescribePermits()) != 0 {
				t.Error("not asked after ten minutes")
			}
		})
	}
}

// A person whose clock was set back, or whose machine slept, gives no more than
// ten minutes.
func TestPermitTakesTheHubsClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		a := h.agent(proven)
		h.allowFor(a, "a", "a")
		h.notes.ClockOffset.Store(int64(10*time.Minute + time.Second)) // it slept
		if h.writes(a, "put", "a") {
			t.Error("written after ten minutes by the wall clock")
		}
	})
}

// A person ends it, and so does a new policy; a rule that denies and a tripped
// circuit breaker count for more.
func TestPermitEnds(t *testing.T) {
	for name, end := range map[string]func(h *notesHub, id string){
		"one":    func(h *notesHub, id string) { _ = h.Approvals().EndPermit(id) },
		"all":    func(h *notesHub, _ string) { _ = h.Approvals().EndPermit("") },
		"client": func(h *notesHub, _ string) { h.Approvals().EndPermitsOf("Cursor") },
		"policy": func(h *notesHub, _ string) {
			h.SetPolicy(policy.New(askWrites(), []policy.Rule{{Do: policy.Deny, Path: "Private/**"}}))
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := startNotes(t, askWrites(), nil)
			a := h.agent(proven)
			given := h.allowFor(a, "a", "**")
			if !h.writes(a, "put", "b") {
				t.Fatal("asked")
			}
			end(h, given.ID)
			if h.writes(a, "put", "b") || len(h.Approvals().DescribePermits()) != 0 {
				t.Errorf("%s: not ended", name)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		if err := h.Approvals().EndPermit("nosuchid"); err == nil {
			t.Error("ended what is not there")
		}
	})
}

// Nobody is offered it whose calls cannot be told from those of others, and not for
// what is not known before it is done.
func TestPermitIsNotOffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		for _, tt := range []struct {
			who        policy.Client
			tool, args string
			want       string
		}{
			{policy.Client{}, "put", `{"path":"P/x/a","text":"x"}`, "[]"},
			{cursor, "run", `{"path":"a"}`, "[]"},
			{cursor, "put", `{"path":"P/x/a","text":"x"}`, "[P/** **]"},
			{cursor, "put", `{"path":"a","text":"x"}`, "[a **]"},
		} {
			out := h.agent(tt.who).startCall(tt.tool, tt.args)
			synctest.Wait()
			w := h.onlyPending()
			if got := fmt.Sprint(w.Within); got != tt.want {
				t.Errorf("%+v %s: %s, want %s", tt.who, tt.tool, got, tt.want)
			}
			for _, within := range []string{"Q/**", "P/x/b", "../**", "P"} {
				if err := h.Approvals().Answer(w.ID, true, status.Answer{Scope: status.Timed, Within: within}); err == nil {
					t.Fatalf("%s: allowed within %s", tt.args, within)
				}
			}
			h.answer(w.ID, false, status.Answer{})
			<-out
		}
	})
}

// Calls that wait for the same are let through by it, and others go on waiting.
func TestPermitLetsWaitingCallsThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		a := h.agent(cursor)
		ends := map[string]<-chan callOutcome{}
		for _, page := range []string{"P/1", "P/2", "P/3", "Q/1"} {
			ends[page] = a.startCall("put", fmt.Sprintf(`{"path":%q,"text":"x"}`, page))
			time.Sleep(time.Millisecond)
		}
		other := h.agent(cursor).startCall("put", `{"path":"P/4","text":"x"}`)
		synctest.Wait()
		h.answer(h.pending()[0].ID, true, status.Answer{Scope: status.Timed, Within: "P/**"})
		for _, page := range []string{"P/1", "P/2", "P/3"} {
			checkOutcome(t, <-ends[page], "ok", "")
		}
		synctest.Wait()
		left := h.pending()
		if len(left) != 2 || !slices.Contains(left[0].Targets, "Q/1") || !slices.Contains(left[1].Targets, "P/4") {
			t.Errorf("waiting: %+v", left)
		}
		permitted := 0
		for _, o := range h.Approvals().Outcomes() {
			if o.Resolution == status.Permitted {
				permitted++
			}
		}
		if permitted != 2 || h.Approvals().DescribePermits()[0].Calls != 2 {
			t.Errorf("%d were let through, counted %d", permitted, h.Approvals().DescribePermits()[0].Calls)
		}
		for _, w := range left {
			h.answer(w.ID, false, status.Answer{})
		}
		<-other
	})
}

// In a storm of calls the client's circuit breaker trips as it does without an
// approval, and then a person is asked although the ten minutes go on.
func TestPermitInAStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), func(c *hub.Config) { c.Limits.RewrittenBytesPerMinute = 300 })
		a := h.agent(proven)
		h.allowFor(a, "P/0", "P/**")
		var ends []<-chan callOutcome
		for i := range 200 {
			ends = append(ends, a.startCall("put", fmt.Sprintf(`{"path":"P/0","text":"%08d"}`, i)))
		}
		synctest.Wait()
		waiting := h.pending()
		if len(waiting) == 0 || len(waiting) > 64 {
			t.Errorf("%d calls wait", len(waiting))
		}
		for len(h.pending()) > 0 {
			for _, w := range h.pending() {
				h.answer(w.ID, false, status.Answer{})
			}
			synctest.Wait()
		}
		written := 0
		for _, end := range ends {
			if (<-end).code == "ok" {
				written++
			}
		}
		if written == 0 || written > 40 {
			t.Errorf("%d calls wrote", written)
		}
	})
}

// A call that was let through writes nothing once the ten minutes are over, and
// nothing that they do not reach: then the person is asked.
func TestPermitEndsBeforeTheWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		a := h.agent(proven)
		given := h.allowFor(a, "a", "a")
		h.notes.BeforeWrite = func(*hubtest.FakeNotes) { _ = h.Approvals().EndPermit(given.ID) }
		out := a.startCall("put", `{"path":"a","text":"late"}`)
		synctest.Wait()
		if w := h.onlyPending(); h.notes.Text("a") == "late" {
			t.Errorf("written after the end: %+v", w)
		}
		h.notes.BeforeWrite = nil
		h.answer(h.onlyPending().ID, true, status.Answer{})
		checkOutcome(t, <-out, "ok", "")
		if h.notes.Text("a") != "late" {
			t.Error("not written")
		}
	})
}

// A call that makes others is judged by what is in force when it begins: a yes that
// ends in the middle neither splits it nor asks about the rest, and the next call is
// asked about. Its Changes say by which yes they were let through.
func TestPermitEndsInTheMiddleOfABatch(t *testing.T) {
	for _, run := range []int{1, 2} { // on drafts, and for good
		g := startGroup(t, nil)
		a := g.agent()
		out := a.startCall("memo_write_note", `{"source":"desk","title":"First","text":"1"}`)
		first := g.asked(out)
		if err := g.Approvals().Answer(first.ID, true, status.Answer{Scope: status.Timed, Within: "**"}); err != nil {
			t.Fatal(err)
		}
		checkOutcome(t, <-out, "ok", "")
		runs := 0
		g.script.run = func(ctx context.Context, c tools.CallContext) error {
			runs++
			for _, title := range []string{"One", "Two"} {
				if _, err := c.Call(ctx, "desk", "write_note", fmt.Appendf(nil, `{"title":%q,"text":"x"}`, title)); err != nil {
					return err
				}
				if runs == run {
					_ = g.Approvals().EndPermit("")
				}
			}
			return nil
		}
		checkOutcome(t, <-a.startCall("script_script", `{}`), "ok", "")
		g.checkNobodyAsked()
		for _, c := range g.changes() {
			if c.Approval != first.ID {
				t.Errorf("run %d: change of %s was let through by %q", run, c.Target, c.Approval)
			}
		}
		if n := len(g.changes()); n != 3 {
			t.Errorf("run %d: %d changes", run, n)
		}
		out = a.startCall("memo_write_note", `{"source":"desk","title":"Last","text":"1"}`)
		if err := g.Approvals().Answer(g.asked(out).ID, false, status.Answer{}); err != nil {
			t.Fatal(err)
		}
		<-out
	}
}
