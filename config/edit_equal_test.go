package config

import (
	"errors"
	"testing"
)

// An edit is refused if the text that it makes means anything else than it
// should, in whatever table.
func TestEditChangesNothingElse(t *testing.T) {
	schema := Schema{Kinds: map[string][]Key{"k": {{Name: "path", Type: Folder}, {Name: "tenant", Type: Text}}}, Effects: []string{"read"}, Verdicts: []string{"deny"}}
	const text = "[[source]]\nname = \"a\"\nkind = \"k\"\npath = \"/a\"\n"
	c, err := Parse("/c/config.toml", []byte(text), schema)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.edited([]byte("\n"+text), c); err != nil {
		t.Errorf("a table that moved by a line: %v", err)
	}
	for _, also := range []string{
		"[hub]\nport = 4000\n",
		"[hub]\nport = 12740\n", // the default, written down
		"[limits]\nin_flight = 1\n",
		"[journal]\nkeep = \"1h\"\n",
		"[bridge]\nplain_token = true\n",
		"[bridge]\norigins = [\"file://\"]\n",
		"[system.k]\ntenant = \"t\"\n",
		"[update]\ncheck = false\n",
		"[update]\nmirror = \"https://example.com\"\n",
		"[[source]]\nname = \"b\"\nkind = \"k\"\npath = \"/b\"\n",
		"[[client]]\nname = \"b\"\n",
		"[[rule]]\ndo = \"deny\"\n",
	} {
		if _, err := c.edited([]byte(text+also), c); !errors.Is(err, errManualEdit) {
			t.Errorf("an edit that also adds %q: %v", also, err)
		}
	}
	if _, err := c.edited([]byte(text+"[hub]\nport = 12740\n"), c, "hub.port"); err != nil {
		t.Errorf("a setting that the edit is about: %v", err)
	}
}
