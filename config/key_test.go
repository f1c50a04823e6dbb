package config_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/config"
)

// The keys of a kind are checked by their types, and [system.KIND] completes
// what a source does not set.
func TestKeys(t *testing.T) {
	c := parse(t, `[system.cards]
limit = 5
key = "file:key"
inbox = "in"
open = true

[[source]]
name = "wiki"
kind = "cards"
limit = 7
tags = ["a", "b"]
titles = { a = "b" }
inbox = "~/own"

[[source]]
name = "other"
kind = "cards"
`)
	want := []string{
		`{"inbox":"/home/me/own","key":"file:key","limit":7,"open":true,"tags":["a","b"],"titles":{"a":"b"}}`,
		`{"inbox":"/etc/lectern/in","key":"file:key","limit":5,"open":true}`,
	}
	for i, s := range c.Sources {
		if d := cmp.Diff(want[i], string(s.Options)); d != "" {
			t.Errorf("%s: (-want +got)\n%s", s.Name, d)
		}
	}
	if c.Sources[1].Path != "/etc/lectern/in" {
		t.Errorf("its folder is %s", c.Sources[1].Path)
	}
}

func TestKeyFaults(t *testing.T) {
	source := "[[source]]\nname = \"a\"\nkind = \"cards\"\n"
	for text, want := range map[string]string{
		source + "limit = \"7\"":                "4:9: source[0].limit: must be a whole number",
		source + "open = 1":                     "4:8: source[0].open: must be true or false",
		source + "tags = \"a\"":                 "source[0].tags: must be a list of strings in quotes",
		source + "tags = [1]":                   "source[0].tags: must be a list of strings in quotes",
		source + "titles = { a = 1 }":           "source[0].titles: must be a table of strings in quotes",
		source + "url = 1":                      "4:7: source[0].url: must be a string in quotes",
		source + "inbox = \"\"":                 "4:9: source[0].inbox: is empty",
		source + "key = \"hunter2\"":            "4:7: source[0].key: must refer to a secret as env:NAME or file:PATH, not hold it",
		source + "key = [\"hunter2\"]":          "4:1: source[0].key: must refer to a secret",
		source + "key = hunter2":                "4:7: not valid TOML",
		source + "kee = \"hunter2\"":            "4:1: source[0].kee: unknown key, did you mean key?",
		"[system.cards]\nkey = \"hunter2\"":     "2:7: system.cards.key: must refer to a secret",
		"[system.cards]\nlimt = 1":              "2:1: system.cards.limt: unknown key, did you mean limit?",
		"[system.crads]\nlimit = 1":             "1:2: system.crads: unknown key, did you mean cards? (allowed: cards, markdown)",
		"[system]\ncards = 1":                   "2:9: system.cards: must be a table, [cards]",
		"[logseq]\norigins = \"x\"":             "2:11: bridge.origins: must be a list of origins",
		"system = 1":                            "1:10: system: must be a table, [system]",
		"[[source]]\nname='a'\nkind='markdown'": "1:3: source[0]: path is missing: the folder that holds the pages",
	} {
		_, err := config.Parse(file, []byte(text), schema)
		switch {
		case err == nil || !strings.Contains(err.Error(), want):
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		case strings.Contains(err.Error(), "hunter2"):
			t.Errorf("%q: the secret is in the error: %v", text, err)
		}
	}
}

// What a default sets need not be set by each source.
func TestDefaultOfARequiredKey(t *testing.T) {
	c := parse(t, "[system.markdown]\npath = \"/all\"\n[[source]]\nname = \"a\"\nkind = \"markdown\"\n")
	if c.Sources[0].Path != "/all" {
		t.Errorf("its folder is %q", c.Sources[0].Path)
	}
}

// A table is written with keys as people type them, in the order of the schema.
func TestAddSourceWithKeys(t *testing.T) {
	typed := map[string]string{
		"url": `a"b`, "limit": "7", "open": "true", "tags": "a, b", "titles": "x y=1, z=a=b", "key": "env:KEY", "inbox": "/in",
	}
	e, _, err := parse(t, "").AddSource(config.Source{Kind: "cards"}, typed)
	if err != nil {
		t.Fatal(err)
	}
	want := "[[source]]\nname = \"in\"\nkind = \"cards\"\nurl = \"a\\\"b\"\nlimit = 7\nopen = true\ntags = [\"a\", \"b\"]\n" +
		"titles = { \"x y\" = \"1\", z = \"a=b\" }\nkey = \"env:KEY\"\ninbox = \"/in\"\n"
	if d := cmp.Diff(want, strings.TrimLeft(string(e.After), "\n")); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestAddSourceKeysThatAreRefused(t *testing.T) {
	for _, tt := range []struct {
		kind, key, typed, want string
	}{
		{"cards", "limt", "1", "limt: unknown key, did you mean limit?"},
		{"cards", "limit", "many", "limit: must be a whole number"},
		{"cards", "open", "yes", "open: must be true or false"},
		{"cards", "titles", "a", "titles: must be a table"},
		{"cards", "key", "hunter2", "key: must refer to a secret as env:NAME or file:PATH, not hold it"},
		{"crads", "url", "x", "unknown kind, did you mean cards?"},
		{"markdown", "tenant", "t", "markdown needs path (the folder that holds the pages)"},
	} {
		e, _, err := parse(t, "").AddSource(config.Source{Kind: tt.kind}, map[string]string{tt.key: tt.typed})
		if k, ok := errors.AsType[*config.KeyError](err); !ok || !strings.Contains(k.Error(), tt.want) || strings.Contains(k.Error(), "hunter2") || e.HasChanges() {
			t.Errorf("%s %s=%s: %v, want %s", tt.kind, tt.key, tt.typed, err, tt.want)
		}
	}
}

// The table [logseq] of earlier versions counts, with a notice for each key.
func TestFormerBridgeTable(t *testing.T) {
	c := parse(t, "[logseq]\nplain_token = true\norigins = [\"app://x\"]\n\n[bridge]\norigins = [\"app://y\"]\n")
	if !c.Bridge.PlainToken || len(c.Bridge.Origins) != 1 || c.Bridge.Origins[0] != "app://y" {
		t.Errorf("read as %+v", c.Bridge)
	}
	want := []config.Fault{
		{Line: 3, Column: 1, Key: "logseq.origins", Msg: "has no effect, because it is now called bridge.origins, which is set too; remove the line"},
		{Line: 2, Column: 1, Key: "logseq.plain_token", Msg: "is now called bridge.plain_token; rename it"},
	}
	if d := cmp.Diff(want, c.Notices); d != "" {
		t.Errorf("notices (-want +got)\n%s", d)
	}
}
