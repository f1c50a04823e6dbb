package markdown

import (
	"fmt"
	"testing"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// People learn how much their rules hide, and which of them match nothing.
func TestCountHiddenPages(t *testing.T) {
	files := map[string]string{
		"a.md": "#open", "b.md": "---\ntags: [Secret]\n---\n", "Private/x.md": "", "Private/assets/p.png": "", "Private/assets/y.md": "", "Empty/": "",
		"Media/v.mp4": "", "logseq/bak/x.md": "", ".obsidian/app.json": "{}", "broken.md": "---\na: [\n---\n",
	}
	for _, c := range []struct {
		exclude, only []string
		want          status.HiddenPages
	}{
		{nil, nil, status.HiddenPages{Total: 4}},
		{[]string{"Private"}, nil, status.HiddenPages{Hidden: 1, Total: 4}},
		{[]string{"private/", "Empty", "**/*.mp4", "Private/assets", ".obsidian"}, nil, status.HiddenPages{Hidden: 1, Total: 4}},
		{[]string{"Pirvate/**", "Private"}, nil, status.HiddenPages{Hidden: 1, Total: 4, Unmatched: []string{"Pirvate"}}},
		{[]string{"#secret", "#none", "property:tags", "namespace:Private"}, nil, status.HiddenPages{Hidden: 3, Total: 4, Unmatched: []string{"#none"}}},
		{nil, []string{"#open", "Work"}, status.HiddenPages{Hidden: 3, Total: 4, Unmatched: []string{"Work"}}},
	} {
		b := open(t, files, nil)
		n, err := Open(t.Context(), Config{Path: tools.Folder(b.dir)}, tools.Env{Name: "notes", Privacy: privacy(t, c.exclude, c.only)})
		if err != nil {
			t.Fatal(err)
		}
		c.want.LeftOut = []string{`backups and what other programs keep: "logseq/bak"`}
		got, err := n.CountHiddenPages(t.Context())
		if err != nil {
			t.Error(err)
		}
		equal(t, fmt.Sprint("exclude ", c.exclude, " only ", c.only), c.want, got)
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}
}
