package markdown

import (
	"fmt"
	"strings"
	"testing"
)

func TestGetPageContext(t *testing.T) {
	files := map[string]string{
		"A.md": "---\ntags: [x]\n---\n# A\n[[B]] [[C]] [[C]] [[A]] [[None]] #y #x\n",
		"B.md": "---\nup: 1\n---\n# B\n\nSee [[A]].\n",
		"C.md": "C begins " + strings.Repeat("wörd ", 100), "D.md": "[a](A.md)", "E.md": "alone",
	}
	b := open(t, files, nil)
	out := call[GetPageContextOut](b, "get_page_context", `{"page":"A"}`)
	equal(t, "content", files["A.md"], out.Content)
	equal(t, "tags", []string{"x", "y"}, out.Tags)
	if len(out.Linked) != 3 || len(out.Linked[1].Text) > 210 || out.Truncated {
		t.Fatalf("%+v", out)
	}
	out.Linked[1].Text = out.Linked[1].Text[:8]
	equal(t, "linked", []LinkedPage{{"B.md", "both", "# B See [[A]]."}, {"C.md", "to", "C begins"}, {"D.md", "from", "[a](A.md)"}}, out.Linked)
	b.refused("get_page_context", `{"path":"None.md"}`, "NOT_FOUND")
}

// However many pages are linked, and however long they are, the answer is as small
// as it was asked to be.
func TestPageContextIsBounded(t *testing.T) {
	files := map[string]string{"A.md": strings.Repeat("a", 5000)}
	for i := range 90 {
		files[fmt.Sprintf("Linking %02d.md", i)] = "[[A]] " + strings.Repeat("b ", 500)
	}
	b := open(t, files, nil)
	out := call[GetPageContextOut](b, "get_page_context", `{"path":"A.md","size":1000}`)
	size := len(out.Content)
	for _, l := range out.Linked {
		size += len(l.Path) + len(l.Text)
	}
	if size > 1010 || size < 900 || !out.Truncated || !strings.Contains(out.Note, "5000 bytes") || !strings.Contains(out.Note, "more linked pages") {
		t.Errorf("%d bytes: %+v", size, out)
	}
}

// Deleting a page says what it leaves behind.
func TestDeletePageSaysConsequences(t *testing.T) {
	b := open(t, map[string]string{"A.md": "x", "A/assets/i.png": "png", "B.md": "[[A]] [[A|b]] [a](A.md)", "C.md": "[[B]]"}, nil)
	want := "Links to it: 3, on 1 pages: B.md. Its attachments are kept: A/assets."
	for _, dry := range []string{"true", "false"} {
		equal(t, "note", want, call[DeletePageOut](b, "delete_page", `{"path":"A.md","dry_run":`+dry+`}`).Note)
	}
	equal(t, "note", "", call[DeletePageOut](b, "delete_page", `{"path":"C.md"}`).Note)
}
