package markdown

import "testing"

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
