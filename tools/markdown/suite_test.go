package markdown_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/lectern-mcp/lectern/tools/markdown"
	"github.com/lectern-mcp/lectern/tools/toolstest"
)

// TestSuite holds what is true of every System. The examples in the
// declarations were written for testdata/notes.
func TestSuite(t *testing.T) {
	toolstest.Run(t, markdown.System(), func(t testing.TB) toolstest.Place {
		around := t.TempDir()
		notes := filepath.Join(around, "notes")
		if err := os.CopyFS(notes, os.DirFS(filepath.Join("testdata", "notes"))); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(around, "secret.md"), []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		return toolstest.Place{
			Config:  markdown.Config{Path: notes},
			Digest:  func() string { return digest(t, notes, "") },
			Outside: func() string { return digest(t, around, "notes") },
		}
	})
}

// digest is a hash over all names and contents below dir, without what is in
// the folder of that name.
func digest(t testing.TB, dir, without string) string {
	h := sha256.New()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == without {
			return fs.SkipDir
		}
		fmt.Fprintf(h, "%q %v\n", p, d.Type())
		if d.Type().IsRegular() {
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "%d\n%s\n", len(b), b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
