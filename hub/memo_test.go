package hub_test

import (
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
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// startMemo starts a hub with one source, the notebook desk of a store.
func startMemo(t *testing.T, store *memo.Store, p *policy.Policy, systems ...tools.Kind) (*hub.Hub, *hubtest.Board) {
	t.Helper()
	board := hubtest.NewBoard()
	h := hub.New(hub.Config{
		Systems: append(systems, memo.SystemWith(store)), Sources: []hub.Source{{Name: "desk", Kind: "memo"}},
		Version: "1", Skill: "1", State: board, Policy: p, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	if err := h.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h, board
}

// connectClient connects an agent that claims a name and may prove one.
func connectClient(t *testing.T, h *hub.Hub, claims, proves string) *hubtest.Client {
	t.Helper()
	c := hubtest.Connect(t, func(ctx context.Context, conn net.Conn) error {
		return h.MCP().ServeStream(ctx, conn, conn, mcp.Attach{Transport: status.Stdio, PID: 42, Proven: proves})
	})
	f := c.Ask("initialize", fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":%q,"version":"9"}}`, claims))
	if f.Error != nil {
		t.Fatal(f.Raw)
	}
	c.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}
