package markdown

import (
	"encoding/json"
	"testing"
)

// Names that models guess mean the same as those that are published.
func TestGuessedArguments(t *testing.T) {
	b := open(t, fixture(), nil)
	equal(t, "text of a page", call[ReadPageOut](b, "read_page", `{"path":"Projects/Alpha.md"}`).Content, call[ReadPageOut](b, "read_page", `{"file":"Projects/Alpha.md","path":"Projects/Alpha.md"}`).Content)
	equal(t, "pages found", 1, len(call[SearchPagesOut](b, "search_pages", `{"q":"alpha","max":1}`).Matches))
	call[WritePageOut](b, "write_page", `{"name":"New.md","body":"old text"}`)
	call[EditPageOut](b, "edit_page", `{"page":"New.md","action":"replace","old_text":"old","replacement":"new"}`)
	call[MovePageOut](b, "move_page", `{"from":"New.md","to":"Newer.md"}`)
	equal(t, "page", "new text", b.get("Newer.md"))
	call[CreatePageOut](b, "create_page", `{"name":"Sub","parent":"Projects","text":"x"}`)
	equal(t, "section", "# Alpha\n", call[ReadPageOut](b, "read_page", `{"path":"Projects/Alpha.md","section":"Alpha","part":"Alpha"}`).Content[:8])
	equal(t, "pages read", 2, len(call[ReadPagesOut](b, "read_pages", `{"files":["Welcome.md","Projects/Alpha.md"],"section":"outline"}`).Pages))
	call[RenameTagOut](b, "rename_tag", `{"from":"start","to":"first"}`)
	call[RenameHeadingOut](b, "rename_heading", `{"file":"Projects/Alpha.md","section":"Alpha","new_name":"Alef"}`)
	equal(t, "daily note", "2026-11-20.md", call[CreateDailyNoteOut](b, "create_daily_note", `{"day":"2026-11-20"}`).Path)
	b.refused("rename_tag", `{"from":"a","tag":"b","to":"c"}`, "INVALID")
	for _, steps := range []string{`{"calls":[{"name":"read_page","args":{"file":"Welcome.md"}}]}`} {
		args := map[string]any{}
		if err := json.Unmarshal([]byte(steps), &args); err != nil {
			t.Fatal(err)
		}
		if err := stepAliases(args); err != nil {
			t.Fatal(err)
		}
		equal(t, "steps", map[string]any{"steps": []any{map[string]any{"tool": "read_page", "arguments": map[string]any{"file": "Welcome.md"}}}}, args)
	}
	b.refused("read_page", `{"path":"Welcome.md","file":"Newer.md"}`, "INVALID")
	b.refused("read_page", `{"other":"Welcome.md"}`, "INVALID")
	b.refused("search_pages", `{"q":"a","query":"b"}`, "INVALID")
}
