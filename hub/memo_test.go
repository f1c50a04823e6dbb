package hub_test

import (
	"fmt"
	"testing"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// startMemo starts a hub with one source, the notebook desk of a store.
func startMemo(t *testing.T, store *memo.Store, p *policy.Policy, systems ...tools.Kind) (*hub.Hub, *hubtest.Board) {
	t.Helper()
	h := startWith(t, hub.Config{
		Systems: append(systems, memo.SystemWith(store)), Sources: []hub.Source{{Name: "desk", Kind: "memo"}}, Policy: p,
	})
	return h.Hub, h.board
}

// connectClient connects an agent that claims a name and may prove one.
func connectClient(t *testing.T, h *hub.Hub, claims, proves string) *hubtest.Client {
	t.Helper()
	c := connectAs(t, &testHub{Hub: h}, mcp.Attach{Proven: proves})
	initialize(c, fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":%q,"version":"9"}}`, claims))
	return c
}
