package hub

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

// What another application decides is shown as it is expected, and said to be.
func TestDiffOfWhatIsOpen(t *testing.T) {
	c := tools.Change{Before: tools.State{Exists: true, Data: []byte("a\n")}, AfterUnknown: true}
	if d := diff(c); !strings.Contains(d, "decided by the application") || strings.Contains(d, "-a") {
		t.Errorf("nothing is expected: %q", d)
	}
	c.After = tools.State{Exists: true, Data: []byte("b\n")}
	if d := diff(c); !strings.Contains(d, "-a\n+b\n") || !strings.Contains(d, "expected") {
		t.Errorf("something is expected: %q", d)
	}
}
