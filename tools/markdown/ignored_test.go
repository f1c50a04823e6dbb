package markdown

import (
	"strings"
	"testing"
)

// Packages of Node and copies of a conflict are no pages, and lists say that they are
// left out.
func TestFilesOfOtherProgramsAreLeftOut(t *testing.T) {
	b := open(t, map[string]string{
		"A.md": "kept [[Read me]]\n", "node_modules/pkg/Read me.md": "kept\n", "Notes/A.sync-conflict-20261122-101112-ABCDEFG.md": "kept\n",
		"Notes/A (conflicted copy).md": "kept\n", "Notes/B.md": "kept\n", "logseq/bak/A.md": "kept\n",
	}, nil)
	out := call[ListPagesOut](b, "list_pages", `{"depth":5}`)
	if out.Total != 3 || !strings.Contains(out.Note, `"node_modules"`) || !strings.Contains(out.Note, "sync-conflict") || strings.Contains(out.Note, "bak") {
		t.Errorf("%+v", out)
	}
	equal(t, "below a folder", `Left out as conflicted copies or files of other programs: "Notes/A (conflicted copy).md", "Notes/A.sync-conflict-20261122-101112-ABCDEFG.md". `,
		call[ListPagesOut](b, "list_pages", `{"path":"Notes"}`).Note)
	if out := call[GetTreeOut](b, "get_tree", `{}`); !strings.Contains(out.Note, `"node_modules"`) {
		t.Errorf("%+v", out)
	}
	equal(t, "pages that are searched", 2, call[SearchPagesOut](b, "search_pages", `{"query":"kept"}`).Total)
	equal(t, "a link to one", "broken", call[GetPageLinksOut](b, "get_page_links", `{"path":"A.md"}`).Outgoing[0].Status)
	b.refused("read_page", `{"path":"node_modules/pkg/Read me.md"}`, "NOT_FOUND")
	b.refused("write_page", `{"path":"node_modules/x.md","content":"x"}`, "INVALID")
}
