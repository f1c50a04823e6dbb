package pane

import (
	"testing"

	"github.com/lectern-mcp/lectern/status"
)

// What is put into programs is said with the names that people have for them.
func TestDeedNamesPrograms(t *testing.T) {
	s := status.Snapshot{Installations: []status.Installation{
		{ID: "client/codex", Title: "Codex"},
		{ID: "skill/codex", Title: "Skill for Codex"},
		{ID: "plugin/logseq", Title: "Logseq plugin"},
		{ID: "service", Title: "Start at login"},
	}}
	for id, want := range map[string][2]string{
		"client/codex":  {"install Lectern in Codex", "uninstall Lectern from Codex"},
		"skill/codex":   {"install the skill for Codex", "remove the skill for Codex"},
		"plugin/logseq": {"install the Logseq plugin", "remove the Logseq plugin"},
		"service":       {"start the hub at login", "stop starting the hub at login"},
		"client/other":  {"install Lectern in client/other", "uninstall Lectern from client/other"},
	} {
		got := [2]string{DescribeAction(status.Action{Verb: status.Install, Target: id}, s), DescribeAction(status.Action{Verb: status.Uninstall, Target: id}, s)}
		if got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}
