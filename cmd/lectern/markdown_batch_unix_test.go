//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A batch is carried out as a whole or not at all, sees what it has written, and is
// taken back at once: after a person's rules were asked, too, for which it runs twice.
func TestMarkdownBatch(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a hub")
	}
	lectern, err := exec.LookPath("lectern") // this binary, under that name
	if err != nil {
		t.Fatal(err)
	}
	home := newHomeWith(t, "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\ntools = [\"batch\"]\neffects = [\"read\", \"write\", \"run\"]\n\n"+
		"[[rule]]\ndo = \"deny\"\nsource = \"notes\"\neffects = [\"write\"]\npath = \"Closed/**\"\n")
	vault := filepath.Join(home, "notes")
	if err := os.WriteFile(filepath.Join(vault, ".skb-meta.json"), []byte("{}"), 0o600); err != nil { // a mirror, whose pages get ids and times
		t.Fatal(err)
	}
	s := connectVault(t, "lectern", vault, []string{"LECTERN_HOME=" + home}, lectern, "serve")
	s.refused(t, "batch", `{"steps":[{"tool":"edit_page","arguments":{"path":"a.md","action":"append","content":"more"}},{"tool":"edit_page","arguments":{"path":"none.md","action":"append","content":"x"}}]}`, "steps[1] edit_page")
	if err := s.hasNo("a.md", "more"); err != nil {
		t.Error(err)
	}
	s.call(t, "batch", `{"steps":[{"tool":"create_page","arguments":{"title":"New","content":"text"}},{"tool":"edit_page","arguments":{"path":"New.md","action":"append","content":"- a line"}},`+
		`{"tool":"edit_page","arguments":{"path":"a.md","action":"append","content":"more"}}]}`)
	for page, text := range map[string]string{"New.md": "- a line", "a.md": "words\n\nmore\n"} {
		if err := s.has(page, text); err != nil {
			t.Error(err)
		}
	}
	runLectern(t, home, "undo", "--source", "notes", "--yes")
	if err := s.lacks("New.md"); err != nil {
		t.Error(err)
	}
	if err := s.hasNo("a.md", "more"); err != nil {
		t.Error(err)
	}
}
