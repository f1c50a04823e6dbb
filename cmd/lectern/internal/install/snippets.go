package install

import (
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/status"
)

// Snippets are what to paste into MCP clients, as `lectern client show` prints
// it. endpoint is the HTTP address; empty: HTTP is off.
func (p Planner) Snippets(endpoint string) []status.Snippet {
	m := p.Machine()
	s, hint := p.serverAt(endpoint)
	list := installer.Snippets(m, s)
	for _, c := range installer.Clients() {
		if c.ID != "claude-code" {
			continue
		}
		if snip, ok := c.Snippet(m, s, true); ok {
			snip.Client = "Over HTTP"
			snip.Destination += "; " + installer.TokenVariable + " is the content of " + p.Paths.SharedClientToken()
			list = append(list, snip)
		}
	}
	for i := range list {
		list[i].Destination += hint
	}
	return list
}
