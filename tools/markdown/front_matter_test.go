package markdown

import (
	"strings"
	"testing"
)

// TOML at the top of a page stays there: no YAML and no text comes before it.
func TestTOMLStaysFirst(t *testing.T) {
	const toml = "+++\ntitle = \"Turnip\"\n# no heading\n+++\n"
	b := open(t, map[string]string{"P.md": toml + "\nbody\n"}, nil)
	for _, args := range []string{`"replace","content":"x"`, `"append","content":"x"`, `"delete"`} {
		b.refused("edit_page", `{"path":"P.md","property":"draft","action":`+args+`}`, "INVALID")
	}
	call[EditPageOut](b, "edit_page", `{"path":"P.md","action":"prepend","content":"x"}`)
	equal(t, "page", toml+"x\n\nbody\n", b.get("P.md"))
	b.refused("edit_page", `{"path":"P.md","action":"append","heading":"no heading","content":"x"}`, "NOT_FOUND")
	call[CreatePageOut](b, "create_page", `{"title":"N","icon":"x","content":"+++\na = 1\n+++\n"}`)
	equal(t, "new page", "+++\na = 1\n+++\n", b.get("N.md"))
	if found := call[SearchPagesOut](b, "search_pages", `{"query":"turnip"}`); len(found.Matches) != 1 {
		t.Errorf("words in TOML: %+v", found)
	}
}

// A key that stands twice is said, and is not edited.
func TestRepeatedKeys(t *testing.T) {
	const page = "---\nk: a\nz: 1\nk: b\n---\nx\n"
	for _, page := range []string{page, strings.Replace(page, "z: 1", "z: {}", 1)} {
		b := open(t, map[string]string{"P.md": page}, nil)
		if out := call[ReadPageOut](b, "read_page", `{"path":"P.md"}`); !strings.Contains(out.Note, "2, 4") {
			t.Errorf("note %q", out.Note)
		}
		for _, args := range []string{`"replace","content":"x"`, `"append","content":"x"`, `"delete"`, `"delete","content":"a"`} {
			if answer, ok := b.try("edit_page", `{"path":"P.md","property":"k","action":`+args+`}`); ok || !strings.Contains(answer, "2, 4") {
				t.Errorf("%s: %s", args, answer)
			}
		}
		equal(t, "page", page, b.get("P.md"))
		call[EditPageOut](b, "edit_page", `{"path":"P.md","property":"z","action":"replace","content":"2"}`)
		equal(t, "page", "---\nk: a\nz: 2\nk: b\n---\nx\n", b.get("P.md"))
	}
}
