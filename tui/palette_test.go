package tui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// The palette does what it names, in the pane that it belongs to, and nothing
// when it is closed.
func TestPalette(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, crowded(), 80, 24)
		r.press("ctrl+p")
		r.shows("Commands", "Go to Overview")
		r.press("esc")
		r.hides("Commands")

		r.press("ctrl+p", "add sou", "enter")
		r.shows("Add a source")
		r.press("esc", "ctrl+p", "goto logs", "enter")
		r.shows("following")
		r.press("ctrl+p", "follow logs", "enter")
		r.shows("paused")

		r.hub.SetPlan(status.Plan{Title: "Stop the hub"})
		r.press("ctrl+p", "stop the hub", "enter")
		r.shows("Stop the hub?")
		r.did()
		r.confirm()
		r.did(status.Action{Verb: status.StopHub})

		r.press("ctrl+p", "zzzz")
		r.shows("No matching command.")
		r.press("enter")
		r.shows("No matching command.")
		r.press("esc")

		snap, line := crowded(), "lectern cards key add NAME --source wiki"
		snap.Sources[0].Commands = []string{line}
		r.hub.Set(snap)
		r.settle()
		r.press("ctrl+p", "key add")
		r.shows(line)
		r.press("enter")
		if len(r.copied) != 1 || r.copied[0] != line {
			t.Errorf("copied %q", r.copied)
		}
	})
}

// Each command presses a key that its pane, or the panel, knows by that name.
func TestPaletteKeys(t *testing.T) {
	k := DefaultKeyMap()
	for _, g := range k.groups() {
		for _, b := range g.Keys {
			for _, name := range b.Keys() {
				if got := parseKey(name).String(); got != name {
					t.Errorf("%s: the key %q is pressed as %q", b.Help().Desc, name, got)
				}
			}
		}
	}
	if m := New(Config{Now: time.Now}); len(newPalette(m).commands) < 60 {
		t.Errorf("%d commands", len(newPalette(m).commands))
	}
}
