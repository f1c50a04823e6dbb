package markdown

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
)

// TestPagesTellSizeAndTime: a person who looks for a page sees how big it is
// and when it was written, without its being read.
func TestPagesTellSizeAndTime(t *testing.T) {
	dir := t.TempDir()
	written := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, text := range map[string]string{"B.md": "two\n", "A/_index.md": "", "A/é.md": "# x", "A/note.txt": "none", ".obsidian/x.md": "none"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, written, written); err != nil {
			t.Fatal(err)
		}
	}
	n, err := Open(t.Context(), Config{Path: tools.Folder(dir)}, tools.Env{Name: "notes"})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	got, err := n.listAllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i].Modified = got[i].Modified.UTC()
	}
	want := []tools.PageInfo{{Name: "A/_index.md", Modified: written}, {Name: "A/é.md", Size: 3, Modified: written}, {Name: "B.md", Size: 4, Modified: written}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}
