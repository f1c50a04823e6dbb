package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// The palette does what it names, in the pane that it belongs to, and nothing
// when it is closed.
func TestPalette(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, crowded(), 80, 24)
		r.press("ctrl+p")
		r.shows("Commands", "search all sources")
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

// What Settings does is found by its name, and its row is selected then.
func TestPaletteFindsWhatSettingsDo(t *testing.T) {
	runPanel(t, lively(), func(r *testPanel) {
		r.press(":", "rotate token plugin")
		r.shows("Rotate the token of the plugin")
		r.press("enter")
		r.shows("─ Rotate the token of the plugin ─")
		r.press("enter")
		r.wait(keyIgnoreDuration)
		r.press("y")
		r.did(status.Action{Verb: status.RotateToken, Target: "plugin"})
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
	if m := New(Config{Now: time.Now}); len(newCommandPalette(m).commands) < 60 {
		t.Errorf("%d commands", len(newCommandPalette(m).commands))
	}
}

// What cannot be done now stands behind what can, and first what the pane does that
// is shown.
func TestPaletteOrder(t *testing.T) {
	runPanel(t, nextCrowded(), func(r *testPanel) {
		r.press("@Doctor", ":")
		p, ok := r.m.over.(commandPalette)
		if !ok || p.commands[0].pane != "Doctor" || p.commands[0].disabled != "" {
			t.Fatalf("the first command is %+v", p.commands[0])
		}
		r.press("undo")
		p, _ = r.m.over.(commandPalette)
		found := p.findCommands()
		for i := range found[1:] {
			if found[i].disabled != "" && found[i+1].disabled == "" {
				t.Errorf("%q cannot be done now and stands before %q", found[i].name, found[i+1].name)
			}
		}
	})
}

// The key for colours shows other colours each time, on each background.
func TestColoursKeyIsSeen(t *testing.T) {
	for _, dark := range []bool{true, false} {
		runPanel(t, nextCrowded(), func(r *testPanel) {
			r.m.mode.Dark = dark
			r.m = r.m.restyle(r.m.mode)
			for range 8 {
				before := r.m.tabs.visibleTab().pane.View(r.m.theme, 80, 20)
				r.press("C")
				if after := r.m.tabs.visibleTab().pane.View(r.m.theme, 80, 20); after == before {
					t.Errorf("dark %v: %s look like those before", dark, r.m.colours.description())
				}
			}
		})
	}
}

// No hint at the foot states how something is; each names a key that does something.
func TestFooterNamesActions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, nextCrowded(), 220, 60)
		r.hides("mouse on")
		r.press("M")
		r.shows("Mouse")
		r.hides("mouse off")
	})
}

// On a terminal that shows ASCII alone the whole panel is ASCII, as wide as ever.
func TestPanelInASCII(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanelWith(t, lively(), filledQueries(), 140, 45)
		for i := range r.m.tabs.all {
			r.press(fmt.Sprint(i + 1))
			plain := r.m.View().Content
			r.m.cfg.ASCII = true
			got := r.m.View().Content
			r.m.cfg.ASCII = false
			if strings.ContainsFunc(got, func(c rune) bool { return c > '~' }) {
				t.Errorf("%s: other characters are left:\n%s", r.m.tabs.visibleTab().Name, ansi.Strip(got))
			}
			want := strings.Split(plain, "\n")
			for n, line := range strings.Split(got, "\n") {
				if theme.Width(line) != theme.Width(want[n]) {
					t.Errorf("%s: a row of %d cells has %d: %s", r.m.tabs.visibleTab().Name, theme.Width(want[n]), theme.Width(line), ansi.Strip(line))
				}
			}
		}
	})
}
