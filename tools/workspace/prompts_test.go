package workspace

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// Prompts begin with the sentences of the specification, and embed the notes that they
// are about.
func TestPromptsOfTheSpec(t *testing.T) {
	runtest.InOrder(t)
	b := openBench(t, "")
	for _, c := range []struct {
		name, begins, embeds string
		args                 map[string]string
	}{
		{"summarize_workspace", "Read the index of the workspace and provide a high-level summary of the topics covered.", `"title":"Weekly Sync"`, nil},
		{"analyze_meetings", "Find all notes with class='Meeting' and summarize the key decisions.", "# Weekly Sync", map[string]string{"workspace_id": "ws"}},
		{
			"find_related", "Given a note ID, find all related notes via links and shared tags.", `"target":"weekly-sync"`,
			map[string]string{"note_id": "welcome"},
		},
	} {
		messages, err := b.Prompt(t.Context(), c.name, c.args)
		if err != nil || len(messages) < 2 {
			t.Errorf("%s: %d messages, %v", c.name, len(messages), err)
			continue
		}
		if text := messages[0].Content.Text; !strings.HasPrefix(text, c.begins) {
			t.Errorf("%s begins with %q, want %q", c.name, text, c.begins)
		}
		if text := messages[1].Content.Text; !strings.Contains(text, c.embeds) {
			t.Errorf("%s embeds %q, want %q in it", c.name, text, c.embeds)
		}
	}
}
