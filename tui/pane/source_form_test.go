package pane

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// What an empty name becomes is what [config.Config.AddSource] makes of it: the name of
// the folder only where there is one.
func TestSourceFormSaysTheName(t *testing.T) {
	folder := status.ConfigKey{Name: "folder", Type: "folder"}
	required := folder
	required.Required = true
	for _, c := range []struct{ name, kind, typed, want string }{
		{"detected", "", "", "empty for the folder name"},
		{"a folder is needed", "markdown", "", "empty for the folder name"},
		{"a folder of its own", "workspace", "", "empty for workspace"},
		{"a folder that is named", "workspace", "/home/you/ws", "empty for the folder name"},
		{"blanks name no folder", "workspace", "  ", "empty for workspace"},
		{"no folder", "remote", "", "empty for remote"},
	} {
		kinds := map[string]status.SourceKind{
			"markdown":  {Kind: "markdown", Keys: []status.ConfigKey{required}},
			"workspace": {Kind: "workspace", Keys: []status.ConfigKey{{Name: "database", Type: "secret"}, folder}},
			"remote":    {Kind: "remote", Keys: []status.ConfigKey{{Name: "url", Type: "text"}}},
		}
		f := NewSourceForm(DefaultKeys()).ResetToKind(kinds[c.kind])
		if c.typed != "" {
			f = f.withFieldInput("folder", widget.NewTextInput(c.typed))
		}
		if rows := strings.Join(f.Rows(theme.New(theme.Mode{}), 80), "\n"); !strings.Contains(rows, c.want) {
			t.Errorf("%s: want %q in\n%s", c.name, c.want, rows)
		}
	}
}
