package tui

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The next panel opens where the last one was left, and is not put out by what
// it cannot read.
func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, crowded(), 80, 24)
		r.log()
		r.press("@Logs", "/", "page", "enter", "v", "w", "M", "C", "C", "C")
		r.press("@Activity", "e", "T", "p", "/", "page", "enter", "@Tools", "p", "right", "/", "finds", "enter", "@Settings", "/", "hub.", "enter")
		before := r.m.StateToSave()
		next := New(Config{Client: r.hub, Now: func() time.Time { return noon }, Memory: before})
		defer next.fx.cancel()
		if got := string(next.StateToSave()); got != string(before) {
			t.Errorf("remembered\n%s\nwas\n%s", got, before)
		}
		if next.tabs.visibleTab().Name != "Settings" || next.mouse || next.notice.text != "" {
			t.Errorf("opened on %s, mouse %v, saying %q", next.tabs.visibleTab().Name, next.mouse, next.notice.text)
		}
		golden(t, "memory.json", string(before))
		for _, bad := range []string{"", "x", "[]", "{\"tab\":", `{"colours":"loud"}`, `{"tab":"Nowhere","panes":{"Logs":7}}`, `{"panes":{"Logs":{"level":"loud"}}}`} {
			m := New(Config{Client: r.hub, Now: func() time.Time { return noon }, Memory: []byte(bad)})
			if m.tabs.current != 0 || m.colours != coloursAuto {
				t.Errorf("%q opens pane %d with colours %q", bad, m.tabs.current, m.colours)
			}
			if whole := json.Valid([]byte(bad)) && bad[0] == '{'; whole == strings.Contains(m.notice.text, "could not be read") {
				t.Errorf("%q: says %q", bad, m.notice.text)
			}
			m.fx.cancel()
		}
	})
}
