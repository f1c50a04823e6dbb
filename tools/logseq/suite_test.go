package logseq_test

import (
	"testing"

	"github.com/lectern-mcp/lectern/tools/logseq"
	"github.com/lectern-mcp/lectern/tools/toolstest"
)

// TestSuite holds what is true of every System. A file graph has everything
// that the examples speak of; TestDBGraph looks at the other kind.
func TestSuite(t *testing.T) {
	toolstest.Run(t, logseq.System(), func(testing.TB) toolstest.Place {
		f := whispering("file")
		return toolstest.Place{
			Peer: f, Digest: f.digest,
			URIs:  []string{"logseq://one/page/Garden", "logseq://one/block/" + id(2)},
			Names: []string{"Garden", "Compost", "Kitchen", id(1), id(2), id(3), id(4), id(5), "first", "last"},
			Edit:  f.edit, Nested: f.nested(),
			Privacy: secrets(), Hide: f.hide,
		}
	})
}
