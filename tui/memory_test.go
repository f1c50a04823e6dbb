package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/tui/pane"
)

// The next panel opens where the last one was left, and is not put out by what
// it cannot read.
func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, crowded(), 80, 24)
		r.log()
		r.press("@Logs", "/", "page", "enter", "v", "w", "M")
		before := r.m.Memory()
		next := New(Config{Client: r.hub, Now: func() time.Time { return noon }, Memory: before})
		defer next.fx.cancel()
		if got := string(next.Memory()); got != string(before) {
			t.Errorf("remembered\n%s\nwas\n%s", got, before)
		}
		if next.tabs[next.current].name != pane.LogsTab || next.mouse || !strings.Contains(string(before), `"filter": "page"`) {
			t.Errorf("opened on %s, mouse %v, from\n%s", next.tabs[next.current].name, next.mouse, before)
		}
		for _, bad := range []string{"", "x", "[]", `{"tab":"Nowhere","panes":{"Logs":7}}`, `{"panes":{"Logs":{"level":"loud"}}}`} {
			m := New(Config{Client: r.hub, Now: func() time.Time { return noon }, Memory: []byte(bad)})
			if m.current != 0 {
				t.Errorf("%q opens pane %d", bad, m.current)
			}
			m.fx.cancel()
		}
	})
}
