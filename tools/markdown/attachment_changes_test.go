package markdown

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

// Embeds of an attachment follow it, in every form, in canvases too; undo brings all back.
func TestMoveAttachment(t *testing.T) {
	files := map[string]string{
		".obsidian/app.json": `{"attachmentFolderPath":"files"}`, "img/a b.png": "PNG", "D/page.md": "![[a b.png#x]] [l](<../img/a b.png> \"t\")\n", "other/c.png": "",
		"u.md":     "---\ncover: \"[[a b.png]]\"\n---\n![[a b.png|200]] ![x](img/a%20b.png) ![[img/a b.png]]\n\n[r]: /img/a%20b.png\n`![[a b.png]]`\n",
		"c.canvas": `{"nodes":[{"type":"file","file":"img/a b.png"},{"type":"text","text":"![[a b.png]]"}]}`,
	}
	b := open(t, files, nil)
	out := call[MovePageOut](b, "move_page", `{"sourcePath":"img/a b.png","destinationPath":"img/d.png"}`)
	equal(t, "answer", MovePageOut{Success: true, NewPath: "img/d.png", Changed: []string{"D/page.md", "c.canvas", "u.md"}, Links: LinkReport{Rewritten: 9}}, out)
	equal(t, "page", "---\ncover: \"[[d.png]]\"\n---\n![[d.png|200]] ![x](img/d.png) ![[img/d.png]]\n\n[r]: /img/d.png\n`![[a b.png]]`\n", b.get("u.md"))
	equal(t, "page elsewhere", "![[d.png#x]] [l](<../img/d.png> \"t\")\n", b.get("D/page.md"))
	equal(t, "canvas", `{"nodes":[{"type":"file","file":"img/d.png"},{"type":"text","text":"![[d.png]]"}]}`, b.get("c.canvas"))
	for to, want := range map[string]string{"D": "D/d.png", "new/": "new/d.png", "u.md": "files/d.png", "/": "d.png", "other/deep/e.png": "other/deep/e.png"} {
		equal(t, to, want, call[MovePageOut](b, "move_page", `{"sourcePath":"img/d.png","destinationPath":"`+to+`","dry_run":true}`).NewPath)
	}
	call[MovePageOut](b, "move_page", `{"sourcePath":"img/d.png","destinationPath":"other/c2.png"}`)
	equal(t, "page", "![[c2.png#x]] [l](<../other/c2.png> \"t\")\n", b.get("D/page.md"))
	for to, code := range map[string]string{
		"other/c.png": "CONFLICT", "other/c": "INVALID", "new.md": "INVALID", "": "INVALID", "../x.png": "DENIED", "a#b.png": "INVALID", "node_modules/x.png": "INVALID",
	} {
		b.refused("move_page", `{"sourcePath":"other/c2.png","destinationPath":"`+to+`"}`, code)
	}
	if e := b.refused("move_page", `{"sourcePath":"c2.png","destinationPath":"D"}`, "NOT_FOUND"); !strings.Contains(e.Hint, "other/c2.png") {
		t.Errorf("%+v", e)
	}
	b.refused("move_page", `{"sourcePath":".obsidian/app.json","destinationPath":"D"}`, "INVALID")
}

// A deleted attachment is named with the pages that embed it, and stays hidden if it is.
func TestDeleteAttachment(t *testing.T) {
	b := open(t, map[string]string{"i/a.png": "PNG", "u.md": "![[a.png]] ![](i/a.png)\n", "Private/p.png": "PNG", "Private.md": ""}, nil)
	hiding := notebook(t, b, privacy(t, []string{"Private"}, nil))
	if _, err := hiding.DeletePage(t.Context(), tools.CallContext{}, DeletePageIn{Path: "Private/p.png"}); tools.AsError(err) == nil || tools.AsError(err).Code != tools.NotFound {
		t.Errorf("hidden: %v", err)
	}
	equal(t, "dry run", DeletePageOut{Path: "i/a.png", DryRun: true, Note: "Links to it: 2, on 1 pages: u.md."}, call[DeletePageOut](b, "delete_page", `{"path":"i/a.png","dry_run":true}`))
	call[DeletePageOut](b, "delete_page", `{"path":"i/a.png"}`)
	if _, there := b.files()["i/a.png"]; there {
		t.Error("it is still there")
	}
	b.refused("delete_page", `{"path":"i/a.png"}`, "NOT_FOUND")
}
