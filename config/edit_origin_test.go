package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Nothing but the origin is written, wherever others stand already.
func TestAllowOrigin(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a table of its own", "[hub]\nport = 1 # mine\n", "[hub]\nport = 1 # mine\n\n[bridge]\norigins = [\"file://\"]\n"},
		{"an existing table", "[bridge]\n# careful\nplain_token = false\n\n[hub]\nport = 1\n", "[bridge]\n# careful\nplain_token = false\norigins = [\"file://\"]\n\n[hub]\nport = 1\n"},
		{"an empty list", "[bridge]\norigins = [] # none yet\n", "[bridge]\norigins = [\"file://\"] # none yet\n"},
		{"behind others", "[bridge]\norigins = [\n  \"app://x\", # mine\n  'null' # both\n]\n", "[bridge]\norigins = [\n  \"app://x\", # mine\n  'null', \"file://\" # both\n]\n"},
		{"before a last comma", "[bridge]\norigins = [\"app://x\",]\n", "[bridge]\norigins = [\"app://x\", \"file://\",]\n"},
		{"under the former name", "[logseq]\norigins = [\"app://x\"]\n", "[logseq]\norigins = [\"app://x\", \"file://\"]\n"},
		{"beside the former table", "[logseq]\nplain_token = true\n", "[logseq]\nplain_token = true\n\n[bridge]\norigins = [\"file://\"]\n"},
		{"in an inline table", "bridge = { origins = [\"app://x\"] }\n", "bridge = { origins = [\"app://x\", \"file://\"] }\n"},
		{"with a mark and Windows' line ends", "\ufeff[bridge]\r\norigins = [\"app://x\"]\r\n", "\ufeff[bridge]\r\norigins = [\"app://x\", \"file://\"]\r\n"},
	} {
		edit, err := parse(t, c.text).AllowOrigin("file://")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d := cmp.Diff(c.want, string(edit.After)); d != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, d)
		}
		if again, err := parse(t, string(edit.After)).AllowOrigin("file://"); err != nil || again.HasChanges() {
			t.Errorf("%s: a second time: %v, %v", c.name, again.Diff(), err)
		}
	}
}

func TestAllowOriginRefused(t *testing.T) {
	for text, want := range map[string]string{
		"bridge.plain_token = true\n":                         "write origins = [\"file://\"] below [bridge] with an editor",
		"bridge = { plain_token = true }\n":                   "cannot be edited safely",
		"[bridge]\norigins = [\"\"\"app://x\"\"\"] # three\n": "cannot be edited safely",
	} {
		if _, err := parse(t, text).AllowOrigin("file://"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, origin := range []string{"", "file", "*", "https://*.example", "a b://c", "://x"} {
		if _, err := parse(t, "").AllowOrigin(origin); err == nil || !strings.Contains(err.Error(), "is not an origin") {
			t.Errorf("%q: %v", origin, err)
		}
	}
}
