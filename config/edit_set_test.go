package config_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/config"
)

// Every byte that is not what changes stays what it was.
func TestSetSourceBytes(t *testing.T) {
	const rest = "\n[[client]]\nname = 'x'\nsource = 'a' # mine\n\n[[rule]]\ndo = \"deny\"\nsource = \"a\"\n\n[[rule]]\ndo = \"deny\"\nsource = \"a*\"\n"
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for name, c := range map[string]struct {
		before, after string
		set           func(*config.Source)
		typed         map[string]string
	}{
		"nothing": {tableA + rest, tableA + rest, func(*config.Source) {}, nil},
		"rules": {
			"# top\n" + tableA + "exclude = [\n  'x', # why\n] # end\n" + tableB, "# top\n" + tableA + "exclude = [\"x\", \"y\"] # end\n" + tableB,
			func(s *config.Source) { s.Exclude = []string{"x", "y"} }, nil,
		},
		"the last rule":    {tableA + "only = ['x']\n# end\n", tableA + "# end\n", func(s *config.Source) { s.Only = nil }, nil},
		"read-only":        {crlf(tableA), crlf(tableA + "read_only = true\n"), func(s *config.Source) { s.ReadOnly = true }, nil},
		"no longer":        {tableA + "read_only = true # !\n", tableA, func(s *config.Source) { s.ReadOnly = false }, nil},
		"asks for nothing": {"\ufeff" + tableA, "\ufeff" + tableA + "ask = []\n", func(s *config.Source) { s.Ask = []string{} }, nil},
		"tools":            {tableA + "tools = 'all'\n", tableA + "tools = [\"get_tree\"]\n", func(s *config.Source) { s.Tools = []string{"get_tree"} }, nil},
		"all tools":        {tableA, tableA + "tools = [\"all\"]\n", func(s *config.Source) { s.Tools = []string{"all"} }, nil},
		"no more tools":    {tableA + "tools = ['all']\n", tableA, func(s *config.Source) { s.Tools = nil }, nil},
		"a key": {
			tableA + "tenant = \"t\" # one\n" + tableB, strings.Replace(tableA, "/a", "/c", 1) + tableB, func(*config.Source) {},
			map[string]string{"path": "/c", "tenant": ""},
		},
		"a name": {
			tableA + rest, strings.Replace(tableA, `"a"`, `"c"`, 1) + strings.NewReplacer("'a'", `"c"`, `"a"`, `"c"`).Replace(rest),
			func(s *config.Source) { s.Name = "c" }, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			conf := parse(t, c.before)
			s, _ := conf.Source("a")
			c.set(&s)
			e, now, err := conf.SetSource("a", s, c.typed)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.after, string(e.After)); d != "" || now.Name != s.Name || e.HasChanges() != (c.before != c.after) {
				t.Errorf("%+v %s", now, d)
			}
		})
	}
}

func TestSetSourceThatIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		set        func(*config.Source)
		typed      map[string]string
		key        bool // a KeyError
	}{
		"no such source": {tableB, "unknown source, did you mean b?", func(*config.Source) {}, nil, false},
		"taken name":     {tableA + tableB, "the name b is taken by the source in line 5", func(s *config.Source) { s.Name = "b" }, nil, false},
		"bad name":       {tableA, `how about "a-b"?`, func(s *config.Source) { s.Name = "A b" }, nil, false},
		"unknown key":    {tableA, "tenat: unknown key, did you mean tenant?", func(*config.Source) {}, map[string]string{"tenat": "x"}, true},
		"unknown tool":   {tableA, "unknown tool, did you mean get_tree?", func(s *config.Source) { s.Tools = []string{"get_tre"} }, nil, true},
		"needed key":     {tableA, "path is missing", func(*config.Source) {}, map[string]string{"path": ""}, true},
		"inline": {
			"source = [{name = \"a\", kind = \"markdown\", path = \"/a\"}]\n", "change the source with an editor",
			func(s *config.Source) { s.ReadOnly = true }, nil, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			conf := parse(t, c.text)
			s, _ := conf.Source("a")
			c.set(&s)
			e, _, err := conf.SetSource("a", s, c.typed)
			if err == nil || !strings.Contains(err.Error(), c.want) || e.HasChanges() {
				t.Errorf("%v, want %s", err, c.want)
			}
			if _, isKey := errors.AsType[*config.KeyError](err); isKey != c.key {
				t.Errorf("%v is a KeyError: %v", err, isKey)
			}
		})
	}
}
