package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/status"
)

// screens are what a person can get to see, and the way there.
var screens = []struct {
	name string
	snap func() status.Snapshot
	goTo func(*rig)
}{
	{"overview-fresh", fresh, func(*rig) {}},
	{"overview", crowded, func(r *rig) { r.press("down") }},
	{"overview-lively", lively, func(*rig) {}},
	{"sources", crowded, func(r *rig) { r.press("2", "down") }},
	{"sources-add", crowded, func(r *rig) { r.press("2", "a", "notes", "enter") }},
	{"sources-remove", crowded, func(r *rig) {
		r.hub.SetPlan(removal())
		r.press("2", "j", "d")
	}},
	{"logs", crowded, func(r *rig) { r.press("@Logs") }},
	{"logs-wrapped", crowded, func(r *rig) { r.press("@Logs", "v", "w", "pgup") }},
	{"logs-filter", crowded, func(r *rig) { r.press("@Logs", "/", "page") }},
	{"sources-grant", crowded, func(r *rig) { r.press("2", "j", "p", "right", "up", "right") }},
	{"activity", crowded, func(r *rig) { r.press("@Activity", "j") }},
	{"activity-errors", crowded, func(r *rig) { r.press("@Activity", "e", "/", "page") }},
	{"activity-call", crowded, func(r *rig) { r.press("@Activity", "j", "enter") }},
	{"activity-totals", crowded, func(r *rig) { r.press("@Activity", "T") }},
	{"changes-none", crowded, func(r *rig) {
		r.clerk.changes = nil
		r.press("@Changes")
	}},
	{"changes", crowded, func(r *rig) { r.press("@Changes") }},
	{"changes-open", crowded, func(r *rig) { r.press("@Changes", "enter", "j") }},
	{"changes-waiting", asked, func(r *rig) {
		r.hub.SetPlan(deletion())
		r.press("!")
	}},
	{"changes-refuse", asked, func(r *rig) {
		r.hub.SetPlan(deletion())
		r.press("!")
		r.wait(grace)
		r.press("j", "n", "not today")
	}},
	{"asked", asked, func(*rig) {}},
	{"clients", crowded, func(r *rig) { r.press("@Clients", "j", "j") }},
	{"clients-here", lively, func(r *rig) { r.press("@Clients", "j") }},
	{"tools", crowded, func(r *rig) { r.press("@Tools") }},
	{"tools-read", crowded, func(r *rig) { r.press("@Tools", "enter") }},
	{"tools-run", crowded, func(r *rig) { r.press("@Tools", "x", "plan", "tab", "x", "enter") }},
	{"tools-answer", crowded, func(r *rig) { r.press("@Tools", "x", "plan", "enter") }},
	{"tools-delete", crowded, func(r *rig) { r.press("@Tools", "j", "x", "Old", "enter") }},
	{"doctor", crowded, func(r *rig) { r.press("@Doctor", "j", "j") }},
	{"settings", lively, func(r *rig) { r.press("@Settings") }},
	{"settings-edit", crowded, func(r *rig) { r.press("@Settings", "j", "enter", "5m") }},
	{"help", crowded, func(r *rig) { r.press("?", "log") }},
	{"wizard", newcomer, func(r *rig) {
		r.wait(grace)
		r.press("space", "down", "e")
	}},
	{"palette", crowded, func(r *rig) { r.press("ctrl+p", "sour") }},
	{"lost", crowded, func(r *rig) {
		r.hub.SetErr(errors.New("dial /run/user/1000/lectern/control.sock: connection refused"))
		r.hub.End()
		r.wait(time.Second)
	}},
	{"stopped", func() status.Snapshot {
		s := fresh()
		s.Hub = status.Hub{Part: status.Part{Name: "hub", State: status.Stopped}, Config: s.Hub.Config}
		s.Sources, s.Snippets = nil, nil
		return s
	}, func(r *rig) { r.press("j") }},
}

func TestScreens(t *testing.T) {
	for _, c := range screens {
		for _, size := range [][2]int{{40, 12}, {80, 24}, {140, 45}} {
			name := fmt.Sprintf("%s-%dx%d.txt", c.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRigWith(t, c.snap(), busyClerk(), size[0], size[1])
					r.log()
					c.goTo(r)
					golden(t, name, r.screen()+"\n")
				})
			})
		}
	}
}

// log fills the log and waits for it.
func (r *rig) log() {
	for _, l := range lines() {
		r.hub.AddLine(l)
	}
	r.wait(2 * batchTime)
}

// TestColours pins what the styles come to, once for each ground and without
// colours.
func TestColours(t *testing.T) {
	for _, c := range []struct {
		name string
		msg  tea.Msg
	}{
		{"dark", nil},
		{"light", tea.BackgroundColorMsg{Color: ansi.BrightWhite}},
		{"few", tea.ColorProfileMsg{Profile: colorprofile.ANSI}},
		{"bare", tea.ColorProfileMsg{Profile: colorprofile.Ascii}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, crowded(), 80, 24)
				r.send(c.msg)
				r.press("2", "down")
				golden(t, "colours-"+c.name+".txt", strings.ReplaceAll(r.m.View().Content, "\x1b", "␛")+"\n")
			})
		})
	}
}

// TestColoursOfPanes pins them where they mean most: what would be written,
// what failed, what is wrong and what is typed.
func TestColoursOfPanes(t *testing.T) {
	wanted := []string{"overview-lively", "changes-waiting", "activity-errors", "doctor", "tools-run", "settings", "sources-grant", "clients-here"}
	for _, c := range screens {
		if !slices.Contains(wanted, c.name) {
			continue
		}
		for name, bare := range map[string]bool{"dark": false, "bare": true} {
			t.Run(c.name+"-"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRigWith(t, c.snap(), busyClerk(), 80, 24)
					if bare {
						r.send(tea.ColorProfileMsg{Profile: colorprofile.Ascii})
					}
					r.log()
					c.goTo(r)
					golden(t, "colours-"+name+"-"+c.name+".txt", strings.ReplaceAll(r.m.View().Content, "\x1b", "␛")+"\n")
				})
			})
		}
	}
}

// TestEverySizeFits draws every screen at many sizes: as many lines as the
// terminal has, each as wide, down to the smallest and below.
func TestEverySizeFits(t *testing.T) {
	for _, c := range screens {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRigWith(t, c.snap(), busyClerk(), 80, 24)
				r.log()
				c.goTo(r)
				for w := leastWidth; w < 160; w += 13 {
					for h := leastHeight; h < 60; h += 7 {
						r.send(tea.WindowSizeMsg{Width: w, Height: h})
						fits(t, r.m.View().Content, w, h)
					}
				}
				r.send(tea.WindowSizeMsg{Width: 39, Height: 9})
				r.shows("Too small.", "40×10", "39×9")
				for _, size := range [][2]int{{1, 1}, {0, 0}, {5, 200}, {200, 3}} {
					r.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
					_ = r.m.View()
				}
			})
		})
	}
}

func fits(t *testing.T, content string, w, h int) {
	t.Helper()
	rows := strings.Split(content, "\n")
	if len(rows) != h {
		t.Errorf("%d×%d: %d lines", w, h, len(rows))
	}
	for i, row := range rows {
		if n := ansi.StringWidth(row); n != w {
			t.Errorf("%d×%d: line %d is %d wide: %q", w, h, i, n, ansi.Strip(row))
		}
	}
}
