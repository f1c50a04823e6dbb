package hub

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// testHub is a started hub with its insides, closed with the test.
type testHub struct {
	*Hub
	log *hubtest.Log
}

// allToolsets are those of the scope of all sources.
func (h *testHub) allToolsets() *toolsetCache {
	cache, _ := h.sources.toolsetCacheFor("")
	return cache
}

func (h *testHub) toolsetOf(who policy.Client) *toolset { return h.allToolsets().forClient(who) }

// A notesHub is a hub on one FakeNotes, source notes.
type notesHub struct {
	*testHub
	t     testing.TB
	notes *hubtest.FakeNotes
}

func startNotes(t testing.TB, grants []policy.Grant, rules []policy.Rule, limits Limits) *notesHub {
	t.Helper()
	p := hubtest.NewFakeNotes()
	log := &hubtest.Log{}
	h := New(Config{
		Systems: []tools.Kind{hubtest.NotesKind(p)}, Sources: []Source{{Name: "notes", Kind: "notes"}}, Limits: limits,
		Now:     func() time.Time { return time.Now().Add(time.Duration(p.ClockOffset.Load())) },
		Version: "1", Skill: "1", Log: slog.New(slog.NewTextHandler(log, nil)), Policy: policy.New(grants, rules),
	})
	if err := h.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return &notesHub{&testHub{h, log}, t, p}
}

// A testAgent is one agent without a wire.
type testAgent struct {
	h   *notesHub
	s   *session
	who policy.Client
}

func (h *notesHub) agent(who policy.Client) *testAgent {
	s := h.sessions.newPersonSession("", "")
	s.SetClientInfo(who.Name, "")
	if who.Proven {
		s.Proven = who.Name
	}
	return &testAgent{h, s, who}
}

type callOutcome struct {
	res tools.Result
	err *tools.Error
}

// startCall calls a tool and delivers its outcome.
func (a *testAgent) startCall(ctx context.Context, tool, args string) <-chan callOutcome {
	out := make(chan callOutcome, 1)
	go func() {
		res, err := a.h.call(ctx, caller{session: a.s, client: a.who, toolset: a.h.toolsetOf(a.who), via: tools.ViaStdio}, mcp.Call{Tool: tool, Args: json.RawMessage(args)})
		out <- callOutcome{res, tools.AsError(err)}
	}()
	return out
}

// onlyPending is the one call that waits for a person.
func (h *notesHub) onlyPending() status.Approval {
	h.t.Helper()
	list := h.Approvals().Pending()
	if len(list) != 1 {
		h.t.Fatalf("%d calls wait, want one", len(list))
	}
	return list[0]
}

func (h *notesHub) answer(id string, allow bool, a status.Answer) {
	h.t.Helper()
	if err := h.Approvals().Answer(id, allow, a); err != nil {
		h.t.Fatal(err)
	}
}

func outcomeCode(o callOutcome) tools.Code {
	if o.err == nil {
		return "ok"
	}
	return o.err.Code
}

func askWrites() []policy.Grant {
	return []policy.Grant{{Source: "notes", Ask: []tools.Effect{tools.Writes, tools.Deletes, tools.Runs}}}
}

var cursor = policy.Client{Name: "cursor"}

func checkOutcome(t testing.TB, o callOutcome, want tools.Code, words string) {
	t.Helper()
	if outcomeCode(o) != want || o.err != nil && !strings.Contains(o.err.Message+". "+o.err.Hint, words) {
		t.Errorf("got %s (%v), want %s with %q", outcomeCode(o), o.err, want, words)
	}
}
