package markdown

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

// A file that iCloud has moved off the machine is said to be there, and none takes its name.
func TestCloudPlaceholders(t *testing.T) {
	files := map[string]string{".Gone.md.icloud": "bplist00", "D/.Far.md.icloud": "bplist00", ".p.png.icloud": "bplist00", "a.md": "a\n", "q.png": "png"}
	b := open(t, files, nil)
	for _, call := range [][2]string{
		{"read_page", `{"path":"Gone.md"}`},
		{"read_page", `{"path":"D/Far"}`},
		{"edit_page", `{"path":"Gone","action":"append","content":"x"}`},
		{"delete_page", `{"path":"Gone.md"}`},
		{"move_page", `{"sourcePath":"Gone.md","destinationPath":"D"}`},
	} {
		if e := b.refused(call[0], call[1], "NOT_FOUND"); !strings.Contains(e.Hint, "iCloud") {
			t.Errorf("%s: %+v", call, e)
		}
	}
	for _, call := range [][2]string{
		{"create_page", `{"title":"Gone","content":"new"}`},
		{"write_page", `{"path":"D/Far.md","content":"new"}`},
		{"move_page", `{"sourcePath":"a.md","destinationPath":"Gone.md"}`},
		{"move_page", `{"sourcePath":"q.png","destinationPath":"p.png"}`},
	} {
		if e := b.refused(call[0], call[1], "CONFLICT"); !strings.Contains(e.Hint, "iCloud") {
			t.Errorf("%s: %+v", call, e)
		}
	}
	equal(t, "files", files, b.files())
	hiding := notebook(t, b, privacy(t, []string{"Gone", "#secret"}, nil))
	for _, file := range []string{"Gone.md", "D/Far.md"} { // Far.md may have the tag
		if _, err := hiding.ReadPage(t.Context(), ReadPageIn{Path: file}); strings.Contains(tools.AsError(err).Hint, "iCloud") {
			t.Errorf("%s: %v", file, err)
		}
		_, err := hiding.WritePage(t.Context(), tools.CallContext{}, WritePageIn{Path: file, Content: "new"})
		equal(t, file, hiddenError().Error(), err.Error())
	}
}
