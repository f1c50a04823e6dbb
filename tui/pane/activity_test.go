package pane

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// While a filter looks further back, the pane says how far it has come, goes on by
// itself, and ends.
func TestActivitySaysHowFarAFilterLooked(t *testing.T) {
	p, _ := NewActivity(DefaultKeys(), time.UTC).(Activity)
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	p.ring.setSearch(clientSearch("codex"))
	for _, step := range []struct {
		page status.RecordedCalls
		want string
	}{
		{status.RecordedCalls{Next: 900, Reached: at}, "No call matches yet, back to 21 Nov 12:00. Looking further …"},
		{
			status.RecordedCalls{Next: 800, Reached: at.AddDate(0, 0, -3), Calls: []status.Call{{ID: 850, Client: "codex", Tool: "read_page", Time: at.AddDate(0, 0, -2)}}},
			"following · 1+ calls back to 18 Nov 12:00",
		},
		{status.RecordedCalls{}, "following · 1 call "},
	} {
		q := p.WantedQuery()
		if q == nil {
			t.Fatalf("nothing more is asked for, before %q", step.want)
		}
		p, _ = p.TakeResult(Result{Query: q, Calls: step.page}).(Activity)
		if shown := ansi.Strip(p.View(theme.New(theme.Mode{}), 170, 20)); !strings.Contains(shown, step.want) {
			t.Errorf("%q is not shown in\n%s", step.want, shown)
		}
	}
	if q, ok := p.WantedQuery().(RecordedCallsQuery); ok {
		t.Errorf("at the end %+v is asked for", q)
	}
}

// clientSearch selects the calls of clients with this in their names.
func clientSearch(part string) status.CallSearch {
	s, _ := status.ParseCallSearch("client:"+part, time.UTC) // which can be read
	return s
}
