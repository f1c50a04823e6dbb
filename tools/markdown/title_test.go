package markdown

import "testing"

// A title is no file name, and a title or heading shows something.
func TestTitles(t *testing.T) {
	b := open(t, map[string]string{"x.md": "# H\n"}, nil)
	for title, want := range map[string]string{"note.md": "note.md", "Note two.MD.md": "Note two.md", ".md": "md.md"} {
		equal(t, title, want, call[CreatePageOut](b, "create_page", `{"title":"`+title+`","content":"x","dry_run":true}`).Path)
	}
	for _, nothing := range []string{"\u200b", " \u2060\u00a0", "\u3164"} {
		b.refused("create_page", `{"title":"`+nothing+`","content":"x"}`, "INVALID")
		b.refused("create_page", `{"title":"`+nothing+`/"}`, "INVALID")
		b.refused("rename_heading", `{"path":"x.md","heading":"H","new_heading":"`+nothing+`"}`, "INVALID")
	}
}

// Links to a page in properties and in angle brackets keep their form.
func TestMoveKeepsMarkdownForms(t *testing.T) {
	b := open(t, map[string]string{
		"m n.md": "m\n", "f.md": "---\nmd: \"[x](m%20n.md)\"\n# [c](m%20n.md)\nlist:\n  - '[y](<m n.md>)'\nurl: \"[z](https://m%20n.md)\"\n---\n[a](<m n.md#H> \"t\") [b](m%20n.md)\n\n[r]: <m n.md>\n",
	}, nil)
	call[MovePageOut](b, "move_page", `{"sourcePath":"m n.md","destinationPath":"it's (n).md"}`)
	equal(t, "links", "---\nmd: \"[x](it%27s%20%28n%29.md)\"\n# [c](m%20n.md)\nlist:\n  - '[y](<it%27s (n).md>)'\nurl: \"[z](https://m%20n.md)\"\n---\n[a](<it's (n).md#H> \"t\") [b](it's%20%28n%29.md)\n\n[r]: <it's (n).md>\n", b.get("f.md"))
}
