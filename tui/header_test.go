package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// The header of every width says all it says in full, and names all panes
// alike.
func TestHeaderIsEven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, crowded(), 80, 24)
		m, spelled := r.m, map[tabNaming]int{}
		for _, state := range []status.State{status.Ready, status.CrashLoop} {
			for _, waiting := range []int{0, 2, 64} {
				m.snap.Hub.State, m.snap.Approvals = state, make([]status.Approval, waiting)
				for w := minWidth; w <= 200; w++ {
					for m.tabs.current = range m.tabs.all {
						m.w = w
						if wrong := headerProblem(m); wrong != "" {
							t.Fatalf("%d cells, %s, %d waiting: %s\n%s", w, state, waiting, wrong, ansi.Strip(m.header().line(m.w)))
						}
						spelled[m.header().naming]++
					}
				}
			}
		}
		if len(spelled) != 3 {
			t.Errorf("spelled %v, want each way somewhere", spelled)
		}
	})
}

// headerProblem is what is wrong with the header of m; empty: nothing.
func headerProblem(m Model) string {
	h := m.header()
	if got := theme.Width(h.brand + strings.Join(h.tabs, "") + h.status); got > m.w {
		return fmt.Sprintf("%d cells do not fit", got)
	}
	for i, label := range h.tabs {
		want := strings.TrimSpace(fmt.Sprintf("%d %s", i+1, m.tabs.all[i].label(h.naming)))
		if i == m.tabs.current {
			want = fmt.Sprintf("%d %s", i+1, m.tabs.all[i].Name)
		}
		if got := strings.TrimSpace(ansi.Strip(label)); got != want {
			return fmt.Sprintf("%q, want %q", got, want)
		}
	}
	return ""
}

// TestPaneWithoutANumber: a tenth pane is in the header and reached by Tab and
// by the palette, and its own keys are in the help.
func TestPaneWithoutANumber(t *testing.T) {
	panel(t, crowded(), func(r *testPanel) {
		extra := r.m.tabs.all[1]
		extra.Kind.Name, extra.Kind.Short = "Library", "Lib"
		r.m.tabs.all = append(slices.Clone(r.m.tabs.all), extra)
		for w := minWidth; w <= 200; w++ {
			r.m.w = w
			if got := theme.Width(r.m.header().line(w)); got != w {
				t.Errorf("the header has %d cells, want %d: %s", got, w, ansi.Strip(r.m.header().line(w)))
			}
		}
		r.m.w = 120
		r.press("shift+tab")
		r.shows("· Library", "agents can")
		r.press("1", "ctrl+p", "library", "enter")
		r.shows("· Library", "agents can")
	})
}

// What begins or ends to wait, is paused or is allowed moves no tab, and takes the
// name from none.
func TestTabsStayWhereTheyAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newTestPanel(t, nextCrowded(), 80, 24).m
		quiet := m.snap
		for w := minWidth; w <= 200; w++ {
			for m.tabs.current = range m.tabs.all {
				m.w, m.snap = w, quiet
				before := m.header()
				for _, waiting := range []int{1, 12} {
					m.snap.Approvals = make([]status.Approval, waiting)
					m.snap.Hub.WritesPaused, m.snap.Permits = noon, []status.Permit{{Until: noon.Add(time.Minute)}}
					if now := m.header(); now.naming != before.naming || !slices.Equal(now.tabs, before.tabs) || now.brand != before.brand {
						t.Fatalf("%d cells: the tabs move:\n%s\n%s", w, ansi.Strip(before.line(w)), ansi.Strip(now.line(w)))
					} else if !strings.Contains(ansi.Strip(now.status), fmt.Sprint(waiting)) || w >= 60 && !strings.Contains(ansi.Strip(now.status), "paused") {
						t.Fatalf("%d cells: the header leaves out what waits: %s", w, ansi.Strip(now.line(w)))
					}
				}
			}
		}
		m.w, m.snap = 80, quiet
		if m.header().naming != shortTabs {
			t.Error("at 80 columns the tabs have no names")
		}
	})
}

// The header says what is wrong or paused instead of that the hub is ready, at every width from
// 80 columns on.
func TestHeaderSaysWhatIsNotReady(t *testing.T) {
	ready := lively()
	ready.Hub.State, ready.Approvals, ready.Permits, ready.Problems = status.Ready, nil, nil, nil
	ready.Sources, ready.Sessions = slices.Clone(ready.Sources), slices.Clone(ready.Sessions)
	for i := range ready.Sources {
		ready.Sources[i].State = status.Ready
	}
	for name, c := range map[string]struct {
		change        func(s *status.Snapshot)
		narrow, wider string
	}{
		"nothing":        {func(*status.Snapshot) {}, "● ready", "● ready"},
		"a source":       {func(s *status.Snapshot) { s.Sources[0].State = status.Failed }, "✗ 1 failed", "✗ 1 source failed"},
		"an agent":       {func(s *status.Snapshot) { s.Sessions[0].Client, s.Sessions[0].WritesPaused = "codex", noon }, "‖ 1 paused", "‖ codex paused"},
		"writes":         {func(s *status.Snapshot) { s.Hub.WritesPaused, s.Sessions[0].WritesPaused = noon, noon }, "writes paused", "writes paused"},
		"the hub itself": {func(s *status.Snapshot) { s.Hub.State, s.Sources[0].State = status.Degraded, status.Failed }, "▲ degraded", "▲ degraded"},
		"an agent that left": {func(s *status.Snapshot) {
			s.Problems = []status.Problem{{Action: &status.Action{Verb: status.ResumeWrites, Target: "a-name-that-is-long"}}}
		}, "‖ 1 paused", "‖ a-name-that-is-… paused"},
		"two agents": {func(s *status.Snapshot) {
			s.Sessions[0].Client, s.Sessions[0].WritesPaused = "codex", noon
			s.Problems = []status.Problem{{Action: &status.Action{Verb: status.ResumeWrites, Target: "zed"}}, {Action: &status.Action{Verb: status.ResumeWrites, Target: "CODEX"}}}
		}, "‖ 2 paused", "‖ 2 agents paused"},
	} {
		s := ready
		s.Sources, s.Sessions = slices.Clone(ready.Sources), slices.Clone(ready.Sessions)
		c.change(&s)
		for w, want := range map[int]string{80: c.narrow, 140: c.wider} {
			synctest.Test(t, func(t *testing.T) {
				m := newTestPanel(t, s, w, 24).m
				if got := strings.TrimSpace(ansi.Strip(m.header().status)); got != want {
					t.Errorf("%s, %d columns: %q, want %q", name, w, got, want)
				}
			})
		}
	}
}
