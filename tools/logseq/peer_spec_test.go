package logseq_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/logseq"
)

// describe is what the System says of a hello with these members.
func describe(t *testing.T, members map[string]any) tools.PeerInfo {
	t.Helper()
	info, mine, err := testSystem().Peer().Describe(encode(members))
	if err != nil || !mine {
		t.Fatalf("%v: mine %v, %v", members, mine, err)
	}
	return info
}

// A source may name its graph as people see it, as Logseq 2 tells plugins, or by
// its address.
func TestPeerNames(t *testing.T) {
	for _, c := range []struct {
		name, url, kind string
		key             string
		names           []string
	}{
		{"notes", "logseq_db_notes", "db", "logseq_db_notes", []string{"notes", "logseq_db_notes"}},
		{"logseq_db_notes", "logseq_db_notes", "db", "logseq_db_notes", []string{"notes", "logseq_db_notes"}},
		{"notes", "logseq_local_/home/ada/notes", "file", "logseq_local_/home/ada/notes", []string{"notes", "logseq_local_/home/ada/notes", "/home/ada/notes"}},
		{"notes", "", "file", "notes", []string{"notes"}},
		{"logseq_db_", "", "db", "logseq_db_", []string{"logseq_db_"}},
		{"", "", "", "session s1", nil},
	} {
		info := describe(t, map[string]any{
			"logseq_version": "2.0.1", "session": "s1", "graph": map[string]any{"name": c.name, "url": c.url, "kind": c.kind},
		})
		if info.Key != c.key || !slices.Equal(info.Names, c.names) {
			t.Errorf("%+v: key %q, names %q", c, info.Key, info.Names)
		}
	}
}

func TestPeerFacts(t *testing.T) {
	info := describe(t, map[string]any{
		"logseq_version": "2.0.1", "plugin_version": "0.1.0", "sdk_version": "0.2.12", "skill_version": "7",
		"graph": map[string]any{"name": "notes", "url": "logseq_db_notes", "kind": "db"},
	})
	var got []string
	for _, f := range info.Facts {
		got = append(got, f.Name+" "+f.Value)
	}
	want := []string{"Logseq 2.0.1", "plugin 0.1.0", "graph DB", "SDK 0.2.12", "skill 7", "address logseq_db_notes"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A capability that is missing says why.
func TestPeerCapabilities(t *testing.T) {
	all, ofDB := []string{}, []string{}
	for _, c := range logseq.Capabilities() {
		if c.Has("db") {
			ofDB = append(ofDB, c.Key)
		}
		if c.Has("file") {
			all = append(all, c.Key)
		}
		if len(c.Title) > 13 || c.Title == "" {
			t.Errorf("%s: the panel has no room for the title %q", c.Key, c.Title)
		}
	}
	without := func(gone func(key string) bool) []string { return slices.DeleteFunc(slices.Clone(all), gone) }
	writes := func(key string) bool {
		return strings.HasPrefix(key, "blocks.") && key != "blocks.read" || strings.HasPrefix(key, "pages.") && key != "pages.read" && key != "pages.list"
	}
	for _, c := range []struct {
		can      []string
		kind     string
		readOnly bool
		want     map[string]string // by reason: how many and the first
		lacking  map[string][]string
	}{
		{all, "file", false, map[string]string{}, nil},
		{ofDB, "db", false, map[string]string{}, nil},
		{without(func(key string) bool { return key == "datascript.query" }), "file", false, map[string]string{
			"the plugin hides pages or tags, and a query could reveal them": "1 query",
		}, nil},
		{without(func(key string) bool { return key == "blocks.move" }), "file", false, map[string]string{
			"this Logseq (0.10.14) does not support it: update Logseq and the plugin": "1 move blocks",
		}, nil},
		{without(writes), "file", true, map[string]string{"the plugin is set to read-only in its Logseq settings": "9 create pages"}, nil},
		{nil, "file", false, map[string]string{"the plugin has not reported its capabilities": fmt.Sprint(len(all), " list pages")}, nil},
		{without(func(key string) bool { return key == "blocks.move" }), "file", false, map[string]string{
			"this Logseq (0.10.14) has no method move_block": "1 move blocks",
		}, map[string][]string{"blocks.move": {"move_block"}}},
		{nil, "", false, map[string]string{"no graph is open": fmt.Sprint(len(all), " list pages")}, nil},
	} {
		info := describe(t, map[string]any{
			"logseq_version": "0.10.14", "api_capabilities": c.can, "read_only": c.readOnly, "graph": map[string]any{"name": "g", "kind": c.kind},
			"lacking": c.lacking,
		})
		got := map[string]string{}
		count := map[string]int{}
		for _, k := range info.Capabilities {
			if k.Reason == "" {
				continue
			}
			count[k.Reason]++
			if got[k.Reason] == "" {
				got[k.Reason] = k.Title
			}
		}
		for reason, first := range got {
			got[reason] = fmt.Sprint(count[reason], " ", first)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Error(d)
		}
	}
}

// Only a hello with a version of Logseq is ours, and a bad one is refused.
func TestPeerIsRefused(t *testing.T) {
	for hello, want := range map[string]string{
		`{}`:                               "false <nil>",
		`{"obsidian_version":"1"}`:         "false <nil>",
		`[]`:                               "false <nil>",
		`{"logseq_version":7}`:             "true logseq_version has the wrong type",
		`{"logseq_version":"2","graph":7}`: "true graph has the wrong type",
		`{"logseq_version":"2","graph":{"kind":"wiki"}}`:                             "true graph.kind is neither db nor file",
		`{"logseq_version":"` + strings.Repeat("2", 129) + `"}`:                      "true a version or session has more than 128 bytes",
		`{"logseq_version":"2","methods":["` + strings.Repeat(`a","`, 1000) + `a"]}`: "true api_capabilities, methods or lacking has more than 1000 entries",
	} {
		_, mine, err := testSystem().Peer().Describe(json.RawMessage(hello))
		if got := fmt.Sprint(mine, " ", err); got != want {
			t.Errorf("%.80s: got %s, want %s", hello, got, want)
		}
	}
}

// Logseq's cache files name the folders that it has opened as file graphs.
func TestPeerOpened(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my notes")
	name := "logseq_local_" + strings.ReplaceAll(filepath.ToSlash(dir), "/", "++") + ".transit"
	home := fstest.MapFS{".logseq/graphs/" + name: {}, ".logseq/graphs/logseq_db_work.transit": {}, ".logseq/graphs/logseq_local_relative.transit": {}}
	opened := testSystem().Peer().Opened
	if got := opened(home); !slices.Equal(got, []string{dir}) {
		t.Errorf("got %q, want %q", got, dir)
	}
	if got := opened(fstest.MapFS{}); got != nil {
		t.Errorf("got %q of a home without Logseq", got)
	}
}

// The plugin's error codes have a meaning of ours.
func TestPeerCodes(t *testing.T) {
	for code, want := range map[string]tools.Code{
		"NOT_FOUND": tools.NotFound, "INVALID_INPUT": tools.Invalid, "CAPABILITY_MISSING": tools.Unavailable, "TIMEOUT": tools.Timeout, "OTHER": tools.Internal,
	} {
		if got := testSystem().Peer().Code(code); got != want {
			t.Errorf("%s means %s, want %s", code, got, want)
		}
	}
}
