package mcp_test

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// testHub is a started hub on the given sources, closed with the test.
type testHub struct {
	*hub.Hub
	world *hubtest.FakeSystemState
}

func start(t testing.TB, limits mcp.Limits, sources ...hub.Source) *testHub {
	t.Helper()
	w := hubtest.NewFakeSystemState()
	return startWith(t, w, hub.Config{
		Systems: []tools.Kind{hubtest.NewFakeKind(w), hubtest.NewFakeOrgKind(w)}, Sources: sources, Limits: hub.Limits{Limits: limits}, Version: "1.2.3", Skill: "1.0",
	})
}

func startWith(t testing.TB, w *hubtest.FakeSystemState, c hub.Config) *testHub {
	t.Helper()
	c.Log, c.Now = slog.New(slog.DiscardHandler), time.Now
	h := hub.New(c)
	if err := h.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return &testHub{h, w}
}

func deskSource(name string) hub.Source {
	return hub.Source{Name: name, Kind: "desk", Location: "/" + name}
}

func connect(t testing.TB, h *testHub, scope string) *hubtest.Client {
	t.Helper()
	return hubtest.Connect(t, func(ctx context.Context, conn net.Conn) error {
		return h.MCP().ServeStream(ctx, conn, conn, mcp.ConnectionInfo{Scope: scope, Transport: status.Stdio, PID: 42})
	})
}

func serveHTTP(t testing.TB, h *testHub) *hubtest.HTTPClient {
	t.Helper()
	return hubtest.Serve(t, h.MCP().HTTP(), h.MCP().Close)
}
