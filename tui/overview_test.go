package tui

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
)

func TestOverviewShowsTraffic(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.send(tea.WindowSizeMsg{Width: 140, Height: 45})
		r.wait(2 * batchWindow)
		r.shows("Traffic", "5 minutes to 12:00:00", "0.1/s, 4 failed", "max 205")
		quiet := nextCrowded()
		quiet.Time = noon.Add(time.Hour)
		r.hub.Set(quiet)
		r.settle()
		r.shows("5 minutes to 13:00:00", "0.0/s")
	})
}

// Agents that left are named: nobody is told how the first one gets in once one has
// been there.
func TestOverviewNamesAgentsThatLeft(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.queries.agents = []status.Agent{{Client: "aider", Proven: true, LastSeen: noon.Add(-time.Hour)}}
		empty := nextCrowded()
		empty.Sessions = nil
		r.hub.Set(empty)
		r.settle()
		r.shows("aider", "left, last seen 11:00")
		r.hides("No agents yet")
	})
}

func TestOverviewSaysWhyALightIsDark(t *testing.T) {
	const old = "this application (0.10.14) does not support it"
	for _, c := range []struct {
		name string
		can  []status.Capability
		want string
	}{
		{"one", capabilities(old, slices.DeleteFunc(allTitles(), func(s string) bool { return s == "move blocks" })...), "move blocks: " + old},
		{"many", capabilities("read-only", "list pages", "read pages", "search", "read blocks", "query"), "7 unavailable: read-only"},
		{"all", capabilities("nothing was reported"), "12 unavailable: nothing was reported"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := lively()
			s.Approvals, s.Problems, s.Peers[0].Capabilities = nil, nil, c.can
			panel(t, s, func(r *testPanel) {
				r.send(tea.WindowSizeMsg{Width: 160, Height: 45})
				r.shows("会議", "websocket · 3 ms", "Logseq 0.10.14 · plugin 0.1.0", c.want)
			})
		})
	}
	s := lively()
	s.Approvals, s.Problems, s.Peers[0].Capabilities = nil, nil, capabilities("", allTitles()...)
	s.Update.Steps = nil
	panel(t, s, func(r *testPanel) {
		r.send(tea.WindowSizeMsg{Width: 140, Height: 45})
		r.shows("● move blocks")
		r.hides("○")
	})
}

// allTitles are the titles of the fake peer's capabilities.
func allTitles() (titles []string) {
	for _, c := range capabilities("") {
		titles = append(titles, c.Title)
	}
	return titles
}

// There is a section for each application that is connected or needed.
func TestOverviewNamesApplications(t *testing.T) {
	s := lively()
	s.Approvals, s.Problems = nil, nil
	s.Sources[0].Application = "Zettlr"
	panel(t, s, func(r *testPanel) {
		r.send(tea.WindowSizeMsg{Width: 140, Height: 60})
		r.shows("Zettlr", "Not connected. Open Zettlr with the Lectern plugin", "Logseq", "Logseq 0.10.14")
	})
	s.Peers = nil
	for i := range s.Sources {
		s.Sources[i].Application = ""
	}
	panel(t, s, func(r *testPanel) {
		r.send(tea.WindowSizeMsg{Width: 140, Height: 60})
		r.hides("Not connected")
	})
}

func TestUpdateKey(t *testing.T) {
	panel(t, lively(), func(r *testPanel) {
		r.send(tea.WindowSizeMsg{Width: 140, Height: 45})
		r.shows("● Find the release", "◐ Download", "4.2 MB of 10.5 MB, 878.9 KB/s")
		r.hub.SetPlan(status.Plan{Title: "Install 0.2.0"})
		r.press("i")
		r.shows("Install 0.2.0?")
		r.confirm()
		r.did(status.Action{Verb: status.InstallUpdate})
		held := lively()
		held.Seq, held.Update.Note, held.Update.URL = 0, "apt looks after Lectern.", "https://lectern.example/get"
		held.Update.Steps = held.Update.Steps[:1]
		r.hub.Set(held)
		r.settle()
		r.hides("Find the release")
		r.press("i")
		r.shows("Cannot update from here: apt looks after Lectern.")
		held.Seq, held.Update = 0, status.Update{}
		r.hub.Set(held)
		r.settle()
		r.press("i")
		r.did(status.Action{Verb: status.InstallUpdate}, status.Action{Verb: status.CheckUpdate})
	})
}

// A client that calls itself nothing, or blanks, is said to have no name: its version
// is none.
func TestBlankNamesAreSaid(t *testing.T) {
	for _, blank := range []string{"", "   "} {
		runPanel(t, nextCrowded(), func(r *testPanel) {
			s := nextCrowded()
			s.Sessions = []status.Session{{Component: status.Component{Name: "9", State: status.Ready}, Client: blank, Version: "1.0", Transport: status.Stdio}}
			r.hub.Set(s)
			r.settle()
			r.shows("(no name) 1.0")
			r.press("@Clients")
			r.shows("(no name) 1.0")
		})
	}
}

// As long as it is not known who has been here, nobody is said not to have been.
func TestOverviewWaitsForTheAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fresh()
		r, conf := newStoppedPanel(t, s, newFakeQueries())
		m := New(conf).showSnapshot(s)
		r.m = m
		if got := r.screen(); strings.Contains(got, "No agents yet") || !strings.Contains(got, "Looking for known agents") {
			t.Errorf("before the answer:\n%s", got)
		}
		m.fx.cancel()
	})
	synctest.Test(t, func(t *testing.T) {
		newTestPanel(t, fresh(), 80, 24).shows("No agents yet. Paste the snippet into a client.")
	})
}

// What agents may do is named, effect by effect.
func TestSourcesNameEffects(t *testing.T) {
	runPanel(t, nextCrowded(), func(r *testPanel) {
		r.press("@Sources")
		r.shows("read, write, delete", "read…admin")
		r.hides("read +")
	})
}
