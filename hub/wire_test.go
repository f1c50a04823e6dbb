package hub_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// testHub is a started hub, closed with the test, as its clients and a person
// reach it.
type testHub struct {
	*hub.Hub
	world *hubtest.FakeSystemState
	board *hubtest.FakeSnapshotStore
	log   *hubtest.Log
}

// logged is what the hub has logged of all that has happened.
func (h *testHub) logged() string {
	h.Calls().Flush()
	return h.log.String()
}

func startWith(t testing.TB, c hub.Config) *testHub {
	t.Helper()
	h := &testHub{board: hubtest.NewFakeSnapshotStore(), log: &hubtest.Log{}}
	c.Version, c.Skill, c.State = "1.2.3", "1.0", cmp.Or[hub.SnapshotStore](c.State, h.board)
	c.Log = slog.New(slog.NewTextHandler(h.log, nil))
	if c.Now == nil {
		c.Now = time.Now
	}
	h.Hub = hub.New(c)
	if err := h.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// start starts a hub on sources of kind desk or org.
func start(t testing.TB, limits hub.Limits, sources ...hub.Source) *testHub {
	t.Helper()
	return startWorld(t, hubtest.NewFakeSystemState(), limits, sources...)
}

func startWorld(t testing.TB, w *hubtest.FakeSystemState, limits hub.Limits, sources ...hub.Source) *testHub {
	t.Helper()
	t.Cleanup(func() { // runs after that of startWith
		if n := w.CountOpenSources(); n != 0 {
			t.Errorf("%d sources are still open", n)
		}
	})
	h := startWith(t, hub.Config{Systems: []tools.Kind{hubtest.NewFakeKind(w), hubtest.NewFakeOrgKind(w)}, Sources: sources, Limits: limits})
	h.world = w
	return h
}

func deskSource(name string) hub.Source {
	return hub.Source{Name: name, Kind: "desk", Location: "/" + name}
}

func connect(t testing.TB, h *testHub, scope string) *hubtest.Client {
	t.Helper()
	return connectAs(t, h, mcp.ConnectionInfo{Scope: scope})
}

func connectAs(t testing.TB, h *testHub, a mcp.ConnectionInfo) *hubtest.Client {
	t.Helper()
	a.Transport, a.PID = status.Stdio, 42
	return hubtest.Connect(t, func(ctx context.Context, conn net.Conn) error { return h.MCP().ServeStream(ctx, conn, conn, a) })
}

func serveHTTP(t testing.TB, h *testHub) *hubtest.HTTPClient {
	t.Helper()
	return hubtest.Serve(t, h.MCP().HTTP(), h.MCP().Close)
}

// A notesHub is a hub on one FakeNotes, source notes.
type notesHub struct {
	*testHub
	t     testing.TB
	notes *hubtest.FakeNotes
}

func startNotes(t testing.TB, grants []policy.Grant, change func(*hub.Config)) *notesHub {
	t.Helper()
	p := hubtest.NewFakeNotes()
	c := hub.Config{
		Systems: []tools.Kind{hubtest.NotesKind(p)}, Sources: []hub.Source{{Name: "notes", Kind: "notes"}}, Policy: policy.New(grants, nil),
		Now: func() time.Time { return time.Now().Add(time.Duration(p.ClockOffset.Load())) },
	}
	if change != nil {
		change(&c)
	}
	return &notesHub{startWith(t, c), t, p}
}

func (h *notesHub) agent(who policy.Client) *agent { return newAgent(h.t, h.testHub, who) }

// connect opens a session of a client; proven is what its token proves.
func (h *notesHub) connect(client, proven string) *hubtest.Client {
	h.t.Helper()
	return h.initialize(proven, fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":%q,"version":"9"}}`, client))
}

func (h *notesHub) initialize(proven, params string) *hubtest.Client {
	h.t.Helper()
	c := connectAs(h.t, h.testHub, mcp.ConnectionInfo{Proven: proven})
	initialize(c, params)
	return c
}

func initialize(c *hubtest.Client, params string) {
	c.T.Helper()
	if f := c.Ask("initialize", params); f.Error != nil {
		c.T.Fatal(f.Raw)
	}
	c.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// pending are the calls that wait for a person.
func (h *notesHub) pending() []status.Approval { return h.Approvals().Pending() }

// onlyPending is the one call that waits for a person.
func (h *notesHub) onlyPending() status.Approval {
	h.t.Helper()
	list := h.pending()
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

func askWrites() []policy.Grant {
	return []policy.Grant{{Source: "notes", Ask: []tools.Effect{tools.Writes, tools.Deletes, tools.Runs}}}
}

type none struct{}
