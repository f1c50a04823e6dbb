package logseq_test

import (
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools/logseq"
	"github.com/lectern-mcp/lectern/tools/toolstest"
)

// TestSuite holds what is true of every System, on a file graph, which has
// everything that the examples speak of.
func TestSuite(t *testing.T) {
	toolstest.RunWithout(t, testSystem(), func(t testing.TB) toolstest.Fixture {
		f := fixtureGraphWithReferences("file")
		return f.fixture(t, f.digest)
	}, otherTurn(0), "set_tags", "create_tag", "create_property")
}

// TestSuiteOfDBGraphs holds it on a DB graph. There a page that was made and
// taken back lies in the recycle bin, with its name, until the user empties it:
// no plugin can, so the digest is of what is in use.
func TestSuiteOfDBGraphs(t *testing.T) {
	toolstest.RunWithout(t, testSystem(), func(t testing.TB) toolstest.Fixture {
		f := fixtureGraphWithReferences("db")
		return f.fixture(t, f.inUse)
	}, otherTurn(1), "list_templates")
}

// otherTurn are the checks that are left to another turn: of what does not depend on the kind of a
// graph, most is decided before a call reaches it.
func otherTurn(kind int) map[string]string {
	if runtest.InSample(kind, 3, 1) {
		return nil
	}
	except := map[string]string{}
	for _, name := range []string{"manifest is stable", "arguments", "hostile text", "cancelled calls", "prompts", "concurrent calls"} {
		except[name] = "another turn looks at it on this kind of graph"
	}
	return except
}

func (f *fakePeer) fixture(t testing.TB, digest func() string) toolstest.Fixture {
	return toolstest.Fixture{
		Config: logseq.Config{GraphFolder: assetFolder(t)},
		Peer:   f, Digest: digest,
		URIs:  []string{"logseq://one/page/Garden", "logseq://one/block/" + id(2)},
		Names: []string{"Garden", "Compost", "Kitchen", id(1), id(2), id(3), id(4), id(5), "first", "last", "assets/beds.png"},
		Edit:  f.edit, Nested: f.nested(),
		Privacy: privacyRules(), Hide: f.hide,
	}
}
