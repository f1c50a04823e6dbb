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
		for name, mode := range map[string]fs.FileMode{"Projects/Alpha.md": 0o600, "Projects/Alpha": 0o700, "Archive/Old.md": 0o664} {
			if err := os.Chmod(filepath.Join(notes, name), mode); err != nil {
				t.Fatal(err)
			}
		}
		return toolstest.Place{
			Names:   []string{"Projects", "Projects/Alpha.md", "Projects/Beta.md", "Projects/_index.md", "Archive", "Archive/Old.md", "Welcome.md", "/", "New.md", "Archive/Deep/New.md"},
			Edit:    func(seed uint64) { edit(t, notes, seed) },
			Config:  markdown.Config{Path: notes},
			Digest:  func() string { return digest(t, notes, "") },
			Outside: func() string { return digest(t, around, "notes") },
		}
	})
}

func put(t testing.TB, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// edit is a person who changes, makes, moves or removes something.
func edit(t testing.TB, notes string, seed uint64) {
	t.Helper()
	files := []string{"Welcome.md", "Projects/Alpha.md", "Projects/Alpha/_index.md", "Archive/Old.md", "Archive/Deep/New.md", "Projects/assets/hello.txt"}
	file := filepath.Join(notes, files[seed%uint64(len(files))])
	switch seed >> 8 % 4 {
	case 0:
		_ = os.Remove(file) // which may not be there
	case 1:
		_ = os.Chmod(file, 0o640)
	case 2:
		_ = os.Rename(file, file+" by hand.md")
	default:
		if info, err := os.Stat(filepath.Dir(file)); err == nil && info.IsDir() {
			put(t, file, fmt.Sprintf("By hand %d, see [[Alpha]] and [b](../Projects/Beta.md).\n", seed))
		}
	}
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
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %v\n", p, info.Mode())
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
