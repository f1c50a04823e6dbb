package markdown

import (
	"fmt"
	"strings"
	"testing"
)

// Packages of Node are no pages, and lists say that they are left out. Copies of a conflict
// are pages beside theirs.
func TestFilesOfOtherProgramsAreLeftOut(t *testing.T) {
	b := open(t, map[string]string{
		"A.md": "kept [[Read me]]\n", "node_modules/pkg/Read me.md": "kept\n", "Notes/A.sync-conflict-20261122-101112-ABCDEFG.md": "kept\n",
		"Notes/A (conflicted copy).md": "kept\n", "Notes/How to merge a conflicted copy.md": "kept\n", "logseq/bak/A.md": "kept\n",
	}, nil)
	out := call[ListPagesOut](b, "list_pages", `{"depth":5}`)
	if out.Total != 5 || !strings.Contains(out.Note, `"node_modules"`) || strings.Contains(out.Note, "conflict") || strings.Contains(out.Note, "bak") {
		t.Errorf("%+v", out)
	}
	call[EditPageOut](b, "edit_page", `{"path":"Notes/A (conflicted copy).md","action":"append","content":"merged"}`)
	call[CreatePageOut](b, "create_page", `{"title":"What is a conflicted copy"}`)
	for file, want := range map[string]bool{
		"a (conflicted copy).md": true, "a (Ana's conflicted copy 2026-11-29).md": true, "a (conflicted copy 2).md": true, "a.conflict.md": true, "a.sync-conflict-20261122-101112-ABCDEFG.md": true,
		"How to merge a conflicted copy.md": false, "a.conflict.notes.md": false, "The (conflicted copy) trap.md": false,
	} {
		equal(t, file, want, isConflictCopy(file))
	}
	if out := call[GetTreeOut](b, "get_tree", `{}`); !strings.Contains(out.Note, `"node_modules"`) {
		t.Errorf("%+v", out)
	}
	equal(t, "pages that are searched", 4, call[SearchPagesOut](b, "search_pages", `{"query":"kept"}`).Total)
	equal(t, "a link to one", "broken", call[GetPageLinksOut](b, "get_page_links", `{"path":"A.md"}`).Outgoing[0].Status)
	b.refused("read_page", `{"path":"node_modules/pkg/Read me.md"}`, "NOT_FOUND")
	b.refused("write_page", `{"path":"node_modules/x.md","content":"x"}`, "INVALID")
}

// What Obsidian and Logseq exclude stays out of lists, searches and proposals; its
// links count, and who names a page or its folder sees it.
func TestExcludedFiles(t *testing.T) {
	for settings, content := range map[string]string{
		".obsidian/app.json": `{"userIgnoreFilters":["Old/","/\\.draft\\.md$/","/(?=js)/"]}`, "logseq/config.edn": `{:hidden ["/old" "b.draft.md"]}`,
	} {
		for _, more := range []int{0, 120} { // without an index and with one
			files := map[string]string{
				settings: content, "A.md": "word [[B]] #kept\n", "Old/B.md": "word #gone [[A]] [[None]]\n- [ ] task\n", "Old/Deep/C.md": "word\n", "Old/x.png": "", "b.draft.md": "word\n", "Older.md": "other\n",
			}
			if settings == "logseq/config.edn" { // a beginning of a path
				delete(files, "Older.md")
			}
			for i := range more {
				files[fmt.Sprintf("N/%d.md", i)] = "x\n"
			}
			b := open(t, files, nil)
			found := call[SearchPagesOut](b, "search_pages", `{"query":"word"}`)
			if found.Total != 1 || found.Matches[0].Path != "A.md" {
				t.Errorf("%s: %+v", settings, found)
			}
			for _, kind := range []string{"tag", "task", "attachment"} {
				for _, m := range call[SearchPagesOut](b, "search_pages", `{"query":"","kind":"`+kind+`"}`).Matches {
					if m.Title != "kept" && m.Path != settings {
						t.Errorf("%s: kind %s: %+v", settings, kind, m)
					}
				}
			}
			equal(t, "broken links", 0, call[SearchPagesOut](b, "search_pages", `{"query":"","links":"broken"}`).Total)
			equal(t, "exactly", 1, call[SearchPagesOut](b, "search_pages", `{"query":"word","mode":"exact"}`).Total)
			equal(t, "below the folder", 2, call[SearchPagesOut](b, "search_pages", `{"query":"word","path":"Old"}`).Total)
			list := call[ListPagesOut](b, "list_pages", `{"depth":5,"limit":200}`)
			for _, p := range list.Pages {
				if strings.HasPrefix(p.Path, "Old/") || p.Path == "Old" || p.Path == "b.draft.md" {
					t.Errorf("%s: %+v", settings, p)
				}
			}
			if !strings.Contains(list.Note, `3 pages are left out because the application excludes them; give path "Old" to see them. `) {
				t.Errorf("%s: %q", settings, list.Note)
			}
			equal(t, "list of the folder", 3, call[ListPagesOut](b, "list_pages", `{"path":"Old","depth":5}`).Total)
			proposed, err := b.Complete(t.Context(), "markdown://notes/{+path}", "path", "Old/")
			if err != nil || len(proposed) > 0 {
				t.Errorf("%s: %q %v", settings, proposed, err)
			}
			equal(t, "a link", "ok", call[GetPageLinksOut](b, "get_page_links", `{"path":"A.md"}`).Outgoing[0].Status)
			call[ReadPageOut](b, "read_page", `{"path":"Old/B.md"}`)
			call[MovePageOut](b, "move_page", `{"sourcePath":"A.md","destinationPath":"Z.md"}`)
			if text := b.get("Old/B.md"); !strings.Contains(text, "[[Z]]") {
				t.Errorf("%s: %q", settings, text)
			}
		}
	}
}
