package tui

import (
	"testing"
	"testing/synctest"

	"github.com/lectern-mcp/lectern/status"
)

// newcomer is a machine with notes and programs, and no source yet.
func newcomer() status.Snapshot {
	s := fresh()
	s.Discovered = []status.Discovered{
		{Kind: "markdown", Name: "garden", Location: "/home/ada/Documents/Garden", Reason: "Obsidian knows it"},
		{Kind: "markdown", Name: "work", Location: "/home/ada/graphs/work", Reason: "Logseq has opened it"},
	}
	s.Installations = []status.Installation{
		{ID: "client/cursor", Title: "Cursor", Detected: true, State: status.Stopped, File: "/home/ada/.cursor/mcp.json"},
		{ID: "client/zed", Title: "Zed", State: status.Stopped},
		{ID: "client/codex", Title: "Codex", Detected: true, State: status.Ready},
		{ID: "service", Title: "At login", Detected: true, State: status.Stopped},
	}
	return s
}

// The first panel on a machine asks what to open and to whom, shows what that
// changes, and does it when a person says yes.
func TestWizard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, newcomer(), 80, 24)
		r.shows("Welcome · 1 of 2", "garden  /home/ada/Documents/Garden", "Obsidian knows it")
		r.press("enter") // meant for what was there before
		r.shows("1 of 2")
		r.wait(keyGrace)
		r.press("space", "down", "space", "e", "up", "space", "space", "enter")
		r.shows("2 of 2", "[x] Cursor")
		r.hides("Zed")
		r.hides("Codex")
		r.hub.SetPlan(status.Plan{Steps: []status.Step{{Description: "edit a file"}}})
		r.press("enter")
		r.shows("Set up Lectern?", "edit a file")
		r.did()
		r.confirm()
		r.did(
			status.Action{Verb: status.AddSource, Source: &status.NewSource{Name: "garden", Kind: "markdown", Location: "/home/ada/Documents/Garden"}},
			status.Action{Verb: status.AddSource, Source: &status.NewSource{Name: "work", Kind: "markdown", Location: "/home/ada/graphs/work", ReadOnly: true}},
			status.Action{Verb: status.Install, Target: "client/cursor"},
		)
		r.shows("done: 3 steps")
	})
}

// With several sources the wizard asks which of them a client sees.
func TestWizardAsksForSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, newcomer(), 80, 24)
		r.wait(keyGrace)
		r.press("space", "enter")
		r.hides("sees all sources")
		r.press("esc", "down", "space", "enter")
		r.shows("[x] Cursor", "sees all sources", "which sources")
		r.press("e")
		r.shows("Which sources does Cursor see?", "[x] garden", "[x] work")
		r.press("space", "down", "space", "enter")
		r.shows("Select at least one.")
		r.press("space", "enter")
		r.shows("sees only work")
		r.press("e", "esc")
		r.shows("sees only work")
		r.hub.SetPlan(status.Plan{Steps: []status.Step{{Description: "edit a file"}}})
		r.press("enter")
		r.confirm()
		r.did(
			status.Action{Verb: status.AddSource, Source: &status.NewSource{Name: "garden", Kind: "markdown", Location: "/home/ada/Documents/Garden"}},
			status.Action{Verb: status.AddSource, Source: &status.NewSource{Name: "work", Kind: "markdown", Location: "/home/ada/graphs/work"}},
			status.Action{Verb: status.Install, Target: "client/cursor", Sources: "work"},
		)
	})
}

// A client may see several sources and not all; what it saw before is where the
// choice begins.
func TestWizardOffersSeveralSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newcomer()
		s.Discovered = append(s.Discovered, status.Discovered{Kind: "org", Name: "agenda", Location: "/home/ada/org", Reason: "Emacs names it"})
		s.Installations[0].Sources = "work"
		r := newTestPanel(t, s, 100, 40)
		r.wait(keyGrace)
		r.press("space", "down", "space", "down", "space", "enter")
		r.shows("sees only work")
		r.press("e")
		r.shows("[ ] garden", "[x] work", "[ ] agenda")
		r.press("down", "down", "space", "enter")
		r.shows("sees only work, agenda")
		r.hub.SetPlan(status.Plan{Steps: []status.Step{{Description: "edit a file"}}})
		r.press("enter")
		r.confirm()
		if all := r.hub.Actions(); all[len(all)-1].Sources != "work,agenda" {
			t.Errorf("done %+v", all)
		}

		r = newTestPanel(t, s, 100, 40)
		r.wait(keyGrace)
		r.press("space", "down", "space", "enter", "e", "space", "enter")
		r.shows("sees all sources")
		r.hub.SetPlan(status.Plan{Steps: []status.Step{{Description: "edit a file"}}})
		r.press("enter")
		r.confirm()
		if all := r.hub.Actions(); all[len(all)-1].Sources != "all" {
			t.Errorf("done %+v", all)
		}
	})
}

// What is not a folder on this machine is added by the keys of its kind.
func TestWizardAddsAKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, newcomer(), 100, 40)
		r.wait(keyGrace)
		r.press("down", "down", "down", "space")
		r.shows("Logseq", "graph")
		r.press("Work", "esc")
		r.hides("[x]")
		r.press("space", "Work", "enter")
		r.shows("[x] Logseq  graph=Work", "agents read and run, ask to write or delete")
		r.press("enter", "enter")
		r.hub.SetPlan(status.Plan{Steps: []status.Step{{Description: "edit a file"}}})
		r.confirm()
		ask := status.Action{Verb: status.AddSource, Source: &status.NewSource{Kind: "logseq", Keys: map[string]string{"graph": "Work"}}}
		r.did(ask, status.Action{Verb: status.Install, Target: "client/cursor"})
	})
}

// No one is asked twice, nor when there is nothing to ask; ctrl+s asks again.
func TestWizardComesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, newcomer(), 80, 24)
		r.wait(keyGrace)
		r.press("esc")
		r.hides("Welcome")
		s := newcomer()
		s.Seq = 2
		r.hub.Set(s)
		r.settle()
		r.hides("Welcome ·")
		r.press("ctrl+s", "enter", "space", "enter")
		r.shows("Nothing selected")
		r.did()

		newTestPanel(t, fresh(), 80, 24).hides("Welcome ·")
		own := newcomer()
		own.Sources[0].Sample = false
		newTestPanel(t, own, 80, 24).hides("Welcome ·")
	})
}
