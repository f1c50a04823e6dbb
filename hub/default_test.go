package hub_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// byDefault is what a source asks whose configuration does not say it.
func byDefault() []policy.Grant {
	_, ask := policy.ResolveSourceEffects(false, nil, nil)
	return []policy.Grant{{Source: "notes", Ask: ask, Default: true}}
}

// By default agents wait for a person before they write, the person does not, and
// the panel says so.
func TestDefaultAsksAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, byDefault(), nil)
		a := h.agent(cursor)
		checkOutcome(t, <-a.startCall("get", `{"path":"a"}`), "ok", "")
		out := a.startCall("put", `{"path":"a","text":"two\n"}`)
		synctest.Wait()
		if w := h.onlyPending(); !strings.Contains(w.AskReason, "which is the default") {
			t.Errorf("asked because %s", w.AskReason)
		}
		h.answer(h.onlyPending().ID, true, status.Answer{})
		checkOutcome(t, <-out, "ok", "")
		if _, err := h.PersonAPI().Call(t.Context(), "notes", "drop", []byte(`{"path":"a"}`)); err != nil {
			t.Errorf("the person is asked about their own call: %v", err)
		}
		h.UpdateSnapshot()
		if s := h.board.LastSnapshot().Sources[0]; strings.Join(s.Effects, " ") != "read write delete run" || strings.Join(s.Ask, " ") != "write delete" {
			t.Errorf("shown: %v, asks %v", s.Effects, s.Ask)
		}
	})
}

// A source names the clients that may do something else in it than all others.
func TestGrantsOfClientsAreShown(t *testing.T) {
	elicit := true
	h := startNotes(t, []policy.Grant{
		{Client: "codex", Source: "notes", Effects: []tools.Effect{tools.Reads}},
		{Client: "zed", Effects: []tools.Effect{}},
		{Client: "aider", Source: "notes", Ask: []tools.Effect{tools.Deletes}},
		{Client: "Codex", Source: "other", Effects: []tools.Effect{}},
		{Client: "cursor", Source: "notes", Elicit: &elicit},
	}, nil)
	h.UpdateSnapshot()
	want := []status.Grant{
		{Client: "codex", Source: "notes", Effects: []string{"read"}, Ask: []string{}},
		{Client: "zed", Source: "notes", Effects: []string{}, Ask: []string{}},
		{Client: "aider", Source: "notes", Effects: []string{"read", "write", "delete", "run"}, Ask: []string{"delete"}},
	}
	if d := cmp.Diff(want, h.board.LastSnapshot().Sources[0].Grants, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
}

// Where nobody can be asked the call is refused at once, with the setting that
// allows it. A client that asks its own user is asked, proven or not.
func TestUnattended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, byDefault(), func(c *hub.Config) { c.Unattended = true })
		began := time.Now()
		checkOutcome(t, <-h.agent(cursor).startCall("put", `{"path":"a","text":"two\n"}`), tools.Denied, "lectern grant all notes read write delete run --ask delete")
		if waited := time.Since(began); waited != 0 || h.notes.Writes != 0 {
			t.Errorf("refused after %s, %d writes", waited, h.notes.Writes)
		}
		c := h.initialize("", initForms)
		c.Send(drop)
		id, _ := readForm(t, c)
		c.Send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"answer":"allow once"}}}`)
		if f := c.Recv(); !strings.Contains(f.Raw, `"done":true`) {
			t.Errorf("got %s", f.Raw)
		}
	})
}
