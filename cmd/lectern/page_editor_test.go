package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEditorWords(t *testing.T) {
	for _, c := range []struct {
		visual, editor string
		want           []string
	}{
		{"emacs -nw", "vi", []string{"emacs", "-nw"}},
		{"", "code --wait", []string{"code", "--wait"}},
		{"  ", "ed", []string{"ed"}},
	} {
		getenv := func(name string) string { return map[string]string{"VISUAL": c.visual, "EDITOR": c.editor}[name] }
		if d := cmp.Diff(c.want, editorWords(getenv)); d != "" {
			t.Errorf("VISUAL=%q EDITOR=%q:\n%s", c.visual, c.editor, d)
		}
	}
}
