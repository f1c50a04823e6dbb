package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

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

// The first panel on a machine proposes what it found, shows what that changes, does
// it when a person says yes, and waits for the first call.
func TestWizard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, newcomer(), 80, 24)
		r.shows("Welcome · 1 of 2", "[x] garden  /home/ada/Documents/Garden", "Obsidian knows it", "[x] work")
		r.press("enter") // meant for what was there before
		r.shows("1 of 2")
		r.wait(keyIgnoreDuration)
		r.press("down", "e", "enter")
		r.shows("2 of 2", "[x] Cursor")
		r.hides("Zed")
		r.hides("Codex")
		r.hub.SetPlan(status.Plan{Steps: []status.Step{{Description: "edit a file"}}, Risks: []string{"the sample goes"}})
		r.press("enter")
		r.shows("Set up Lectern?", "edit a file")
		if said := strings.Count(r.screen(), "the sample goes"); said != 1 {
			t.Errorf("what all steps have in common is said %d times", said)
		}
		r.did()
		r.confirm()
		r.did(
			status.Action{Verb: status.AddSource, Source: &status.NewSource{Name: "garden", Kind: "markdown", Location: "/home/ada/Documents/Garden"}},
			status.Action{Verb: status.AddSource, Source: &status.NewSource{Name: "work", Kind: "markdown", Location: "/home/ada/graphs/work", ReadOnly: true}},
			status.Action{Verb: status.Install, Target: "client/cursor"},
		)
		r.shows("Waiting for the first call", "start a new session of Cursor", "List the pages of garden with lectern", "◐ Cursor  waiting for it to connect", "done: opened garden, work; connected Cursor.")
	})
}

// Of several claims to one folder the likeliest is proposed, and nothing that a
// person has to look at first.
func TestWizardProposesWhatIsClear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newcomer()
		s.Discovered = append(s.Discovered, status.Discovered{Kind: "org", Name: "work-org", Location: "/home/ada/graphs/work", Reason: "it has .org files"})
		s.Installations = append(s.Installations,
			status.Installation{ID: "client/gemini-cli", Title: "Gemini", Detected: true, State: status.Degraded, Condition: "broken", File: "/home/ada/.gemini/settings.json"},
			status.Installation{ID: "client/amp", Title: "Amp", Detected: true, State: status.Degraded, Condition: "outdated", File: "/home/ada/.config/amp/settings.json"})
		r := newTestPanel(t, s, 100, 40)
		r.wait(keyIgnoreDuration)
		r.shows("[x] garden", "[x] work", "[ ] work-org")
		r.press("enter")
		r.shows("[x] Cursor", "[ ] Gemini", "[x] Amp")
	})
}

// Who connects no client is told so, and not to start one.
func TestWizardWithoutAClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, ready := range []bool{false, true} {
			s, want := newcomer(), "done: opened garden, work. No client is connected yet: ctrl+s connects one"
			if !ready {
				s.Installations = s.Installations[:2]
			} else {
				want = "done: opened garden, work. Codex can use it."
			}
			r := newTestPanel(t, s, 120, 40)
			r.wait(keyIgnoreDuration)
			r.press("enter", "space", "enter")
			r.confirm()
			r.shows(want)
			r.hides("Waiting for")
		}
	})
}

// After the wizard the panel shows live what each client does first. A call of who
// only claims the name, an earlier one, and one that failed are not it.
func TestFirstCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newcomer()
		s.Installations = append(s.Installations, status.Installation{ID: "client/amp", Title: "Amp", Detected: true, State: status.Stopped})
		r := newTestPanel(t, s, 100, 30)
		r.wait(keyIgnoreDuration)
		r.press("enter", "enter")
		r.confirm()
		r.wait(keyIgnoreDuration)
		r.shows("start a new session of one of them", "◐ Cursor  waiting for it to connect", "◐ Amp     waiting for it to connect")

		call := func(c status.Call) {
			c.Source, c.Tool = "garden", "list_pages"
			r.queries.calls <- c
			r.wait(time.Second)
		}
		call(status.Call{Time: noon.Add(-time.Hour), Client: "cursor", Proven: true})
		call(status.Call{Time: noon.Add(time.Hour), Client: "cursor"})
		call(status.Call{Time: noon.Add(time.Hour), Client: "cursor", Proven: true, Event: status.AgentConnected})
		r.hides("called")

		s.Seq, s.Sessions = 2, []status.Session{{Component: status.Component{Name: "s7", State: status.Ready}, Client: "cursor", Proven: true}}
		s.Installations[0].State, s.Installations[0].Note = status.Ready, "Restart Cursor."
		r.hub.Set(s)
		r.settle()
		r.shows("◐ Cursor  connected; waiting for its first call", "Restart Cursor.")
		call(status.Call{Time: noon.Add(time.Hour), Client: "cursor", Proven: true, Code: "denied", Message: "it is not granted"})
		r.shows("▲ Cursor  list_pages in garden failed: it is not granted")
		call(status.Call{Time: noon.Add(time.Hour), Client: "cursor", Proven: true})
		r.shows("● Cursor  called list_pages in garden", "Waiting for the first call")
		r.hides("Restart Cursor.")
		r.press("c")
		if len(r.copied) != 1 || r.copied[0] != "List the pages of garden with lectern, and tell me what they are about." {
			t.Errorf("copied %q", r.copied)
		}

		r.press("esc")
		r.hides("Waiting for the first call")
		call(status.Call{Time: noon.Add(time.Hour), Client: "amp", Proven: true})
		r.shows("Amp has made its first call: list_pages in garden.")
	})
}

// A screen reader hears the first call without a key.
func TestFirstCallIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newHeardPanel(t, newcomer())
		l.wait(keyIgnoreDuration)
		l.press("enter", "enter")
		l.confirm()
		l.wait(keyIgnoreDuration)
		if heard := l.since(); !strings.Contains(heard, "Cursor waiting for it to connect") {
			t.Errorf("heard %q", heard)
		}
		l.queries.calls <- status.Call{Time: noon.Add(time.Hour), Client: "cursor", Proven: true, Source: "garden", Tool: "list_pages"}
		l.wait(time.Second)
		if heard := l.since(); !strings.Contains(heard, "Cursor called list_pages in garden") {
			t.Errorf("heard %q", heard)
		}
	})
}

// With several sources the wizard asks which of them a client sees.
func TestWizardAsksForSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, newcomer(), 80, 24)
		r.wait(keyIgnoreDuration)
		r.press("down", "space", "enter")
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
		r.wait(keyIgnoreDuration)
		r.press("enter")
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
		r.wait(keyIgnoreDuration)
		r.press("down", "down", "space", "enter", "e", "space", "enter")
		r.shows("sees all sources")
		r.hub.SetPlan(status.Plan{Steps: []status.Step{{Description: "edit a file"}}})
		r.press("enter")
		r.confirm()
		if all := r.hub.Actions(); all[len(all)-1].Sources != "all" {
			t.Errorf("done %+v", all)
		}
	})
}

// What is not a folder on this machine is added by the keys of its kind, and a folder
// that was not found by its path.
func TestWizardAddsAKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newcomer()
		s.Discovered = nil
		r := newTestPanel(t, s, 100, 40)
		r.wait(keyIgnoreDuration)
		r.shows("No notes were found on this machine.")
		r.press("down", "down", "space")
		r.shows("Logseq", "graph")
		r.press("Work", "esc")
		r.hides("[x]")
		r.press("space", "Work", "enter")
		r.shows("[x] Logseq  graph=Work", "agents read and run, ask to write or delete")
		r.press("up", "up", "space")
		r.send(tea.PasteMsg{Content: "~/Docu\n"})
		r.press("tab", "G", "tab", "enter")
		r.shows("[x] Another folder  ~/Documents/Garden")
		r.press("enter", "enter")
		r.hub.SetPlan(status.Plan{Steps: []status.Step{{Description: "edit a file"}}})
		r.confirm()
		r.did(
			status.Action{Verb: status.AddSource, Source: &status.NewSource{Location: "~/Documents/Garden"}},
			status.Action{Verb: status.AddSource, Source: &status.NewSource{Kind: "logseq", Keys: map[string]string{"graph": "Work"}}},
			status.Action{Verb: status.Install, Target: "client/cursor"},
		)
		r.shows("done: opened ~/Documents/Garden, logseq; connected Cursor.")
	})
}

// No one is asked twice, nor when there is nothing to ask; ctrl+s asks again.
func TestWizardComesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, newcomer(), 80, 24)
		r.wait(keyIgnoreDuration)
		r.press("esc")
		r.hides("Welcome")
		s := newcomer()
		s.Seq = 2
		r.hub.Set(s)
		r.settle()
		r.hides("Welcome ·")
		r.press("ctrl+s", "space", "down", "space", "enter", "space", "enter")
		r.shows("Nothing selected")
		r.did()

		newTestPanel(t, fresh(), 80, 24).hides("Welcome ·")
		own := newcomer()
		own.Sources[0].Sample = false
		newTestPanel(t, own, 80, 24).hides("Welcome ·")
	})
}
