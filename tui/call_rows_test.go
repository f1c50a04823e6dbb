package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// observe has the panel learn of a call.
func observe(r *testPanel, c status.Call) {
	r.queries.calls <- c
	r.wait(time.Second)
}

// A call under way says what it is about as soon as that is known, in Activity and on the Overview;
// one that waits for the person stands on the Overview among what waits.
func TestRunningCallsNameTheirTargets(t *testing.T) {
	s := busyNow()
	s.Running[0].Targets, s.Running[1].Targets = []string{"Reports/", "Reports/Week.md"}, []string{"Agents/Plan.md"}
	runPanel(t, s, func(r *testPanel) {
		r.start(140, 45)
		r.wait(time.Second)
		for _, want := range []string{"1m 5s", "run_script", "Week.md +1", " in notes", "under way"} {
			if line := lineOf(t, r, "◌"); !strings.Contains(line, want) {
				t.Errorf("Live has not %q: %s", want, line)
			}
		}
		r.hides("Agents/Plan.md")
		r.press("@Activity")
		r.shows("? write_page   3.0 s Agents/Plan.md ")
		if line := lineOf(t, r, "◌"); !strings.Contains(line, "Reports/Week.md +1") {
			t.Errorf("Activity says %s", line)
		}
		r.press("k", "k", "enter")
		r.shows("targets   Reports/", "Reports/Week.md", "d cancels it")
		r.press("esc", "/", "target:plan", "enter")
		r.shows("3.0 s Agents/Plan.md", "1 under way")
		r.hides("◌ run_script")
		r.start(80, 24)
		r.shows("waits: Agents/Plan.md")
	})
}

// The time of a call under way goes on by itself.
func TestRunningCallsHaveAClock(t *testing.T) {
	for _, name := range []string{"Overview", "Activity"} {
		runPanel(t, busyNow(), func(r *testPanel) {
			r.start(140, 45)
			r.press("@" + name)
			r.shows("1m 4s")
			r.wait(3500 * time.Millisecond)
			r.shows("1m 7s")
		})
	}
}

// A search says how many results it had, and its words as long as the hub that ran it has them.
func TestSearchesSayWhatTheyFound(t *testing.T) {
	eleven, none := 11, 0
	runPanel(t, nothingWaits(lively()), func(r *testPanel) {
		r.start(140, 45)
		observe(r, status.Call{Seq: 41, Time: noon, Client: "codex", Source: "notes", Tool: "search_pages", Effect: "read", Found: &eleven, Words: `say "ah"`, ResponseBytes: 9})
		observe(r, status.Call{Seq: 42, Time: noon, Client: "codex", Source: "notes", Tool: "search_none", Effect: "read", Found: &none, ResponseBytes: 9})
		observe(r, status.Call{Seq: 43, Time: noon, Client: "codex", Source: "notes", Tool: "search_many", Effect: "read", Found: &eleven, FoundTotal: 3400, ResponseBytes: 9})
		if line := lineOf(t, r, `search_pages "say \"ah\"" in notes`); !strings.Contains(line, "11 found") {
			t.Errorf("Live says %s", line)
		}
		if line := lineOf(t, r, "search_none in notes"); !strings.Contains(line, "0 found") {
			t.Errorf("Live says %s", line)
		}
		r.press("@Activity")
		r.shows(`11 found: "say`, "0 found", "11 of 3,400 found", "found     11 of 3,400 results")
		r.press("j", "j", "enter")
		r.shows("found     11 results", `searched  "say \"ah\""`)
	})
}

// A row says that a person had something else written, in Activity and in Changes, and what was left
// out.
func TestRowsSayWhatWasLeftOut(t *testing.T) {
	for edit, want := range map[status.PersonEdit][2]string{
		{Edited: true, Hunks: 5, LeftOut: 2}: {"2 of 5 hunks left out", "you left out 2 of the 5 hunks"},
		{Edited: true}:                       {"edited by you", "you changed what the agent asked for"},
		{}:                                   {},
	} {
		synctest.Test(t, func(t *testing.T) {
			queries := filledQueries()
			queries.changes[0].PersonEdit = edit
			r := newTestPanelWith(t, crowded(), queries, 140, 45)
			observe(r, status.Call{
				Seq: 41, Time: noon, Client: "codex", Source: "notes", Tool: "write_page", Effect: "write", Changes: []string{"c9"}, Targets: []string{"Home.md"}, PersonEdit: edit,
			})
			if line := lineOf(t, r, "write_page"); !strings.Contains(line, want[0]) || want[0] == "" && !strings.Contains(line, "written") {
				t.Errorf("%+v, Live: %s", edit, line)
			}
			r.press("@Activity")
			if line := lineOf(t, r, "● write_page"); !strings.Contains(line, want[0]) || want[0] == "" && strings.Contains(line, "edited by") {
				t.Errorf("%+v, Activity: %s", edit, line)
			}
			r.press("@Changes")
			if line := lineOf(t, r, "● 11:59        update"); !strings.Contains(line, want[0]) || want[0] == "" && strings.Contains(line, "edited by") {
				t.Errorf("%+v, Changes: %s", edit, line)
			}
			r.shows(want[1])
		})
	}
}

// The rows of what happens and of what waits have their source and their time also where there are
// fewer than ninety cells.
func TestNarrowRowsSayWhereAndHowLong(t *testing.T) {
	for _, w := range []int{64, 72, 80, 90, 100} {
		synctest.Test(t, func(t *testing.T) {
			s := asked()
			s.Approvals[0].Since, s.Approvals[0].Until = noon.Add(-30*time.Second), noon.Add(31*time.Second)
			r := newTestPanelWith(t, s, filledQueries(), w, 24)
			r.wait(time.Second)
			if line := lineOf(t, r, "edit_page"); !strings.Contains(line, " in n") {
				t.Errorf("%d cells, a call: %s", w, line)
			}
			if line := lineOf(t, r, "▲ claude-c"); !strings.Contains(line, "█") || !strings.Contains(line, "░") || !strings.Contains(line, "30 s") {
				t.Errorf("%d cells, what waits: %s", w, line)
			}
		})
	}
}

// Sources are sorted by what a person asks for, behind those that do not work, and the selected one
// stays selected.
func TestSourcesAreSorted(t *testing.T) {
	s := crowded()
	s.Sources = slices.Clone(s.Sources)
	for i := range s.Sources {
		s.Sources[i].State, s.Sources[i].Calls = status.Ready, uint64(i)
	}
	s.Sources[1].State = status.Failed
	order := func(r *testPanel) (names []string) {
		for line := range strings.SplitSeq(r.screen(), "\n") {
			for _, one := range s.Sources {
				if strings.Contains(line, one.Name+" ") && strings.Contains(line, string(one.State)) && strings.Contains(line, one.Kind+" ") {
					names = append(names, one.Name)
				}
			}
		}
		return names
	}
	runPanel(t, s, func(r *testPanel) {
		r.start(80, 24)
		r.press("@Sources/" + s.Sources[2].Name)
		first := order(r)
		r.press("s")
		r.shows("most calls first")
		byCalls := []string{s.Sources[1].Name}
		for i, one := range slices.Backward(s.Sources) {
			if i != 1 {
				byCalls = append(byCalls, one.Name)
			}
		}
		if got := order(r); !slices.Equal(got, byCalls) {
			t.Errorf("by calls: %q, want %q", got, byCalls)
		}
		r.press("s")
		r.shows("by kind")
		r.press("s")
		if got := order(r); !slices.Equal(got, first) {
			t.Errorf("as before: %q, want %q", got, first)
		}
		r.press("o") // the log of the one that was selected at first
		r.shows("component " + s.Sources[2].Name)
	})
}

// Long lists say where in them a person is, and have a scroll bar.
func TestLongListsSayWhere(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.start(80, 24)
		r.wait(time.Second)
		r.press("@Activity")
		r.hides(" of 40")
		r.press("j", "j")
		r.shows("3 of 40", "▐", "▕")
		for i := range 100 {
			r.hub.AddLine(status.Line{Time: noon, Component: "hub", Text: fmt.Sprintf("line %d", i)})
		}
		r.wait(time.Second)
		r.press("@Logs")
		r.hides(", from ")
		r.press("g")
		r.shows(", from 1", "▐", "▕")
	})
}
