package markdown_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown"
	"github.com/lectern-mcp/lectern/tools/toolstest"
)

// TestSuite holds what is true of every System. The examples in the
// declarations were written for testdata/notes.
func TestSuite(t *testing.T) {
	toolstest.Run(t, markdown.System(), func(t testing.TB) toolstest.Fixture {
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
		put(t, filepath.Join(notes, "Pointers.md"), "[[Diary]] [[Private/Plan]] [p](Private/Plan.md) ![[photo.png]] [[Kept]] [[Hidden/Deep/X]] [[Alpha]] [[Projects/Alpha/Beneath]] #open\n")
		return toolstest.Fixture{
			Privacy: tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "Private/**"}, {Tag: "secret"}, {Property: "status", Value: "private"}, {Namespace: "Hidden"}}, Only: []tools.PrivacyRule{{Path: "Projects/**"}, {Path: "Archive/**"}, {Path: "Welcome"}, {Path: "New*"}, {Path: "2026*"}, {Tag: "open"}}},
			Hide:    func(round int) []string { return hide(t, notes, round) },
			Names:   []string{"Projects", "Projects/Alpha.md", "Projects/Beta.md", "Projects/_index.md", "Archive", "Archive/Old.md", "Welcome.md", "/", "New.md", "Archive/Deep/New.md"},
			Edit:    func(seed uint64) { edit(t, notes, seed) },
			Config:  markdown.Config{Path: tools.Folder(notes)},
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

// hide makes pages that are hidden, like visible ones as far as that goes.
func hide(t testing.TB, notes string, round int) []string {
	words := []string{"photo.png", "Dear diary", "Plan", "a1", "First", "secret", "private", "Hidden", "Private", "Private/", "Diary", "hidden/deep/x", "Projects/Alpha/Beneath"}
	for name, content := range map[string]string{
		"Private/Plan.md":           "---\ntitle: Alpha\nid: a1\naliases: [First]\n---\nThe architecture diagram of [[Welcome]] and [[Alpha]].\n",
		"Private/_index.md":         "[b](../Projects/Beta.md)\n",
		"Private/assets/photo.png":  "png",
		"Diary.md":                  "Dear diary, `#secret/deep` [[Projects/Alpha]] [[Beta]]\n",
		"Diary/assets/photo.png":    "png",
		"Projects/Gamma.md":         "---\ntags: [secret]\ntitle: Welcome\n---\n[a](Alpha.md)\n",
		"Projects/Alpha/Beneath.md": "#secret [up](../Alpha.md) ![](assets/d.png)\n",
		"Archive/Kept.md":           "---\nstatus: private\n---\nSee [[Old]]. #open\n",
		"Archive/Broken.md":         "---\ntags: [secret\n---\n[[Old]]\n",
		"Hidden.md":                 "x\n",
		"Hidden/Deep/X.md":          "[[Alpha]]\n",
		"Hidden/Empty/.keep":        "",
		"Projects/beta.md":          "A #secret twin.\n",
		"Projects/Beta/Alpha.md":    "Another [[Alpha]] that is #secret.\n",
		"Projects/Alpha/assets.md":  "#secret\n",
		"Other/Deeper/Page.md":      "#secret\n",
		"Other/Deeper/Page/a.txt":   "x",
		"Stray.md":                  "Neither #opened nor `#open`: [[Alpha]] ![](Stray/assets/photo.png)\n",
		"Stray/assets/photo.png":    "png",
		"Diary/Kept.md":             "tags are [[#secret]] #[[secret]]\n",
	} {
		if round > 0 {
			content += fmt.Sprintf("\nround %d\n", round)
		}
		put(t, filepath.Join(notes, filepath.FromSlash(name)), content)
		if !strings.Contains(name, "/.") {
			words = append(words, name)
		}
	}
	slices.Sort(words)
	return words
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
