// Package all lists the Systems that this build knows.
//
// It is only a list, written by hand: no System registers itself, so the list
// is the whole answer to "what can Lectern open?". cmd/lectern hands it to the
// hub; the tests beside it hold what is true of all tools together and keep a
// snapshot of each. Start reading at [Systems].
package all

import (
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/logseq"
	"github.com/lectern-mcp/lectern/tools/markdown"
)

// Systems is every System, in the order shown to people.
func Systems() []tools.Kind {
	return []tools.Kind{markdown.System(), logseq.System()}
}
