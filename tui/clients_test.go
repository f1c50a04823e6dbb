package tui

import (
	"slices"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

func TestClientsPutsInAndTakesOut(t *testing.T) {
	runPanel(t, lively(), func(r *testPanel) {
		r.hub.SetPlan(status.Plan{Title: "Put Lectern into Cursor", Steps: []status.Step{{Description: "edit mcp.json", Diff: "+lectern"}}})
		r.press("@Clients/Claude Code")
		r.shows("Connect Claude Code", "● connected", "/home/ada/.claude.json", "X uninstalls Lectern")
		r.press("i")
		r.shows("Lectern is installed in Claude Code already; nothing changes.")
		r.press("@Clients/Cursor")
		r.shows("▲ outdated", "it starts another lectern", "i repairs it", "or manually:")
		r.press("i")
		r.shows("Put Lectern into Cursor?", "+lectern")
		r.confirm()
		r.press("X")
		r.confirm()
		r.press("@Clients/Logseq plugin")
		r.shows("Connect Logseq plugin", "○ not there")
		r.press("X")
		r.shows("Lectern is not installed in Logseq plugin.")
		r.press("c")
		r.shows("This client needs no snippet. Press i to install Lectern.")
		r.press("G", "enter", "@Clients/Codex") // those that were not found are folded
		r.shows("Connect Codex")
		r.press("i")
		r.shows("This client has no configuration file")
		r.press("esc", "/", "amp", "enter")
		r.shows("Connect Amp", "not found on this machine")
		r.did(status.Action{Verb: status.Install, Target: "client/cursor"}, status.Action{Verb: status.Uninstall, Target: "client/cursor"})
	})
}

// A client says when it was last there, what it sees, and what that costs.
func TestClientsShowUsage(t *testing.T) {
	s := lively()
	s.Installations[0].Bytes = 6200
	s.Sessions[0].Proven = false // a name that is only claimed is not the client
	runPanel(t, s, func(r *testPanel) {
		r.press("@Clients/Claude Code")
		r.shows("not connected yet · sees all sources · 6 KB of")
		s.Seq = 0
		s.Installations = slices.Clone(s.Installations)
		s.Installations[0].Bytes, s.Installations[0].Sources, s.Installations[0].LastSeen = 30<<10, "notes,work", s.Time
		r.hub.Set(s)
		r.settle()
		r.shows("last seen", "sees notes,work", "30 KB of", "give it fewer")
		s.Seq = 0
		s.Sessions = slices.Clone(s.Sessions)
		s.Sessions[0].Proven = true
		r.hub.Set(s)
		r.settle()
		r.shows("connected now · sees notes,work")
	})
}

func TestClientsKeepsItsSelection(t *testing.T) {
	runPanel(t, lively(), func(r *testPanel) {
		r.press("@Clients/Cursor")
		r.shows("Connect Cursor")
		s := lively()
		s.Seq = 0
		s.Installations[1].Detected = true // Amp comes before it
		r.hub.Set(s)
		r.settle()
		r.shows("Connect Cursor")
	})
}

func TestGrants(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.hub.SetPlan(status.Plan{Title: "Let agents only read notes"})
		r.press("@Sources/notes", "p")
		r.shows("Permissions for notes", "all clients", "now     all clients: read, write", "default")
		r.press("right")
		r.shows("read only")
		r.press("enter")
		r.shows("Let agents only read notes?")
		r.confirm()
		r.press("p", "right", "right", "up", "right", "right")
		r.shows("cursor-vscode", "read; ask before any change")
		r.press("enter")
		r.confirm()
		r.press("p", "enter")
		r.confirm()
		r.did(
			status.Action{Verb: status.SetGrant, Target: "notes", Grant: &status.Grant{Source: "notes", Effects: []string{"read"}}},
			status.Action{Verb: status.SetGrant, Target: "notes", Grant: &status.Grant{
				Source: "notes", Client: "cursor-vscode", Effects: []string{"read", "write", "delete", "run"}, Ask: []string{"write", "delete", "run"},
			}},
			status.Action{Verb: status.SetGrant, Target: "notes", Grant: &status.Grant{Source: "notes", Reset: true}},
		)
		r.press("p", "esc")
		r.hides("What agents may do")
	})
}

// Agents are rows to choose, and one of them can be disconnected; the key does
// nothing to another row when the agent has left.
func TestDisconnectAgent(t *testing.T) {
	runPanel(t, lively(), func(r *testPanel) {
		r.hub.SetPlan(status.Plan{Title: "Disconnect claude-code", Risks: []string{"its calls under way are cancelled"}})
		r.press("@Clients", "g")
		r.shows("d disconnect")
		r.press("d")
		r.shows("Disconnect claude-code?", "its calls under way are cancelled")
		r.confirm()
		first := lively().Sessions[0].Name
		r.did(status.Action{Verb: status.Disconnect, Target: first})
		s := lively()
		s.Seq, s.Sessions = 0, s.Sessions[1:]
		r.hub.Set(s)
		r.settle()
		r.press("d")
		r.shows("That agent has left.")
		r.did(status.Action{Verb: status.Disconnect, Target: first})
		r.press("j")
		r.shows("d disconnect")
	})
}

// An agent that leaves while it is selected stays so, in the list of those that left, with what its keys do.
func TestAgentThatLeavesStaysSelected(t *testing.T) {
	s := lively()
	left := s.Sessions[0]
	runPanel(t, s, func(r *testPanel) {
		r.press("@Clients", "g")
		r.queries.agents = []status.Agent{{Client: left.Client, Session: left.Name, LastSeen: noon}}
		s.Seq, s.Sessions = 0, s.Sessions[1:]
		r.hub.Set(s)
		r.settle()
		r.wait(time.Second)
		r.shows("What you decide here applies when it comes back.", "session "+left.Name)
		r.press("d")
		r.shows(left.Client + " is not connected.")
		r.did()
		r.press("P")
		r.did(status.Action{Verb: status.PauseWrites, Target: left.Client})
	})
}

// One key stops the writes of an agent, another those of all, and the header says
// so until they may write again.
func TestPauseWrites(t *testing.T) {
	s := lively()
	runPanel(t, s, func(r *testPanel) {
		r.press("@Clients", "g")
		agent := s.Sessions[0].Client
		r.press("P")
		r.did(status.Action{Verb: status.PauseWrites, Target: agent})
		s.Seq, s.Sessions = 0, slices.Clone(s.Sessions)
		s.Sessions[0].WritesPaused = noon
		r.hub.Set(s)
		r.settle()
		r.shows("P let it write")
		r.press("P")
		r.confirm()
		r.press("O")
		r.shows("“client:" + agent + "”")
		r.press("H")
		s.Hub.WritesPaused = noon
		r.hub.Set(s)
		r.settle()
		r.shows("paused !2")
		r.press("@Clients", "P")
		r.shows("Press H to end that.")
		r.press("H")
		r.confirm()
		r.did(
			status.Action{Verb: status.PauseWrites, Target: agent}, status.Action{Verb: status.ResumeWrites, Target: agent},
			status.Action{Verb: status.PauseWrites}, status.Action{Verb: status.ResumeWrites},
		)
	})
}
