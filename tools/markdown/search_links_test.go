package markdown

import (
	"strings"
	"testing"
)

// links_to takes a page by its path or by its name alone, never one of several, and
// no hidden one.
func TestLinksToTakesNames(t *testing.T) {
	files := map[string]string{
		"A/Beta v1.2.md": "the page\n", "B/Twin.md": "one\n", "C/twin.md": "two\n", "Private/Diary.md": "secret\n",
		"Linker.md": "[[Beta v1.2]]\n", "Other.md": "[[B/Twin]]\n",
	}
	b := openHiding(t, files, "Private")
	for _, name := range []string{"A/Beta v1.2", "Beta v1.2", "beta v1.2.md"} {
		found := call[SearchPagesOut](b, "search_pages", `{"query":"","links_to":"`+name+`"}`)
		if found.Total != 1 || found.Matches[0].Path != "Linker.md" {
			t.Errorf("%s: %+v", name, found)
		}
	}
	if e := b.refused("search_pages", `{"query":"","links_to":"Twin"}`, "INVALID"); !strings.Contains(e.Hint, "B/Twin.md, C/twin.md") {
		t.Errorf("%+v", e)
	}
	absent := b.refused("search_pages", `{"query":"","links_to":"Diarx"}`, "NOT_FOUND")
	if hidden := b.refused("search_pages", `{"query":"","links_to":"Diary"}`, "NOT_FOUND"); strings.ReplaceAll(hidden.Error, "Diary", "Diarx") != absent.Error {
		t.Errorf("%+v, %+v", hidden, absent)
	}
	b.refused("search_pages", `{"query":"","links_to":"A/Twin"}`, "NOT_FOUND")
}
