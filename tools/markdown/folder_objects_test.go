package markdown

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// isFolder reports whether there is such a folder.
func (b *testNotebook) isFolder(name string) bool {
	info, err := os.Stat(filepath.Join(b.dir, filepath.FromSlash(name)))
	return err == nil && info.IsDir()
}

// A title that ends in a slash makes a folder, and pages go into it.
func TestCreateFolder(t *testing.T) {
	b := open(t, map[string]string{".obsidian/app.json": "{}", "Projects/A.md": "", "Projects.md": ""}, nil)
	dry := call[CreatePageOut](b, "create_page", `{"title":"New folder/","dry_run":true}`)
	if b.isFolder("New folder") || dry.Path != "New folder" {
		t.Errorf("a dry run: %+v", dry)
	}
	equal(t, "path", CreatePageOut{Path: "New folder"}, call[CreatePageOut](b, "create_page", `{"title":"New folder/"}`))
	equal(t, "path below another", "Projects/Deep/Er", call[CreatePageOut](b, "create_page", `{"title":"Deep/Er/","parentPath":"Projects"}`).Path)
	if !b.isFolder("New folder") || !b.isFolder("Projects/Deep/Er") {
		t.Error("the folders are not there")
	}
	equal(t, "page in it", "New folder/Page.md", call[CreatePageOut](b, "create_page", `{"title":"Page","parentPath":"New folder"}`).Path)
	call[MovePageOut](b, "move_page", `{"sourcePath":"Projects/A.md","destinationPath":"Projects/Deep/Er"}`)
	b.get("Projects/Deep/Er/A.md")
	for args, code := range map[string]string{
		`{"title":"New folder/"}`: "CONFLICT", `{"title":"projects/"}`: "CONFLICT", `{"title":"Projects/A.md/"}`: "CONFLICT", `{"title":"x/","content":"text"}`: "INVALID",
		`{"title":"x/","icon":"x"}`: "INVALID", `{"title":"a#b/"}`: "INVALID", `{"title":"assets/"}`: "INVALID", `{"title":"node_modules/"}`: "INVALID",
		`{"title":".hidden/"}`: "INVALID", `{"title":"../x/"}`: "DENIED", `{"title":"a//b/"}`: "INVALID", `{"title":"CON/"}`: "INVALID", `{"title":"/"}`: "INVALID", `{"title":"x/","parentPath":"None"}`: "NOT_FOUND",
	} {
		if args == `{"title":"Projects/A.md/"}` {
			b.put("Projects/A.md", "")
		}
		b.refused("create_page", args, code)
	}
}

// A path that ends in a slash is a folder with all in it, and what leads there is said.
func TestDeleteFolder(t *testing.T) {
	runtest.InOrder(t)
	for _, indexed := range []bool{false, true} {
		t.Run(fmt.Sprint("indexed ", indexed), func(t *testing.T) {
			files := map[string]string{
				".obsidian/app.json": "{}", "F/a.md": "[[b]]\n", "F/Deep/b.md": "", "F/pics/i.png": "png", "F.md": "beside", "G/x.md": "[[a]] ![[F/pics/i.png]] [y](../F/Deep/b.md)\n",
				"H.md": "[[b]]\n", "F/node_modules/m.md": "m",
			}
			if indexed {
				for i := range minIndexed {
					files[fmt.Sprintf("Many/%d.md", i)] = ""
				}
			}
			b := open(t, files, nil)
			b.refused("delete_page", `{"path":"F/Deep"}`, "INVALID")
			b.refused("delete_page", `{"path":"/"}`, "INVALID")
			b.refused("delete_page", `{"path":"None/"}`, "NOT_FOUND")
			b.refused("delete_page", `{"path":"H/"}`, "NOT_FOUND")
			b.refused("delete_page", `{"path":"F/","if_match":"0123456789abcdef"}`, "INVALID")
			before := b.files()
			dry := call[DeletePageOut](b, "delete_page", `{"path":"F/","dry_run":true}`)
			equal(t, "files after a dry run", before, b.files())
			out := call[DeletePageOut](b, "delete_page", `{"path":"F/"}`)
			equal(t, "answer", DeletePageOut{Deleted: true, Path: "F", Note: "Pages in it: 2; other files: 1. Links to it: 4, on 2 pages: G/x.md, H.md."}, out)
			equal(t, "note of the dry run", out.Note, dry.Note)
			for _, gone := range []string{"F/a.md", "F/Deep/b.md", "F/pics/i.png"} {
				delete(before, gone)
			}
			equal(t, "files", before, b.files())
			if b.isFolder("F/Deep") || b.isFolder("F/pics") || !b.isFolder("F/node_modules") {
				t.Error("other folders are left than those with what is not ours")
			}
		})
	}
	b := open(t, map[string]string{"Empty/": "", "Deep/er/": "", "x.md": ""}, nil)
	call[DeletePageOut](b, "delete_page", `{"path":"Empty/"}`)
	call[DeletePageOut](b, "delete_page", `{"path":"Deep/"}`)
	if b.isFolder("Empty") || b.isFolder("Deep") {
		t.Error("an empty folder is still there")
	}
}

// The titles of a Logseq graph are in no folders, so a slash at the end of one means
// nothing.
func TestGraphHasNoFolders(t *testing.T) {
	b := open(t, map[string]string{"logseq/config.edn": "{}", "pages/a.md": "x", "pages/b.md": "y"}, nil)
	b.refused("delete_page", `{"path":"pages/"}`, "NOT_FOUND")
	call[DeletePageOut](b, "delete_page", `{"path":"pages/a.md/","dry_run":true}`)
}

// What agents delete is where the application keeps what its users delete, and agents
// do not see it there.
func TestTrash(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings map[string]string
		trash    string // of a file F/a.md; empty: none
	}{
		{"none", map[string]string{".obsidian/app.json": `{"trashOption":"none"}`}, ""},
		{"system", map[string]string{".obsidian/app.json": `{}`}, ""},
		{"plain folder", nil, ""},
		{"local", map[string]string{".obsidian/app.json": `{"trashOption":"local"}`}, ".trash/F/a.md"},
		{"logseq", map[string]string{"logseq/config.edn": `{}`}, "logseq/.recycle/F_a.md"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"F/a.md": "precious\n", "F/b.md": "", "x.md": ""}
			maps.Copy(files, c.settings)
			b := open(t, files, nil)
			before := b.files()
			out := call[DeletePageOut](b, "delete_page", `{"path":"F/a.md"}`)
			got := b.files()[c.trash]
			if c.trash != "" && (got != "precious\n" || !strings.Contains(out.Note, "in "+trashFolder(c.trash)+",")) || c.trash == "" && len(b.files()) != len(before)-1 {
				t.Errorf("%q, %+v, %q", got, out, b.files())
			}
			equal(t, "hits", 0, call[SearchPagesOut](b, "search_pages", `{"query":"precious"}`).Total)
			if c.trash == "" {
				return
			}
			b.refused("read_page", fmt.Sprintf(`{"path":%q}`, c.trash), "INVALID")
			b.put("F/a.md", "again\n")
			call[DeletePageOut](b, "delete_page", `{"path":"F/a.md"}`)
			ext := filepath.Ext(c.trash)
			equal(t, "the second of that name", "again\n", b.files()[strings.TrimSuffix(c.trash, ext)+"-2"+ext])
		})
	}
}

// An undo takes out of the trash what it brings back, and leaves what is not the same.
func TestUndoTakesFromTrash(t *testing.T) {
	b := open(t, map[string]string{".obsidian/app.json": `{"trashOption":"local"}`, "F/a.md": "one\n", "F/assets/i.png": "png", "x.md": ""}, nil)
	before := b.files()
	var deleted changeRecorder
	b.as(tools.CallContext{Writes: &deleted}, "delete_page", `{"path":"F/"}`)
	equal(t, "targets", []string{"F/ true>false", "F/a.md true>false", "F/assets/ true>false", "F/assets/i.png true>false"}, deleted.targets())
	equal(t, "in the trash", map[string]string{".obsidian/app.json": `{"trashOption":"local"}`, ".trash/F/a.md": "one\n", ".trash/F/assets/i.png": "png", "x.md": ""}, b.files())
	if err := b.Restorer().Restore(t.Context(), tools.CallContext{Writes: &changeRecorder{}}, back(deleted.changes)); err != nil {
		t.Fatal(err)
	}
	equal(t, "files after an undo", before, b.files())
	if b.isFolder(".trash") {
		t.Error("the empty trash is still there")
	}
}

// A trash that is a symbolic link, which may lead to where pages are, is not written.
func TestTrashIsNoLink(t *testing.T) {
	b := open(t, map[string]string{".obsidian/app.json": `{"trashOption":"local"}`, "a.md": "one\n", "Public/": ""}, nil)
	if err := os.Symlink("Public", filepath.Join(b.dir, ".trash")); err != nil {
		t.Skip("no symbolic links:", err)
	}
	b.refused("delete_page", `{"path":"a.md"}`, "UNAVAILABLE")
}
