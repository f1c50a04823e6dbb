package pane

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// The time that a call waits for a person is in no figure about how fast calls are:
// neither in Traffic nor in the totals of Activity.
func TestWaitingIsNotLatency(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	calls := []status.Call{
		{Seq: 1, Time: now, Client: "zed", Tool: "write_page", Duration: 50*time.Second + 30*time.Millisecond, Waited: 50 * time.Second},
		{Seq: 2, Time: now, Client: "zed", Tool: "write_page", Duration: 10 * time.Millisecond},
	}
	p, _ := NewActivity(DefaultKeys(), time.UTC).(Activity)
	for _, c := range calls {
		p.ring.add(c)
	}
	th := theme.New(theme.Mode{})
	for name, shown := range map[string]string{
		"Traffic": strings.Join(traffic{}.add(calls).section(th, now, time.UTC).Rows(80, 2), "\n"),
		"totals":  strings.Join(p.totalsSection(th, "By tool", p.ring.totalsByTool()).Rows(80, 9), "\n"),
	} {
		if shown = ansi.Strip(shown); strings.Contains(shown, " s") || !strings.Contains(shown, "20 ms") {
			t.Errorf("%s: a mean of 20 ms is not what is shown in\n%s", name, shown)
		}
	}
}
