package tomltext_test

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/tomltext"
)

func TestCut(t *testing.T) {
	for name, c := range map[string]struct{ text, path, want string }{
		"table with tables inside": {"a = 1\n\n[s.x]\nb = 2 # c\n\n[s.x.env]\nK = 1\n\n[s.y]\n", "s.x", "a = 1\n\n[s.y]\n"},
		"tables apart":             {"[s.x]\nb = 2\n\n[o]\n\n[s.x.env]\nK = 1\n", "s.x", "[o]\n"},
		"inline":                   {"[s]\nx = { b = 2 }\ny = 3\n", "s.x", "[s]\ny = 3\n"},
		"dotted":                   {"s.x.b = 2\ns.x.c = 3\ns.y = 1\n", "s.x", "s.y = 1\n"},
		"a dot in a key":           {"[s.\"x.y\"]\nb = 1\n[s.x]\nb = 2\n", "s.x", "[s.\"x.y\"]\nb = 1\n"},
		"a longer name":            {"[s.xy]\nb = 1\n\n[s.x]\nb = 2\n", "s.x", "[s.xy]\nb = 1\n"},
		"of an array":              {"[[s]]\nb = 1\n\n[[s]]\nb = 2\n", "s[0]", "[[s]]\nb = 2\n"},
		"no end of line":           {"a = 1\r\n\r\n[s.x]\r\nb = '''\r\n2\r\n'''", "s.x", "a = 1\r\n"},
	} {
		if got, ok := tomltext.Cut([]byte(c.text), c.path); !ok || string(got) != c.want {
			t.Errorf("%s: %q, %v; want %q", name, got, ok, c.want)
		}
	}
	for _, text := range []string{"", "[s]\n", "s = { x = 1 }\n", "[s.xy]\n"} {
		if got, ok := tomltext.Cut([]byte(text), "s.x"); ok {
			t.Errorf("of %q: cut to %q, want nothing to cut", text, got)
		}
	}
}

func TestKey(t *testing.T) {
	if got, want := tomltext.Path("a-b", "c.d", ""), `a-b."c.d".""`; got != want {
		t.Errorf("path %s, want %s", got, want)
	}
}

func TestSet(t *testing.T) {
	const text = "# top\n[[a]] # first\nx = [ \"1\", # one\n \"2\" ] # both\n\n[[a]]\nname = 'n' # mine\n\n[b]\n'k y' = 2"
	for _, c := range []struct{ table, key, value, old, new string }{
		{"a[0]", "x", "[]", "[ \"1\", # one\n \"2\" ]", "[]"},
		{"a[1]", "name", `"m"`, "'n'", `"m"`},
		{"a[1]", "x", "[]", "# mine\n", "# mine\nx = []\n"},
		{"b", "k y", "3", "2", "3"},
		{"b", "z", "3", "= 2", "= 2\nz = 3\n"},
	} {
		got, ok := tomltext.Set([]byte(text), c.table, c.key, c.value)
		i := strings.LastIndex(text, c.old)
		want := text[:i] + c.new + text[i+len(c.old):]
		if !ok || string(got) != want {
			t.Errorf("Set(%s, %s):\n%s\nwant:\n%s", c.table, c.key, got, want)
		}
	}
	if _, ok := tomltext.Set([]byte("a = {x = 1}\n"), "a", "y", "2"); ok {
		t.Error("set a key of a table without a header")
	}
	if got, _ := tomltext.Set([]byte("[a]\r\nx = 1\r\n"), "a", "y", "2"); string(got) != "[a]\r\nx = 1\r\ny = 2\r\n" {
		t.Errorf("line ends: %q", got)
	}
}
