package markdown

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

// BenchmarkPageTargets is what naming the target of a read adds to each call.
func BenchmarkPageTargets(b *testing.B) {
	dir := b.TempDir()
	n, err := Open(b.Context(), Config{Path: tools.Folder(dir)}, tools.Env{Name: "notes", Privacy: privacy(b, []string{"Private", "namespace:Diary"}, nil)})
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"a.md", "Projects/Alpha.md", "Projects/_index.md", "Straße.md", "one.md", "two.md", "three.md"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("text"), 0o600)); err != nil {
			b.Fatal(err)
		}
	}
	for _, arg := range []string{"a.md", "a", "Projects/Alpha", "Projects", "Straße"} {
		b.Run(arg, func(b *testing.B) {
			for b.Loop() {
				n.pageTargets(arg)
			}
		})
	}
	_ = n.Close()
}
