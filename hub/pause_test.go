package hub_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/pauses"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

func TestPausedWrites(t *testing.T) {
	file := filepath.Join(t.TempDir(), "paused.json")
	pausing := func(c *hub.Config) { c.Pauses = pauses.Open(file, time.Now) }
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, nil, pausing)
		a, b := h.agent(policy.Client{Name: "cursor"}), h.agent(policy.Client{Name: "codex", Proven: true})
		if err := h.Limiter().PauseWrites("cursor"); err != nil {
			t.Fatal(err)
		}
		checkOutcome(t, <-a.startCall("put", `{"path":"a"}`), tools.Denied, "the user has paused your writes since")
		if d := cmp.Diff([]string{"a"}, targetsOfCalls(t, h.Hub)); d != "" {
			t.Errorf("the refused write does not name its target: %s", d)
		}
		checkOutcome(t, <-a.startCall("put", `{"path":"a","dry_run":true}`), tools.Denied, "the user has paused your writes since")
		checkOutcome(t, <-a.startCall("get", `{"path":"a"}`), "ok", "")
		checkOutcome(t, <-b.startCall("put", `{"path":"b"}`), "ok", "")
		if p, is := h.board.Problem("writes.paused cursor"); !is || p.Action == nil || p.Action.Verb != status.ResumeWrites || p.Action.Target != "cursor" {
			t.Errorf("the problem is %+v", p)
		}
		if err := h.Limiter().PauseWrites(""); err != nil {
			t.Fatal(err)
		}
		checkOutcome(t, <-b.startCall("put", `{"path":"b"}`), tools.Denied, "paused all writes")
		checkOutcome(t, <-b.startCall("drop", `{"path":"b"}`), tools.Denied, "paused all writes")
		if err := h.Limiter().ResumeWrites("cursor"); err != nil {
			t.Fatal(err)
		}
		checkOutcome(t, <-a.startCall("put", `{"path":"a"}`), tools.Denied, "paused all writes")
	})
	synctest.Test(t, func(t *testing.T) { // after a restart
		h := startNotes(t, nil, pausing)
		b := h.agent(policy.Client{Name: "codex"})
		checkOutcome(t, <-b.startCall("put", `{"path":"b"}`), tools.Denied, "paused all writes")
		if _, is := h.board.Problem("writes.paused "); !is {
			t.Error("no problem is shown after a restart")
		}
		if _, err := h.PersonAPI().Call(t.Context(), "notes", "put", []byte(`{"path":"mine"}`)); err != nil {
			t.Errorf("the person was stopped: %v", err)
		}
		if err := h.Limiter().ResumeWrites(""); err != nil {
			t.Fatal(err)
		}
		checkOutcome(t, <-b.startCall("put", `{"path":"b"}`), "ok", "")
		if _, is := h.board.Problem("writes.paused "); is {
			t.Error("the problem stays")
		}
	})
}

// A pause counts for more than an approval, and than a write that was on its way.
func TestPauseDuringACall(t *testing.T) {
	file := filepath.Join(t.TempDir(), "paused.json")
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), func(c *hub.Config) { c.Pauses = pauses.Open(file, time.Now) })
		out := h.agent(cursor).startCall("put", `{"path":"a"}`)
		synctest.Wait()
		if err := h.Limiter().PauseWrites(""); err != nil {
			t.Fatal(err)
		}
		h.answer(h.onlyPending().ID, true, status.Answer{})
		checkOutcome(t, <-out, tools.Denied, "paused all writes")
		if h.notes.Writes != 0 {
			t.Error("written all the same")
		}
	})
}

// Nobody writes while it is not known who may.
func TestUnreadablePauses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "paused.json")
	if err := os.WriteFile(file, []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, nil, func(c *hub.Config) { c.Pauses = pauses.Open(file, time.Now) })
		a := h.agent(policy.Client{Name: "cursor"})
		checkOutcome(t, <-a.startCall("put", `{"path":"a"}`), tools.Denied, "no agent may write now: the file")
		checkOutcome(t, <-a.startCall("get", `{"path":"a"}`), "ok", "")
		if _, is := h.board.Problem("writes.unknown "); !is {
			t.Error("no problem is shown")
		}
		if err := h.Limiter().ResumeWrites(""); err != nil {
			t.Fatal(err)
		}
		checkOutcome(t, <-a.startCall("put", `{"path":"a"}`), "ok", "")
	})
}
