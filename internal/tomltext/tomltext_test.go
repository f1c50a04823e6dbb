package tomltext_test

import (
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
