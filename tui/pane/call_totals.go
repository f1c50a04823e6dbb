package pane

import (
	"cmp"
	"sort"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// callCounts are what the calls that match come to. They are counted call by call, as calls
// come and go, because the panel is drawn after each.
type callCounts struct {
	calls, events    int
	byTool, byClient callTotals
	since            time.Time // that newer counts from
	newer            int       // calls and events that began after since
}

func newCallCounts(since time.Time) callCounts {
	return callCounts{byTool: callTotals{}, byClient: callTotals{}, since: since}
}

// add counts a call, by 1 when it comes and by -1 when it goes.
func (s *callCounts) add(c *status.Call, by int) {
	if c.Time.After(s.since) {
		s.newer += by
	}
	if c.Event != "" {
		s.events += by
		return
	}
	s.calls += by
	s.byTool.add(c.Tool, c, by)
	s.byClient.add(c.Client, c, by)
}

// A callTotal is what the calls of one tool or client come to.
type callTotal struct {
	name     string
	calls    int
	failures int
	worked   time.Duration
	answered int
}

// callTotals are the totals by name.
type callTotals map[string]callTotal

func (s callTotals) add(name string, c *status.Call, by int) {
	t := s[name]
	t.name = name
	t.calls += by
	t.worked += time.Duration(by) * c.Worked()
	t.answered += by * c.ResponseBytes
	if c.Failed() {
		t.failures += by
	}
	if s[name] = t; t.calls == 0 {
		delete(s, name)
	}
}

// greatestFirst are the totals, that of most calls first.
func (s callTotals) greatestFirst() []callTotal {
	all := make([]callTotal, 0, len(s))
	for _, t := range s {
		all = append(all, t)
	}
	sort.Slice(all, func(i, j int) bool {
		return cmp.Or(cmp.Compare(all[j].calls, all[i].calls), strings.Compare(all[i].name, all[j].name)) < 0
	})
	return all
}
