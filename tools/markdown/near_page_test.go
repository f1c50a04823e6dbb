package markdown

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Who names a page that is not there is told which one was probably meant, or why it
// cannot be there.
func TestMissingPages(t *testing.T) {
	b := open(t, map[string]string{
		"Projects/Sub.md": "x\n", "Archive/Old.md": "o\n", "A/Notes.md": "", "B/Notes.md": "", "Templates/Week.md": "", ".obsidian/app.json": `{"userIgnoreFilters":["Templates/"]}`,
	}, nil)
	for name, to := range map[string]string{"Link.md": "Archive/Old.md", "Folder": "Archive"} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(b.dir, name)); err != nil {
			t.Skip("no symbolic links:", err)
		}
	}
	for _, c := range []struct{ tool, args, hint string }{
		{"read_page", `{"path":"Projects/Sbu.md"}`, "Did you mean Projects/Sub.md?"},
		{"read_page", `{"path":"sub"}`, "Did you mean Projects/Sub.md?"},
		{"read_page", `{"path":"Notes.md"}`, "Did you mean A/Notes.md or B/Notes.md?"},
		{"read_page", `{"path":"Wek.md"}`, "Use list_pages or search_pages to find it."},
		{"read_page", `{"path":"Quite different.md"}`, "Use list_pages or search_pages to find it."},
		{"read_page", `{"path":"Link.md"}`, "Link.md is a symbolic link, and links are not followed. Use the path of the file itself."},
		{"edit_page", `{"path":"Folder/Old.md","action":"append","content":"x"}`, "Folder is a symbolic link, and links are not followed. Use the path of the file itself."},
		{"delete_page", `{"path":"Old.md"}`, "Did you mean Archive/Old.md?"},
		{"get_page_links", `{"path":"Archive/Od.md"}`, "Did you mean Archive/Old.md?"},
		{"move_page", `{"sourcePath":"Old.md","destinationPath":"New.md"}`, "Did you mean Archive/Old.md?"},
		{"add_attachment", `{"pagePath":"Old.md","fileName":"x.txt","data":"eA=="}`, "Did you mean Archive/Old.md?"},
		{"list_pages", `{"path":"Old.md"}`, "Did you mean Archive/Old.md?"},
	} {
		equal(t, c.tool+c.args, c.hint, b.refused(c.tool, c.args, "NOT_FOUND").Hint)
	}
}

func TestRefusedContent(t *testing.T) {
	b := open(t, fixture(), nil)
	for tool, args := range map[string]string{
		"create_page": `{"title":"New","content":"a\nb\u0000c"}`, "write_page": `{"path":"Welcome.md","content":"a\nb\u0000c"}`,
		"edit_page": `{"path":"Welcome.md","action":"append","content":"a\nb\u0000c"}`,
	} {
		if e := b.refused(tool, args, "INVALID"); !strings.HasPrefix(e.Error, "content: ") {
			t.Errorf("%s: %+v", tool, e)
		}
	}
	equal(t, "a path with ..", `path: the path has a part ".."; write it as Welcome.md`, b.refused("read_page", `{"path":"Projects/../Welcome.md"}`, "INVALID").Error)
	b.refused("read_page", `{"path":"Projects/../../Welcome.md"}`, "DENIED")
}
