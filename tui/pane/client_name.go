package pane

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// quotePossibleImpostor is a client as a row names it. In quotes: it calls itself what a client is
// called that can prove its name, and has not proved it.
func quotePossibleImpostor(s status.Snapshot, client string, proven bool) string {
	if !proven && client != "" && isProvenElsewhere(s, client) {
		return `"` + client + `"`
	}
	return orNoName(client)
}

// rowClientNames are the clients of one frame as its rows name them.
type rowClientNames struct {
	snap  *status.Snapshot
	names map[rowClient]string
}

type rowClient struct {
	client string
	proven bool
}

// name is the client of a call.
func (n *rowClientNames) name(c *status.Call) string {
	id := rowClient{c.Client, c.Proven}
	name, ok := n.names[id]
	if !ok {
		if n.names == nil {
			n.names = map[rowClient]string{}
		}
		name = quotePossibleImpostor(*n.snap, c.Client, c.Proven)
		n.names[id] = name
	}
	return name
}

// truncatedClientName is a client as a footer names it.
func truncatedClientName(client string) string {
	return ansi.Truncate(theme.Sanitize(client), maxFooterName, "…")
}

// maxFooterName bounds a client's name in a footer, where keys stand beside each other.
const maxFooterName = 10

// isProvenElsewhere reports whether a client of this name is connected that has proved it, or
// is installed with a token of its own.
func isProvenElsewhere(s status.Snapshot, client string) bool {
	for i := range s.Sessions { // asked for each row: these are too large to copy
		if one := &s.Sessions[i]; one.Proven && strings.EqualFold(one.Client, client) {
			return true
		}
	}
	for i := range s.Installations {
		one := &s.Installations[i]
		if name, ok := strings.CutPrefix(one.ID, "client/"); ok && one.State == status.Ready && strings.EqualFold(name, client) {
			return true
		}
	}
	return false
}
