// Package all lists the Systems that this build knows.
//
// It is only a list, written by hand: no System registers itself, so the list
// is the whole answer to "what can Lectern open?". cmd/lectern hands it to the
// hub; the tests beside it hold what is true of all tools together and keep a
// snapshot of each. Start reading at [Systems].
package all

import (
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards"
	"github.com/lectern-mcp/lectern/tools/logseq"
	"github.com/lectern-mcp/lectern/tools/markdown"
	"github.com/lectern-mcp/lectern/tools/org"
	"github.com/lectern-mcp/lectern/tools/workspace"
)

// Environment are the variables of each System that has any, by its name. It
// costs less than [Systems].
func Environment() map[string][]tools.EnvironmentVariable {
	return map[string][]tools.EnvironmentVariable{"markdown": markdown.Environment(), "cards": cards.Environment()}
}

// Systems is every System, in the order shown to people.
func Systems() []tools.Kind {
	return []tools.Kind{markdown.System(), logseq.System(), org.System(), cards.System(), workspace.System()}
}
