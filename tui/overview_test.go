package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
)

func TestOverviewShowsTraffic(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.send(tea.WindowSizeMsg{Width: 140, Height: 45})
		r.wait(2 * batchTime)
		r.shows("Traffic", "5 minutes to 12:00:00", "0.1/s, 4 failed", "max 205")
		quiet := nextCrowded()
		quiet.Time = noon.Add(time.Hour)
		r.hub.Set(quiet)
		r.settle()
		r.shows("5 minutes to 13:00:00", "0.0/s")
	})
}

func TestOverviewSaysWhyALightIsDark(t *testing.T) {
	all := []string{
		"pages.list", "pages.read", "pages.create", "pages.update", "pages.delete", "search.basic",
		"blocks.read", "blocks.create", "blocks.update", "blocks.delete", "blocks.move", "datascript.query",
	}
	without := func(key string) []string {
		var rest []string
		for _, k := range all {
			if k != key {
				rest = append(rest, k)
			}
		}
		return rest
	}
	for _, c := range []struct {
		name string
		can  []string
		want string
	}{
		{"hidden pages", without("datascript.query"), "query: the plugin hides pages or tags"},
		{"old Logseq", without("blocks.move"), "move blocks: this Logseq (0.10.14) does not support this"},
		{"read-only", []string{"pages.list", "pages.read", "search.basic", "blocks.read", "datascript.query"}, "7 unavailable: the plugin is set to read-only"},
		{"silent", nil, "12 unavailable: the plugin has not reported its capabilities"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := lively()
			s.Approvals, s.Problems, s.Peers[0].Capabilities = nil, nil, c.can
			panel(t, s, func(r *testPanel) {
				r.send(tea.WindowSizeMsg{Width: 140, Height: 45})
				r.shows("会議", "file graph · websocket · 3 ms", c.want)
			})
		})
	}
	s := lively()
	s.Approvals, s.Problems, s.Peers[0].Capabilities = nil, nil, all
	s.Update.Steps = nil
	panel(t, s, func(r *testPanel) {
		r.send(tea.WindowSizeMsg{Width: 140, Height: 45})
		r.shows("● move blocks")
		r.hides("○")
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
