package markdown

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
)

// What tools that write are about is known from their arguments, and named like the change that
// they would make.
func TestTargetsOfWrites(t *testing.T) {
	vault := map[string]string{"Plan.md": "# Plan\n", "Projects/Alpha.md": "# Alpha\n", "Projects/_index.md": "#start\n"}
	graph := map[string]string{"logseq/config.edn": "{:file/name-format :triple-lowbar}", "pages/Plan.md": "- a\n", "pages/Projects___Alpha.md": "- a\n"}
	for _, c := range []struct {
		files      map[string]string
		tool, args string
		want       []string
	}{
		{vault, "edit_page", `{"path":"plan","action":"append","content":"x"}`, []string{"Plan.md"}},
		{vault, "write_page", `{"path":"New.md","content":"x"}`, []string{"New.md"}},
		{vault, "create_page", `{"title":"New"}`, []string{"New.md"}},
		{vault, "create_page", `{"title":"Alpha: 2/3","parentPath":"Projects/_index.md"}`, []string{"Projects/Alpha- 2-3.md"}},
		{vault, "create_page", `{"title":"Plan"}`, []string{"Plan-2.md"}},
		{vault, "create_page", `{"title":"Old/","parentPath":"Projects"}`, []string{"Projects/Old/"}},
		{vault, "create_page", `{"title":" "}`, nil},
		{vault, "delete_page", `{"path":"Projects/"}`, []string{"Projects/"}},
		{vault, "delete_page", `{"file":"plan"}`, []string{"Plan.md"}},
		{vault, "move_page", `{"sourcePath":"plan","destinationPath":"Projects"}`, []string{"Plan.md", "Projects/Plan.md"}},
		{vault, "move_page", `{"sourcePath":"Plan.md","destinationPath":"Map.md"}`, []string{"Plan.md", "Map.md"}},
		{vault, "merge_pages", `{"sourcePath":"plan","destinationPath":"Projects/alpha"}`, []string{"Plan.md", "Projects/Alpha.md"}},
		{vault, "rename_heading", `{"path":"plan","heading":"Plan","new_heading":"Map"}`, []string{"Plan.md"}},
		{vault, "split_page", `{"path":"plan","heading":"None"}`, []string{"Plan.md"}},
		{vault, "rename_tag", `{"tag":"start","new_tag":"begin"}`, []string{"#start"}},
		{vault, "add_attachment", `{"pagePath":"plan","fileName":"a.png","data":"eA=="}`, []string{"Plan.md"}},
		{vault, "create_daily_note", `{"date":"2026-11-21"}`, []string{"2026-11-21.md"}},
		{
			vault, "batch", `{"steps":[{"tool":"edit_page","arguments":{"path":"plan","action":"append"}},{"tool":"none","arguments":{}},
			{"tool":"rename_tag","arguments":{"tag":"#start","new_tag":"x"}},{"tool":"read_page","arguments":{"path":{}}}]}`, []string{"Plan.md", "#start"},
		},
		{graph, "create_page", `{"title":"Beta"}`, []string{"pages/Beta.md"}},
		{graph, "create_page", `{"title":"Beta","parentPath":"pages/Projects___Alpha.md"}`, []string{"pages/Projects___Alpha___Beta.md"}},
		{graph, "edit_page", `{"path":"Projects/Alpha","action":"append"}`, []string{"pages/Projects___Alpha.md"}},
		{graph, "create_daily_note", `{"date":"2026-11-21"}`, []string{"journals/2026_11_21.md"}},
	} {
		b := open(t, c.files, nil)
		got, known := b.Targets(t.Context(), c.tool, json.RawMessage(c.args))
		if d := cmp.Diff(c.want, got); d != "" || !known {
			t.Errorf("%s %s, known: %t\n%s", c.tool, c.args, known, d)
		}
	}
	for _, info := range testSystem().Manifest().Tools {
		if info.Effect != tools.Reads && !info.HasTargets {
			t.Errorf("%s does not tell what it is about", info.Name)
		}
	}
}
