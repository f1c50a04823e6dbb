package hub

import (
	"context"
	"net"
	"testing"

	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
)

// testHub is a started hub, closed with the
// test.
type testHub struct {
	*Hub
	world *hubtest.FakeSystemState
	board *hubtest.Board
	log   *hubtest.Log
}

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
