package markdown

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that its owner has made read-only is left alone by every tool, and
// the agent learns what the user can do.
func TestReadOnlyFileStays(t *testing.T) {
	b := open(t, nil, nil)
	b.put("kept.md", "# Kept\n")
	b.put("sub/kept2.md", "see [kept](../kept.md)\n")
	b.put("free.md", "free, see [kept](sub/kept2.md)\n")
	for _, name := range []string{"kept.md", "sub/kept2.md"} {
		if err := os.Chmod(filepath.Join(b.dir, name), 0o444); err != nil {
			t.Fatal(err)
		}
	}
	for _, call := range [][2]string{
		{"write_page", `{"path":"kept.md","content":"new"}`},
		{"delete_page", `{"path":"kept.md"}`},
		{"move_page", `{"sourcePath":"kept.md","destinationPath":"moved.md"}`},
		{"move_page", `{"sourcePath":"sub/kept2.md","destinationPath":"other.md"}`},
	} {
		e := b.refused(call[0], call[1], "DENIED")
		if !strings.Contains(e.Error, "read-only") || !strings.Contains(e.Hint, "chmod u+w") {
			t.Errorf("%s %s: %+v", call[0], call[1], e)
		}
	}
	if answer, ok := b.try("write_page", `{"path":"free.md","content":"new"}`); !ok || b.get("free.md") != "new" {
		t.Errorf("another file: %s", answer)
	}
}
