package markdown

import (
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

// A Change is hidden by what its file is now, was before or became, and where
// that is not known.
func TestHidesChanges(t *testing.T) {
	b := open(t, map[string]string{"now.md": "#secret", "open.md": "x", "Private/a.md": "x", "pic.png": "x"}, nil)
	text := func(s string) tools.State { return tools.State{Exists: true, Data: []byte(s)} }
	for _, c := range []struct {
		name    string
		exclude string
		change  tools.Change
		want    bool
	}{
		{"nothing is hidden", "", tools.Change{Target: "now.md"}, false},
		{"open", "#secret", tools.Change{Target: "open.md", Before: text("was"), After: text("x")}, false},
		{"now", "#secret", tools.Change{Target: "now.md", Before: text("was"), After: text("x")}, true},
		{"before", "#secret", tools.Change{Target: "open.md", Before: text("#secret"), After: text("x")}, true},
		{"after, and gone", "#secret", tools.Change{Target: "gone.md", After: text("#secret")}, true},
		{"gone", "#secret", tools.Change{Target: "gone.md", After: text("x")}, false},
		{"gone, and what it held too", "#secret", tools.Change{Target: "gone.md"}, true},
		{"gone, by path", "Private/**", tools.Change{Target: "gone.md"}, false},
		{"path", "Private/**", tools.Change{Target: "Private/gone.md", After: text("x")}, true},
		{"folder", "Private/**", tools.Change{Target: "Private/", After: tools.State{Exists: true}}, true},
		{"other folder", "Private/**", tools.Change{Target: "Open/", After: tools.State{Exists: true}}, false},
		{"attachment", "**/*.png", tools.Change{Target: "pic.png", After: text("x")}, true},
		{"other attachment", "#secret", tools.Change{Target: "pic.png", After: text("x")}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var exclude []string
			if c.exclude != "" {
				exclude = []string{c.exclude}
			}
			v := notebook(t, b, privacy(t, exclude, nil))
			if got, err := v.HidesChange(t.Context(), c.change); err != nil || got != c.want {
				t.Errorf("hidden %v (%v), want %v", got, err, c.want)
			}
		})
	}
}
