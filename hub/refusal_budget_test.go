package hub_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
)

// Names that are only claimed share one budget of refusals, also when many call at the same
// time; a proven one has its own.
func TestClaimedNamesShareTheBudgetOfRefusals(t *testing.T) {
	const names, budget = 60, 5
	s, _, h := startHidingHub(t, 2*names, hub.Limits{HiddenWritesPerMinute: budget})
	probe := func(c *hubtest.Client, i int) string {
		return ask(c, "write_page", `{"path":"Vault/NAME.md","content":"x"}`, fmt.Sprintf("n%03d", 2*i))
	}
	var refused, limited atomic.Int64
	var all sync.WaitGroup
	for i := range names {
		c := connectClient(t, h.Hub, fmt.Sprintf("agent-%d", i), "")
		all.Go(func() {
			switch got := probe(c, i); {
			case strings.Contains(got, "hidden from agents"):
				refused.Add(1)
			case strings.Contains(got, "rate limit exceeded"):
				limited.Add(1)
			default:
				t.Error(got)
			}
		})
	}
	all.Wait()
	if refused.Load() != budget || limited.Load() != names-budget {
		t.Errorf("%d of %d were told that a name is hidden, %d that they are limited", refused.Load(), names, limited.Load())
	}
	if got := probe(connectClient(t, h.Hub, "codex", "codex"), 0); !strings.Contains(got, "hidden from agents") {
		t.Errorf("a proven client: %s", got)
	}
	if got := ask(s, "read_page", `{"path":"NAME.md"}`, "a"); !strings.Contains(got, "text") {
		t.Errorf("a read: %s", got)
	}
}
