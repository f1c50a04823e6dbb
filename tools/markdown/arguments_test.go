package markdown

import "testing"

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
	b.refused("read_page", `{"path":"Welcome.md","file":"Newer.md"}`, "INVALID")
	b.refused("read_page", `{"other":"Welcome.md"}`, "INVALID")
	b.refused("search_pages", `{"q":"a","query":"b"}`, "INVALID")
}
