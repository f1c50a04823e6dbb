package pane

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// Rows that are kept from frame to frame are those that would be drawn: after a look, in other
// colours and widths, when a client turns out to be an impostor, and when other calls have the
// numbers of those that were read from the audit.
func TestKeptRowsAreUpToDate(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	snap := status.Snapshot{Time: now, Hub: status.Hub{Component: status.Component{State: status.Ready}}}
	p := NewActivity(DefaultKeys(), time.UTC).SetSnapshot(snap).(Activity)
	recorded := func(newest int64, tool string) {
		page := status.RecordedCalls{Next: 1}
		for i := range 30 {
			page.Calls = append(page.Calls, status.Call{ID: newest - int64(i), Time: now.Add(time.Duration(newest-int64(i)-100) * time.Minute), Client: "codex", Tool: tool, Source: "notes"})
		}
		p.ring.addRecorded(page, nil)
	}
	recorded(100, "read_page")
	dark, light, w := theme.New(theme.Mode{Dark: true}), theme.New(theme.Mode{}), 150
	colours := dark
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"the first frame", func() {}},
		{"a key", func() { p = p.selectEndedCallAt(5) }},
		{"a look", func() { p = p.SetLastLook(now.Add(-8 * time.Minute)).(Activity) }},
		{"a narrower pane", func() { w = 90 }},
		{"other colours", func() { colours = light }},
		{"an impostor", func() {
			snap.Sessions = []status.Session{{Client: "codex", Proven: true}}
			p = p.SetSnapshot(snap).(Activity)
		}},
		{"a call", func() {
			p = p.ObserveCalls([]status.Call{{ID: 200, Time: now, Client: "zed", Tool: "search"}}).(Activity)
		}},
		{"a filter", func() {
			p.ring.setSearch(clientSearch("codex"))
			recorded(70, "list_pages")
			p = p.selectEndedCallAt(40)
		}},
		{"another filter", func() {
			p.ring.setSearch(clientSearch("code"))
			recorded(60, "read_block")
			p = p.selectEndedCallAt(40)
		}},
	} {
		step.do()
		kept := p.View(colours, w, 30)
		p.ring.rows = drawnRows{}
		if d := cmp.Diff(p.View(colours, w, 30), kept); d != "" {
			t.Errorf("after %s (-drawn again +kept):\n%s", step.name, d)
		}
	}
	for i := range 2 * maxDrawnRows {
		p.ring.rows.getOrDraw(dark, 80, drawnRowKey{call: uint64(i)}, func() string { return fmt.Sprint(i) })
	}
	if n := len(p.ring.rows.rows); n > maxDrawnRows {
		t.Errorf("%d rows are kept", n)
	}
}
