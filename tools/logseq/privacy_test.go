package logseq_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// privacyRules hide in every way: by path, namespace, tag and property.
func privacyRules() tools.Privacy {
	return tools.Privacy{Exclude: []tools.PrivacyRule{
		{Path: "Private*/**"}, {Namespace: "Vault"}, {Tag: "Secret"}, {Property: "status", Value: "private"}, {Property: "owner", Value: "Garden"},
	}}
}

// fixtureGraphWithReferences is a fixtureGraph with references to pages that may be hidden.
func fixtureGraphWithReferences(kind string) *fakePeer {
	f := fixtureGraph(kind)
	kitchen := f.pages[2]
	kitchen.blocks = append(kitchen.blocks, &fakeBlock{
		UUID: id(7), Content: "see ((" + id(50) + ")), [[" + id(203) + "]] and ((" + id(1) + "))", Properties: map[string]any{}, Tags: []string{},
	})
	showFile(kitchen, 8, "beds.png")
	return f
}

// hide adds what privacyRules hides, with links both ways.
func (f *fakePeer) hide(round int) []string {
	if round > 0 {
		f.mu.Lock()
		s, _ := f.block(id(50))
		s.block().Content += fmt.Sprint(" ", round)
		f.mu.Unlock()
		f.notify("changed", map[string]any{
			"blocks": []any{map[string]any{"uuid": id(50), "page": "Private/Plans"}, map[string]any{"uuid": id(60), "page": "Kitchen"}},
			"pages":  []string{"Private/Plans", "Diary"}, "deleted": []string{id(51)},
		})
		return nil
	}
	block := func(n int, content string, tags ...string) *fakeBlock {
		return &fakeBlock{UUID: id(n), Content: content, Properties: map[string]any{}, Tags: append([]string{}, tags...)}
	}
	task := block(50, "Plant tomatoes in the [[Garden]] of [[Kitchen]]")
	task.Marker, task.Properties["wish"] = "TODO", "more"
	page := func(n int, name string, properties map[string]any, tags []string, blocks ...*fakeBlock) {
		f.pages = append(f.pages, &fakePage{UUID: id(n), Name: name, Kind: "page", Properties: properties, Tags: tags, blocks: blocks})
	}
	page(201, "Private/Plans", map[string]any{}, []string{"Hush"}, task)
	page(202, "Diary", map[string]any{}, []string{"Secret"}, block(52, "tomatoes (("+id(1)+"))"))
	page(203, "Ledger", map[string]any{"Status": []any{"open", "Private"}}, []string{}, block(53, "[[Kitchen]]"))
	page(204, "Vault/Deep", map[string]any{"depth": 3.0}, []string{}, block(54, "gold"))
	showFile(f.pages[len(f.pages)-1], 55, "vault.png")
	showFile(f.pages[2], 56, "gold.png")
	f.pages[2].blocks[len(f.pages[2].blocks)-1].Tags = []string{"Secret"}
	page(205, "Secret", map[string]any{}, []string{})
	page(206, "Mar 5th, 2026", map[string]any{"tags": "Secret, other"}, []string{})
	f.pages[len(f.pages)-1].Kind, f.pages[len(f.pages)-1].Day = "journal", 20260305
	kitchen := f.pages[2]
	hidden := block(60, "what tomatoes cost [[Garden]]", "Secret")
	hidden.Children = []*fakeBlock{block(61, "tomatoes below")}
	kitchen.blocks = append([]*fakeBlock{hidden}, kitchen.blocks...)
	return []string{
		"Private/Plans", "Diary", "Ledger", "Vault/Deep", "Secret", "Hush", "assets/vault.png", "assets/gold.png", "wish", "depth", "P", "D", "2026-03-05", "gold", "tomatoes",
		id(50), id(60), id(61), id(201), id(202), id(203), "page Diary", "page Ledger", "page Private/Plans", "block " + id(50), "tree of block " + id(60),
	}
}

// A openWorld is a graph with its Privacy, and the source open on it.
func openWorld(t *testing.T, kind string, hide bool) (*testSource, *fakePeer, []string) {
	t.Helper()
	f := fixtureGraphWithReferences(kind)
	var words []string
	if hide {
		words = f.hide(0)
	}
	d := &testSource{t: t}
	o, err := testSystem().Open(t.Context(), nil, tools.Env{
		Name: "home", Log: slog.New(slog.DiscardHandler), Peer: f, Privacy: privacyRules(),
		Now:             func() time.Time { return time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC) },
		ResourceChanged: func(uri string) { d.changed = append(d.changed, uri) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	d.open = o
	return d, f, words
}

// On a DB graph too, which the suite does not open, every read says the same
// whether something is hidden or was never there.
func TestHiddenIsNotThere(t *testing.T) {
	for _, kind := range []string{"db", "file"} {
		with, f, words := openWorld(t, kind, true)
		without, _, _ := openWorld(t, kind, false)
		for _, tool := range testSystem().Manifest().Tools {
			if tool.Effect != tools.Reads {
				continue
			}
			var calls []string
			for _, x := range tool.Examples {
				calls = append(calls, string(x.In))
				for argument, schema := range tool.In.Properties {
					if schema.Type != "string" || len(schema.Enum) > 0 {
						continue
					}
					for _, word := range words {
						args := map[string]any{}
						_ = json.Unmarshal(x.In, &args)
						args[argument] = word
						calls = append(calls, string(encode(args)))
					}
				}
			}
			for i, args := range calls {
				if !runtest.InSample(i, 2, 4) {
					continue
				}
				if diff := cmp.Diff(allText(without, tool.Name, args), allText(with, tool.Name, args)); diff != "" {
					t.Errorf("%s: %s %s tells (-never there +hidden):\n%s", kind, tool.Name, args, diff)
				}
			}
		}
		f.hide(1)
		if len(with.changed) > 0 {
			t.Errorf("%s: announced %v", kind, with.changed)
		}
	}
}

// allText is all that an agent gets, but for the time a ping took.
func allText(d *testSource, tool, args string) string {
	m, err := d.call(tool, args)
	delete(m, "round_trip_ms")
	if err != nil {
		return string(encode(testSystem().Manifest().ErrorFormat.Object(err)))
	}
	return string(encode(m))
}

// What refers to something hidden keeps what stands in its text, and what
// refers to something else is named.
func TestReferencesToHidden(t *testing.T) {
	for _, kind := range []string{"db", "file"} {
		d, _, _ := openWorld(t, kind, true)
		got := d.must("get_block", `{"block_uuid":"`+id(7)+`"}`)["block"].(map[string]any)["content"]
		want := "see ((" + id(50) + ")), [[" + id(203) + "]] and Plant tomatoes beside [[Kitchen]]"
		if got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// No write touches what is hidden or makes it, and the sentence is the same
// for an existing page and one that would be hidden.
func TestWritesKeepAway(t *testing.T) {
	for _, kind := range []string{"db", "file"} {
		d, f, _ := openWorld(t, kind, true)
		before := f.digest()
		var said []string
		for _, call := range [][2]string{
			{"create_page", `{"title":"Ledger"}`},
			{"create_page", `{"title":"Private/Nothing"}`},
			{"create_page", `{"title":"Open","properties":{"status":"private"}}`},
			{"create_page", `{"title":"Open","content":"- a\n  - b #Secret/deep"}`},
			{"rename_page", `{"page_name":"Compost","new_name":"Ledger"}`},
			{"rename_page", `{"page_name":"Compost","new_name":"Vault"}`},
			{"update_page", `{"page_name":"Compost","properties":{"tags":"Secret"}}`},
			{"create_block", `{"page_name":"Compost","content":"x #secret"}`},
			{"update_block", `{"block_uuid":"` + id(5) + `","content":"x","properties":{"status":"Private"}}`},
			{"insert_blocks", `{"page_name":"Compost","blocks":[{"content":"x","children":[{"content":"#[[Secret]]"}]}]}`},
			{"append_to_journal", `{"date":"2026-03-05","content":"x"}`},
			{"delete_page", `{"page_name":"Kitchen","force":true}`},
			// What is owned by Garden would no longer be.
			{"delete_page", `{"page_name":"Garden","force":true}`},
			{"rename_page", `{"page_name":"Garden","new_name":"Yard"}`},
			{"rename_page", `{"page_name":"Compost","new_name":"Garden"}`},
			{"rename_page", `{"page_name":"Compost","new_name":"Heap/owner"}`},
		} {
			m, err := d.call(call[0], call[1])
			if err == nil || err.Code != tools.Denied {
				t.Errorf("%s: %s %s: %v, %v", kind, call[0], call[1], m, err)
				continue
			}
			said = append(said, err.Message+err.Hint)
		}
		if len(slices.Compact(said)) > 1 {
			t.Errorf("%s: says %q", kind, said)
		}
		if kind == "file" { // Logseq would rewrite the links of hidden pages
			if _, err := d.call("rename_page", `{"page_name":"Garden","new_name":"Yard"}`); err == nil || err.Code != tools.Denied {
				t.Errorf("renaming what hidden pages link to: %v", err)
			}
		}
		if f.digest() != before {
			t.Errorf("%s: something was written", kind)
		}
	}
}

// A hidden page does not stand before another of its name, which an agent is told of as if
// the hidden one were not there.
func TestHiddenPageShadowsNone(t *testing.T) {
	for _, hide := range []bool{true, false} {
		d, f, _ := openWorld(t, "db", hide)
		f.mu.Lock()
		f.pages = append(f.pages, &fakePage{UUID: id(230), Name: "Ledger", Kind: "page", Properties: map[string]any{}, Tags: []string{}, Recycled: true})
		f.mu.Unlock()
		for _, call := range [][2]string{
			{"get_page_content", `{"page_name":"Ledger"}`}, {"update_page", `{"page_name":"Ledger","content_append":"x"}`},
		} {
			m, err := d.call(call[0], call[1])
			if said := fmt.Sprint(m, err); !strings.Contains(said, "recycle") {
				t.Errorf("hidden %v: %s says %s", hide, call[0], said)
			}
		}
	}
}

// An older plugin that names what is hidden is not asked.
func TestPluginThatCannotKeepSecrets(t *testing.T) {
	d, f, _ := openWorld(t, "db", true)
	f.lacks["privacy"] = true
	_, err := d.call("get_page_content", `{"page_name":"Garden"}`)
	if err == nil || errorCode(err) != "CAPABILITY_MISSING" || !strings.Contains(err.Message, "privacy") {
		t.Errorf("without the capability: %v", err)
	}
}
