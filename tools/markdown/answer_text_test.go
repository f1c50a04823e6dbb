package markdown

import (
	"strings"
	"testing"
)

// Models read lists as lines, and everything that a line may not hold is quoted.
func TestAnswersAsLines(t *testing.T) {
	found := SearchPagesOut{Total: 9, Note: "5 more: call again with offset 4.", Matches: []PageMatch{
		{Path: "P/Alpha.md", Title: "Alpha", MatchLine: 3, MatchContext: "the line"},
		{Path: "P/_index.md", Title: "Projects", Modified: "2026-11-20T10:00Z"},
		{Title: "work/plans", Count: 4},
		{Path: "a\nb.md", Title: "a\nb", MatchLine: 1, MatchContext: "x\ry"},
	}}
	equal(t, "search", "P/Alpha.md:3: the line\nP/_index.md (Projects) 2026-11-20T10:00Z\nwork/plans 4\n\"a\\nb.md\":1: \"x\\ry\"\n4 of 9. 5 more: call again with offset 4.", found.Blocks()[0].Text)
	equal(t, "nothing", "0 of 0. Try others.", SearchPagesOut{Note: "Try others."}.Blocks()[0].Text)
	list := ListPagesOut{Total: 3, Pages: []ListedPage{
		{Path: "P/Alpha.md", Title: "Alpha", PageID: "path-1"}, {Path: "P", Title: "P", HasChildren: true}, {Path: "Q.md", Title: "Of Q", Icon: "*", HasChildren: true, Content: "text\n"},
	}}
	equal(t, "list", "P/Alpha.md\nP/\nQ.md (Of Q) * has children\ntext\n\n", list.Blocks()[0].Text)
}

// A row of a list costs at most 60 bytes beyond its path, and ten hits 1.5 KB.
func TestAnswersAreShort(t *testing.T) {
	files := map[string]string{}
	for i := range 30 {
		name := "Folder/Page number " + strings.Repeat("i", i+1) + ".md"
		files[name] = "---\ntags: [a, b]\nstatus: open\n---\n\n# Head\n\nThe perihelion of the planet is on a line with some words around it, as lines of notes have.\n"
	}
	b := open(t, files, nil)
	list := call[ListPagesOut](b, "list_pages", `{"path":"Folder"}`)
	for line := range strings.Lines(list.Blocks()[0].Text) {
		if path, _, _ := strings.Cut(line, ".md"); len(line) > len(path)+3+60 {
			t.Errorf("a row of %d bytes: %s", len(line), line)
		}
	}
	if text := call[SearchPagesOut](b, "search_pages", `{"query":"perihelion","limit":10}`).Blocks()[0].Text; len(text) > 1536 || strings.Count(text, "perihelion") != 10 {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
}
