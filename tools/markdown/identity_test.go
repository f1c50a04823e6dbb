package markdown

import (
	"testing"
)

// X.md and X/_index.md are two pages with ids of their own, the same in every answer.
func TestIDsOfOnePlace(t *testing.T) {
	b := open(t, map[string]string{"X.md": "leaf\n", "X/_index.md": "folder\n", "X/child.md": "child\n"}, nil)
	ids := map[string]string{}
	for _, p := range call[ListPagesOut](b, "list_pages", `{"depth":5}`).Pages {
		if other := ids[p.PageID]; other != "" {
			t.Errorf("%s and %s have the id %s", other, p.Path, p.PageID)
		}
		ids[p.PageID] = p.Path
	}
	equal(t, "pages", 3, len(ids))
	for id, file := range ids {
		equal(t, "id of "+file+" when it is read", id, call[ReadPageOut](b, "read_page", `{"path":"`+file+`"}`).PageID)
	}
}

// A page with an id keeps it wherever it goes. One without is known by its path: the
// list names it by the new one, as read_page does, and a folder's page keeps its id
// when it becomes a leaf.
func TestIDsAfterMoves(t *testing.T) {
	b := open(t, map[string]string{"A.md": "---\nid: a1\n---\nx\n", "B.md": "plain\n", "C/_index.md": "c\n", "C/D.md": "d\n"}, nil)
	id := func(file string) string {
		t.Helper()
		return call[ReadPageOut](b, "read_page", `{"path":"`+file+`"}`).PageID
	}
	before := id("C/_index.md")
	for _, to := range []string{"Else/A.md", "Else/Renamed.md", "C/Renamed.md"} {
		from := map[string]string{"Else/A.md": "A.md", "Else/Renamed.md": "Else/A.md", "C/Renamed.md": "Else/Renamed.md"}[to]
		call[MovePageOut](b, "move_page", `{"sourcePath":"`+from+`","destinationPath":"`+to+`"}`)
		equal(t, "id at "+to, "a1", id(to))
	}
	call[MovePageOut](b, "move_page", `{"sourcePath":"B.md","destinationPath":"Else/B.md"}`)
	for _, p := range call[ListPagesOut](b, "list_pages", `{"path":"Else"}`).Pages {
		equal(t, "id in the list of "+p.Path, id(p.Path), p.PageID)
	}
	for _, child := range []string{"C/D.md", "C/Renamed.md"} {
		call[DeletePageOut](b, "delete_page", `{"path":"`+child+`"}`)
	}
	equal(t, "id of the page that has become a leaf", before, id(call[ReadPageOut](b, "read_page", `{"path":"C"}`).Path))
}

// Obsidian opens a page by its path or the name of its file: a title or an alias is
// no target there, so such a link is broken. In a mirror, titles and aliases are.
func TestTitlesAsTargets(t *testing.T) {
	files := map[string]string{
		"p.md":    "---\ntitle: A Title\naliases: [Other]\n---\nx\n",
		"from.md": "[[A Title]]\n[[Other]]\n[[p]]\n[[Other|shown]]\n",
	}
	for marker, want := range map[string][]string{
		".obsidian/app.json": {"broken", "broken", "ok", "broken"},
		"Folder/_index.md":   {"ok", "ok", "ok", "ok"},
	} {
		files := map[string]string{"p.md": files["p.md"], "from.md": files["from.md"], marker: "{}"}
		b := open(t, files, nil)
		var got []string
		for _, l := range call[GetPageLinksOut](b, "get_page_links", `{"path":"from.md","limit":50}`).Outgoing {
			got = append(got, l.Status)
		}
		equal(t, "links beside "+marker, want, got)
		broken := len(call[SearchPagesOut](b, "search_pages", `{"links":"broken","kind":"page"}`).Matches)
		equal(t, "pages with broken links beside "+marker, want[0] == "broken", broken == 1)
	}
}
