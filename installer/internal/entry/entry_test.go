package entry_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/installer/internal/entry"
)

var (
	inJSON = entry.Location{Format: entry.JSON, Parents: []string{"mcpServers"}, Name: "lectern"}
	inTOML = entry.Location{Format: entry.TOML, Parents: []string{"mcp_servers"}, Name: "lectern"}
	inList = entry.Location{Format: entry.TOML, Parents: []string{"mcp_servers"}, List: true, Name: "lectern"}
	inYAML = entry.Location{Format: entry.YAML, Parents: []string{"extensions"}, Name: "lectern"}
	inSeq  = entry.Location{Format: entry.YAML, Parents: []string{"mcpServers"}, List: true, Name: "lectern"}

	serve = entry.Fields{{"command", "/bin/lectern"}, {"args", []string{"serve"}}}
	named = append(entry.Fields{{"name", "lectern"}}, serve...)
)

// Each text with the entry and without; undone says what Remove leaves where
// that is not the text as it was.
var edits = map[string]struct {
	place               entry.Location
	before, set, undone string
}{
	"json: a neighbour": {
		inJSON, "{\n    \"mcpServers\": {\n        \"a\": {}\n    },\n    \"z\": 1.50\n}\n",
		"{\n    \"mcpServers\": {\n        \"a\": {},\n        \"lectern\": {\n            \"command\": \"/bin/lectern\",\n            \"args\": [\"serve\"]\n        }\n    },\n    \"z\": 1.50\n}\n", "",
	},
	"json: nothing yet": {inJSON, "", "{\n  \"mcpServers\": {\n    \"lectern\": {\n      \"command\": \"/bin/lectern\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n", "{}\n"},
	"json: empty":       {inJSON, "{}", "{\n  \"mcpServers\": {\n    \"lectern\": {\n      \"command\": \"/bin/lectern\",\n      \"args\": [\"serve\"]\n    }\n  }\n}", ""},
	"json: packed":      {inJSON, `{"a":1}`, `{"a":1,"mcpServers":{"lectern":{"command":"/bin/lectern","args":["serve"]}}}`, ""},
	"json: one line":    {inJSON, `{ "mcpServers": { "b": {} } }`, `{ "mcpServers": { "b": {}, "lectern": {"command": "/bin/lectern", "args": ["serve"]} } }`, ""},
	"json: comments, tabs, crlf, mark": {
		inJSON, "\ufeff// top\r\n{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {}, // of a\r\n\t\t// below a\r\n\t}, /* after */\r\n}\r\n",
		"\ufeff// top\r\n{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {}, // of a\r\n\t\t\"lectern\": {\r\n\t\t\t\"command\": \"/bin/lectern\",\r\n\t\t\t\"args\": [\"serve\"]\r\n\t\t},\r\n\t\t// below a\r\n\t}, /* after */\r\n}\r\n", "",
	},
	"json: comment after the last": {
		inJSON, "{\n  \"mcpServers\": {\n    \"a\": {} // of a\n  }\n}",
		"{\n  \"mcpServers\": {\n    \"a\": {}, // of a\n    \"lectern\": {\n      \"command\": \"/bin/lectern\",\n      \"args\": [\"serve\"]\n    }\n  }\n}", "",
	},
	"json: only a comment inside": {
		inJSON, "{\n  \"mcpServers\": {\n    // none\n  }\n}",
		"{\n  \"mcpServers\": {\n    // none\n    \"lectern\": {\n      \"command\": \"/bin/lectern\",\n      \"args\": [\"serve\"]\n    }\n  }\n}", "",
	},
	"toml: end of file": {inTOML, "a = 1 # one\r\n[mcp_servers.b]\r\ncommand = 'b'\r\n", "a = 1 # one\r\n[mcp_servers.b]\r\ncommand = 'b'\r\n\r\n[mcp_servers.lectern]\r\ncommand = \"/bin/lectern\"\r\nargs = [\"serve\"]\r\n", ""},
	"toml: nothing yet": {inTOML, "", "[mcp_servers.lectern]\ncommand = \"/bin/lectern\"\nargs = [\"serve\"]\n", ""},
	"toml: list":        {inList, "[[mcp_servers]]\nname = \"b\"\n", "[[mcp_servers]]\nname = \"b\"\n\n[[mcp_servers]]\nname = \"lectern\"\ncommand = \"/bin/lectern\"\nargs = [\"serve\"]\n", ""},
	"toml: list written out": {
		inList, "mcp_servers = []\nb = 1\n",
		"mcp_servers = [{ name = \"lectern\", command = \"/bin/lectern\", args = [\"serve\"] }]\nb = 1\n", "",
	},
	"yaml: a neighbour": {
		inYAML, "# top\nextensions:\n  dev:   # of dev\n    x: |\n      # text\n\n# below\nb:  1\n",
		"# top\nextensions:\n  dev:   # of dev\n    x: |\n      # text\n  lectern:\n    command: /bin/lectern\n    args:\n      - serve\n\n# below\nb:  1\n", "",
	},
	"yaml: nothing inside":  {inYAML, "extensions: {} # none\nb: 1", "extensions: # none\n  lectern:\n    command: /bin/lectern\n    args:\n      - serve\nb: 1", ""},
	"yaml: no container":    {inYAML, "b: 1", "b: 1\nextensions:\n  lectern:\n    command: /bin/lectern\n    args:\n      - serve", "b: 1\n"},
	"yaml: nothing yet":     {inYAML, "", "extensions:\n  lectern:\n    command: /bin/lectern\n    args:\n      - serve\n", ""},
	"yaml: list":            {inSeq, "mcpServers:\r\n- name: b\r\n  command: c\r\nz: 1\r\n", "mcpServers:\r\n- name: b\r\n  command: c\r\n- name: lectern\r\n  command: /bin/lectern\r\n  args:\r\n    - serve\r\nz: 1\r\n", ""},
	"yaml: alias and quote": {inYAML, "a: &x {k: \"v\"}\nextensions:\n    b: *x\n", "a: &x {k: \"v\"}\nextensions:\n    b: *x\n    lectern:\n      command: /bin/lectern\n      args:\n        - serve\n", ""},
}

func TestEdits(t *testing.T) {
	for name, c := range edits {
		t.Run(name, func(t *testing.T) {
			fields := serve
			if c.place.List {
				fields = named
			}
			after, made, err := c.place.Set([]byte(c.before), fields)
			if err != nil || string(after) != c.set {
				t.Fatalf("set: %v\n%s", err, cmp.Diff(c.set, string(after)))
			}
			again, _, err := c.place.Set(after, fields)
			if err != nil || string(again) != c.set {
				t.Errorf("set again: %v\n%s", err, cmp.Diff(c.set, string(again)))
			}
			if got, err := c.place.Get(after); err != nil || got["command"] != "/bin/lectern" {
				t.Errorf("get: %v, %v", got, err)
			}
			want := c.before
			if c.undone != "" {
				want = c.undone
			}
			if undone, err := c.place.Remove(after, made); err != nil || string(undone) != want {
				t.Errorf("remove: %v\n%s", err, cmp.Diff(want, string(undone)))
			}
		})
	}
}

// An entry that says something else is replaced where it stands.
func TestReplace(t *testing.T) {
	for _, c := range []struct {
		place        entry.Location
		before, want string
	}{
		{inJSON, "{\"mcpServers\": {\n  \"lectern\": {\"x\": 1}, // c\n  \"b\": 2\n}}", "{\"mcpServers\": {\n  \"lectern\": {\"command\": \"/bin/lectern\", \"args\": [\"serve\"]}, // c\n  \"b\": 2\n}}"},
		{inTOML, "[mcp_servers]\nlectern = { command = 'x' }\nb = {}\n", "[mcp_servers]\nb = {}\n\n[mcp_servers.lectern]\ncommand = \"/bin/lectern\"\nargs = [\"serve\"]\n"},
		{inTOML, "[mcp_servers.lectern]\ncommand = 'x'\n[mcp_servers.lectern.env]\nA = 'b'\n[c]\n", "[c]\n\n[mcp_servers.lectern]\ncommand = \"/bin/lectern\"\nargs = [\"serve\"]\n"},
		{inYAML, "extensions:\n  lectern:\n    x: 1\n  b: {}\n", "extensions:\n  lectern:\n    command: /bin/lectern\n    args:\n      - serve\n  b: {}\n"},
	} {
		got, _, err := c.place.Set([]byte(c.before), serve)
		if err != nil || string(got) != c.want {
			t.Errorf("%v\n%s", err, cmp.Diff(c.want, string(got)))
		}
	}
}

func TestRefused(t *testing.T) {
	deep := strings.Repeat("[", 2000)
	for _, c := range []struct {
		place      entry.Location
		text, want string
	}{
		{inJSON, "{\n  \"a\": 1\n  \"b\": 2\n}", "3:3: "},
		{inJSON, "[]", "1:1: this must be an object"},
		{inJSON, "{\"mcpServers\": []}", "1:16: this must be an object"},
		{inJSON, "{\"mcpServers\": {},\n \"mcpServers\": {}}", "2:2: duplicate key \"mcpServers\""},
		{inJSON, "{\"mcpServers\": {\"lectern\": {}, \"lectern\": {}}}", "1:32: duplicate key \"lectern\""},
		{inJSON, "{\"mcpServers\": {\"lectern\": 1}}", "mcpServers.lectern is not a table"},
		{inJSON, deep, "brackets are nested more than 1000 deep"},
		{inTOML, "a = 1\nb = \n", "2:5: "},
		{inTOML, "mcp_servers = { b = {} }\n", "cannot be edited safely"},
		{inYAML, "a: 1\n\tb: 2\n", "2:"},
		{inYAML, "a: 1\na: 2\n", "2:1: "},
		{inYAML, "extensions: {b: {}}\n", "cannot be edited safely"},
		{inYAML, "- a\n", "1:1: this must be a mapping"},
		{inYAML, "a: 1\n---\nb: 1\n", "a second document"},
		{inYAML, "a: " + strings.Repeat("x", 1<<20), "the file has 1048579 bytes"},
		{inSeq, "mcpServers: {}\n", "mcpServers is not a list of servers"},
	} {
		_, _, err := c.place.Set([]byte(c.text), serve)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v, want %s", c.text, err, c.want)
		}
		f, isFault := errors.AsType[*entry.Fault](err)
		if !isFault && !errors.Is(err, entry.ErrManualEdit) {
			t.Errorf("%.40q: an error of type %T", c.text, err)
		} else if isFault && f.Line == 1 && c.want[0] == '1' && f.Column == 0 {
			t.Errorf("%.40q: no column", c.text)
		}
	}
}

// Whatever the text, an edit is refused or proved, and undone by Remove.
// Entries that somebody else wrote, however they wrote them: what is around
// them stays as it is.
func TestRemoveAnywhere(t *testing.T) {
	for before, want := range map[string]string{
		`{"mcpServers":{"lectern":{},"b":{}}}`:                 `{"mcpServers":{"b":{}}}`,
		`{"mcpServers":{"a":{},"lectern":{},"b":{}}}`:          `{"mcpServers":{"a":{},"b":{}}}`,
		`{"mcpServers":{"a":{},"lectern":{}}}`:                 `{"mcpServers":{"a":{}}}`,
		`{"mcpServers": {"lectern": {} , "b": {}}}`:            `{"mcpServers": {"b": {}}}`,
		"{\"mcpServers\":{\n\t\"lectern\":{},\n\t\"b\":{}\n}}": "{\"mcpServers\":{\n\t\"b\":{}\n}}",
		`{"mcpServers":{"lectern":{}}}`:                        `{"mcpServers":{}}`,
	} {
		after, err := inJSON.Remove([]byte(before), 0)
		if err != nil || string(after) != want {
			t.Errorf("%s becomes %s (%v), want %s", before, after, err, want)
		}
	}
}

func FuzzEdit(f *testing.F) {
	places := []entry.Location{inJSON, inTOML, inList, inYAML, inSeq}
	for _, c := range edits {
		for i := range places {
			f.Add(i, c.before)
			f.Add(i, c.set)
			f.Add(i, `{"mcpServers":{"lectern":{},"b":{}}}`)
		}
	}
	f.Fuzz(func(t *testing.T, i int, text string) {
		p := places[uint(i)%uint(len(places))]
		if gone, err := p.Remove([]byte(text), 0); err == nil {
			if got, err := p.Get(gone); err != nil || got != nil {
				t.Fatalf("get after remove: %v, %v\n%q", got, err, gone)
			}
		}
		after, made, err := p.Set([]byte(text), named)
		if err != nil {
			return
		}
		if got, err := p.Get(after); err != nil || got["command"] != "/bin/lectern" {
			t.Fatalf("get after set: %v, %v\n%s", got, err, after)
		}
		undone, err := p.Remove(after, made)
		if errors.Is(err, entry.ErrManualEdit) {
			return
		}
		if err != nil {
			t.Fatalf("remove: %v\n%q", err, after)
		}
		if got, err := p.Get(undone); err != nil || got != nil {
			t.Fatalf("get after remove: %v, %v", got, err)
		}
	})
}
