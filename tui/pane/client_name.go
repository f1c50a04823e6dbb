package pane

import (
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// quotePossibleImpostor is a client as a row names it. In quotes: it calls itself what a client is
// called that can prove its name, and has not proved it.
func quotePossibleImpostor(s status.Snapshot, client string, proven bool) string {
	if !proven && client != "" && isProvenElsewhere(s, client) {
		return `"` + client + `"`
	}
	return orNoName(client)
}

// isProvenElsewhere reports whether a client of this name is connected that has proved it, or
// is installed with a token of its own.
func isProvenElsewhere(s status.Snapshot, client string) bool {
	for _, one := range s.Sessions {
		if one.Proven && strings.EqualFold(one.Client, client) {
			return true
		}
	}
	for _, one := range s.Installations {
		if one.State == status.Ready && strings.EqualFold(one.ID, "client/"+client) {
			return true
		}
	}
	return false
}
