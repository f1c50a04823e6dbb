package hub

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// testHub is a started hub on the given sources of kind desk, closed with the
// test.
type testHub struct {
	*Hub
	world *hubtest.FakeSystemState
	board *hubtest.Board
	log   *hubtest.Log
}

func start(t testing.TB, limits Limits, sources ...Source) *testHub {
	t.Helper()
	return startWorld(t, hubtest.NewFakeSystemState(), limits, sources...)
}

func startWorld(t testing.TB, w *hubtest.FakeSystemState, limits Limits, sources ...Source) *testHub {
	t.Helper()
	b, log := hubtest.NewBoard(), &hubtest.Log{}
	h := New(Config{
		Systems: []tools.Kind{hubtest.FakeSource(w), hubtest.Org(w)}, Sources: sources, Limits: limits,
		Version: "1.2.3", Skill: "1.0", State: b, Now: time.Now,
		Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err := h.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if n := w.Open(); n != 0 {
			t.Errorf("%d sources are still open", n)
		}
	})
	return &testHub{h, w, b, log}
}

func deskSource(name string) Source { return Source{Name: name, Kind: "desk", Location: "/" + name} }

func connect(t testing.TB, h *testHub, scope string) *hubtest.Client {
	t.Helper()
	return connectAs(t, h, mcp.Attach{Scope: scope})
}

func connectAs(t testing.TB, h *testHub, a mcp.Attach) *hubtest.Client {
	t.Helper()
	a.Transport, a.PID = status.Stdio, 42
	return hubtest.Connect(t, func(ctx context.Context, conn net.Conn) error { return h.MCP().ServeStream(ctx, conn, conn, a) })
}

// allToolsets are those of the scope of all sources.
func (h *testHub) allToolsets() *toolsetCache { cache, _ := h.sources.toolsets(""); return cache }

func (h *testHub) toolsetOf(who policy.Client) *toolset { return h.allToolsets().forClient(who) }

type (
	none   struct{}
	textIn struct {
		Text string `json:"text" jsonschema:"what to say"`
	}
	textOut struct {
		Text string `json:"text" jsonschema:"what was said"`
		From string `json:"from" jsonschema:"the source"`
	}
)

func serveHTTP(t testing.TB, h *testHub) *hubtest.Site {
	t.Helper()
	return hubtest.Serve(t, h.MCP().HTTP(), h.MCP().Close)
}
