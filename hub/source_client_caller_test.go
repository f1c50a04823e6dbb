package hub

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A source calls as a client of its own: only what was granted to that name, in the
// approvals where a person is asked, and refused when nobody answers.
func TestOwnCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nightly := func(effects, ask []tools.Effect) policy.Grant {
			return policy.Grant{Client: "script:notes/nightly", Token: true, Source: "notes", Effects: effects, Ask: ask}
		}
		everyone := policy.Grant{Source: "notes"}
		h := startNotes(t, []policy.Grant{everyone, nightly([]tools.Effect{tools.Reads, tools.Writes}, nil)}, nil, Limits{})
		src, _ := h.sources.named("notes")
		call := func(client, tool string) callOutcome {
			res, err := sourceClientCaller{src}.CallAs(context.Background(), client, tool, []byte(`{"path":"a","text":"x"}`))
			return callOutcome{res, tools.AsError(err)}
		}
		checkOutcome(t, call("script:nightly", "put"), "ok", "")
		if h.notes.Text("a") != "x" {
			t.Error("nothing was written")
		}
		checkOutcome(t, call("script:weekly", "get"), tools.Denied, "may not read") // every agent may, this client not
		checkOutcome(t, call("script:nightly", "own"), tools.Denied, "may not")
		checkOutcome(t, call("key:alice", "get"), tools.Internal, "") // a key's client is another's
		checkOutcome(t, call("nightly", "get"), tools.Internal, "")
		sessions := h.sessions.list()
		if len(sessions) != 2 || sessions[0].Transport != status.Own {
			t.Errorf("sessions %+v", sessions)
		}
		ran := false
		recorded, _, _, _ := h.Calls().history.after(0, make([]status.Call, 0, 64))
		for _, c := range recorded {
			ran = ran || c.Client == "script:notes/nightly" && c.Tool == "put"
		}
		if !ran {
			t.Error("the call is in no record")
		}

		h.SetPolicy(policy.New([]policy.Grant{everyone, nightly([]tools.Effect{tools.Writes}, []tools.Effect{tools.Writes})}, nil))
		h.notes.EditAsPerson("a", "before")
		asked := make(chan callOutcome, 1)
		go func() { asked <- call("script:nightly", "put") }()
		synctest.Wait()
		if w := h.onlyPending(); w.Client != "script:notes/nightly" || !w.Proven {
			t.Errorf("waits: %+v", w)
		}
		began := time.Now()
		checkOutcome(t, <-asked, tools.Denied, "was not approved")
		if h.notes.Text("a") != "before" || time.Since(began) < 30*time.Second {
			t.Error("what nobody approved was written, or nobody had the time to answer")
		}
	})
}
