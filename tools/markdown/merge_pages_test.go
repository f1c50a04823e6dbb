package markdown

import "testing"

// Where both pages have a heading of one name, links to the second follow it.
func TestMergePagesWithEqualHeadings(t *testing.T) {
	b := open(t, map[string]string{
		"A.md": "# A\n## Plan\none\n[[#Plan]]\n", "B.md": "# B\n## Plan\ntwo\n[[#Plan]] [[B#Plan]]\n## Only\n", "L.md": "[[B#Plan]] [[A#Plan]] [[B#Only]] [[B#B#Plan|x]] [m](B.md#plan) [n](B.md#Plan) [[B]]\n",
		"C.md": "## Twice\n", "D.md": "## Twice\n", "M.md": "[[D#Twice]]\n",
	}, nil)
	out := call[MergePagesOut](b, "merge_pages", `{"sourcePath":"B.md","destinationPath":"A.md"}`)
	equal(t, "page", "# A\n## Plan\none\n[[#Plan]]\n\n# B\n## Plan\ntwo\n[[#B#Plan]] [[A#B#Plan]]\n## Only\n", b.get("A.md"))
	equal(t, "linking page", "[[A#B#Plan]] [[A#Plan]] [[A#Only]] [[A#B#Plan|x]] [m](A.md#plan-1) [n](A.md#B#Plan) [[A]]\n", b.get("L.md"))
	equal(t, "left", 0, out.Links.Left)
	out = call[MergePagesOut](b, "merge_pages", `{"sourcePath":"D.md","destinationPath":"C.md"}`)
	equal(t, "links that no name leads to", LinkReport{Rewritten: 1, Left: 1}, out.Links)
	equal(t, "linking page", "[[C#Twice]]\n", b.get("M.md"))
}

// Links to a page that is merged lead to the one that has its text.
func TestMergePages(t *testing.T) {
	files := map[string]string{
		"A.md":      "---\ntitle: Alpha\ntags: [x]\n---\n# A\nSee [[B]].\n",
		"F/B.md":    "---\ntitle: Beta\ntags: [y]\nstatus: done\naliases:\n  - Bee\n---\n\n# B\n[a](../A.md) ![](assets/i.png) [[C]]\n",
		"F/C.md":    "[[B]] [[F/B#B|b]] [x](B.md) [[A]] [[Beta]]\r\n[[Bee]]\n",
		"L.md":      "---\nup: \"[[B]]\"\n---\n`[[B]]`",
		"F/assets/": "", "F/assets/i.png": "png",
	}
	delete(files, "F/assets/")
	b := open(t, files, nil)
	dry := call[MergePagesOut](b, "merge_pages", `{"sourcePath":"F/B.md","destinationPath":"A.md","dry_run":true}`)
	equal(t, "files after a dry run", files, b.files())
	out := call[MergePagesOut](b, "merge_pages", `{"from":"F/B.md","to":"A.md"}`)
	equal(t, "links that a dry run lists", 9, len(dry.Links.List))
	dry.Links.List = nil
	equal(t, "links", dry.Links, out.Links)
	equal(t, "files", map[string]string{
		"A.md":           "---\ntitle: Alpha\ntags: [x]\naliases:\n  - Bee\nstatus: done\n---\n# A\nSee [[A]].\n\n# B\n[a](A.md) ![](F/assets/i.png) [[C]]\n",
		"F/C.md":         "[[A]] [[A#B|b]] [x](../A.md) [[A]] [[A]]\r\n[[A]]\n",
		"L.md":           "---\nup: \"[[A]]\"\n---\n`[[B]]`",
		"F/assets/i.png": "png",
	}, b.files())
	equal(t, "note", "Properties that both pages have were left out: tags.", out.Note)
	b.refused("merge_pages", `{"sourcePath":"A.md","destinationPath":"A.md"}`, "INVALID")
	b.refused("merge_pages", `{"sourcePath":"A.md","destinationPath":"None.md"}`, "NOT_FOUND")
}
