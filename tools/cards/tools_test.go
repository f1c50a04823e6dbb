package cards_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/deckotest"
)

// A toolbox calls tools of a source that is open.
type toolbox struct {
	*tools.OpenedSource
	wiki *deckotest.Wiki // behind a source that is remote
	url  string          // of that wiki
	data string          // the folder of the source
}

// start is what every wiki of these tests holds.
var start = []cardstore.NewCard{
	{Name: "Harbour", Type: "RichText", Content: "<h2>Ships</h2><p>They come to the [[Town]].</p>"},
	{Name: "Town", Type: "RichText", Content: "<p>A town of wood by the {{Harbour}}.</p>"},
	{Name: "Town+GM", Type: "RichText", Content: "<p>What only masters know.</p>"},
	{Name: "Town+tags", Type: "Pointer", Content: "Coast\nWood"},
	{Name: "Dr. Smith", Type: "RichText", Content: "<p>A physician.</p>"},
}

// testSystem is the System that tests open sources of, as one hub does: to find out its
// schemas takes longer than most of what a test calls.
var testSystem = sync.OnceValue(cards.System)

func openBox(t testing.TB, config any, key string, privacy tools.Privacy) toolbox {
	t.Helper()
	b, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	emptyWiki.copyTo(t, data)
	o, err := testSystem().Open(t.Context(), b, tools.Env{
		Name: "wiki", Log: slog.New(slog.DiscardHandler), Now: time.Now, Privacy: privacy, Data: data,
		Reveal: func(_ context.Context, s tools.Secret) (string, error) {
			if s.IsZero() {
				return "", nil
			}
			return key, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	return toolbox{OpenedSource: o, data: data}
}

// ownBox is a source with a wiki of its own.
func ownBox(t testing.TB, privacy tools.Privacy) toolbox {
	t.Helper()
	b := openBox(t, map[string]any{}, "", privacy)
	store, err := cardstore.Open(t.Context(), cardstore.Options{Database: filepath.Join(b.data, "cards.db"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range start { // also what privacy hides
		if _, err := store.Create(t.Context(), cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}, c); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return b
}

// remoteBox is a source with a wiki of others: a Decko, or with own one like ours.
func remoteBox(t testing.TB, own bool, role string, privacy tools.Privacy) toolbox {
	t.Helper()
	folder := t.TempDir()
	emptyWiki.copyTo(t, folder)
	w := deckotest.NewOn(t, filepath.Join(folder, "cards.db"), time.Now)
	w.Own = own
	w.Put(t, start...)
	server := httptest.NewServer(http.StripPrefix("/api/mcp", w))
	t.Cleanup(server.Close)
	b := openBox(t, map[string]any{"url": server.URL + "/api/mcp", "key": "env:MCP_API_KEY", "remote_role": role}, w.Key, privacy)
	b.wiki, b.url = w, server.URL+"/api/mcp"
	return b
}

// boxes are a source of each kind.
func boxes(t *testing.T, privacy tools.Privacy, test func(t *testing.T, b toolbox)) {
	t.Helper()
	t.Run("own", func(t *testing.T) { test(t, ownBox(t, privacy)) })
	t.Run("decko", func(t *testing.T) { test(t, remoteBox(t, false, "admin", privacy)) })
	t.Run("remote", func(t *testing.T) { test(t, remoteBox(t, true, "admin", privacy)) })
}

// A changeLog is a WriteObserver that keeps what it hears.
type changeLog struct{ changes []tools.Change }

func (l *changeLog) BeforeWrite(_ context.Context, changes ...tools.Change) error {
	l.changes = append(l.changes, changes...)
	return nil
}

func (l *changeLog) AfterWrite(target string, after tools.State) {
	for i, c := range l.changes {
		if c.Target == target && c.AfterUnknown {
			l.changes[i].After, l.changes[i].AfterUnknown = after, false
		}
	}
}

func (l *changeLog) OutcomeUnknown(string) {}

func (b toolbox) call(t testing.TB, role, tool string, in map[string]any) (map[string]any, []tools.Change, *tools.Error) {
	t.Helper()
	args, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	l := &changeLog{}
	c := tools.CallContext{Identity: tools.Identity{Client: "test", Proven: true, Role: role}, Writes: l}
	result, err := b.Call(t.Context(), c, tool, args)
	if err != nil {
		return nil, l.changes, tools.AsError(err)
	}
	var out map[string]any
	if err := json.Unmarshal(result.JSON, &out); err != nil {
		t.Fatal(err)
	}
	return out, l.changes, nil
}

func (b toolbox) must(t testing.TB, tool string, in map[string]any) map[string]any {
	t.Helper()
	out, _, err := b.call(t, "admin", tool, in)
	if err != nil {
		t.Fatalf("%s %v: %v (%v)", tool, in, err, err.Cause)
	}
	return out
}

func (b toolbox) content(t testing.TB, name string) string {
	t.Helper()
	text, _ := b.must(t, "get_card", map[string]any{"name": name})["content"].(string)
	return text
}

// shape is what an answer is made of, without what differs from wiki to wiki.
func shape(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			switch name {
			case "id", "revision", "created_at", "updated_at", "file_url", "continuation":
				out[name] = "(some)"
			default:
				out[name] = shape(value)
			}
		}
		return out
	case []any:
		var out []any
		for _, one := range v {
			out = append(out, shape(one))
		}
		return out
	}
	return v
}

// nineTools are calls of the specification's tools, each of which builds on those
// before.
func nineTools() []struct {
	tool string
	in   map[string]any
} {
	long := strings.Repeat("<h2>Part</h2><p>"+strings.Repeat("word ", 200)+"</p>", 12)
	return []struct {
		tool string
		in   map[string]any
	}{
		{"get_card", map[string]any{"name": "Harbour", "with_children": true}},
		{"get_card", map[string]any{"name": "harbours", "format": "markdown"}},
		{"get_card", map[string]any{"name": "Dr. Smith"}},
		{"get_card", map[string]any{"name": "Nobody"}},
		{"search_cards", map[string]any{"query": "harbour"}},
		{"search_cards", map[string]any{"query": "masters", "search_in": "content"}},
		{"search_cards", map[string]any{"query": "", "prefix": "Town+"}},
		{"search_cards", map[string]any{"query": "town", "not_name": "*+GM*"}},
		{"search_cards", map[string]any{"query": "", "tag": "Coast"}},
		{"search_cards", map[string]any{"query": "WOOD", "search_in": "content", "case_sensitive": true}},
		{"search_cards", map[string]any{"query": "physician", "search_in": "content", "match_mode": "whole_word"}},
		{"search_cards", map[string]any{"query": "o", "limit": 1}},
		{"search_cards", map[string]any{"query": "x", "updated_since": "2020-01-01", "search_in": "content"}},
		{"search_cards", map[string]any{"query": "x", "updated_since": "yesterday"}},
		{"run_query", map[string]any{"query": map[string]any{"prefix": "Town+", "not_name": "*+GM"}}},
		{"run_query", map[string]any{"query": map[string]any{"tag": "Wood"}}},
		{"run_query", map[string]any{"query": map[string]any{"name": "harb"}}},
		{"run_query", map[string]any{"query": map[string]any{"type": "Pointer", "updated_since": "2020-01-01"}}},
		{"run_query", map[string]any{"query": map[string]any{}}},
		{"list_children", map[string]any{"name": "Town", "depth": 3}},
		{"list_children", map[string]any{"name": "Town", "limit": 1}},
		{"list_children", map[string]any{"name": "Nobody"}},
		{"create_card", map[string]any{"name": "Lighthouse", "markdown_content": "It stands on a **rock**, {{Town|open}} [[Town|x]].\n\n- a\n- b", "fields": map[string]any{"+tags": "Coast"}}},
		{"create_card", map[string]any{"name": "Lighthouse", "content": "other"}},
		{"create_card", map[string]any{"name": "Keep", "content": "<p>x</p>", "dry_run": true}},
		{"create_card", map[string]any{"name": "A++B"}},
		{"create_card", map[string]any{"name": "Odd", "type": "Basic"}},
		{"create_card", map[string]any{"name": "Long", "content": long}},
		{"get_card", map[string]any{"name": "Long"}},
		{"get_card", map[string]any{"name": "Long", "full": true}},
		{"get_card", map[string]any{"name": "Lighthouse", "with_children": true}},
		{"update_card", map[string]any{"name": "Harbour", "patch": map[string]any{"mode": "replace_between", "start_marker": "<p>", "end_marker": "</p>", "replacement_html": "<p>New"}}},
		{"update_card", map[string]any{"name": "Harbour", "patch": map[string]any{"mode": "regex_replace", "find": "N(e)w", "replace": "$1"}}},
		{"update_card", map[string]any{"name": "Harbour", "patch": map[string]any{"mode": "find_replace", "find": "nothing", "replace": "x"}}},
		{"update_card", map[string]any{"name": "Harbour", "patch": map[string]any{"mode": "append", "content": "<p>tail</p>"}, "dry_run": true}},
		{"update_card", map[string]any{"name": "Town+tags", "patch": map[string]any{"mode": "append_item", "content": "Sea"}}},
		{"update_card", map[string]any{"name": "Town", "content": "x", "expected_revision": "000000000000"}},
		{"update_card", map[string]any{"name": "Nobody", "content": "x"}},
		{"get_card", map[string]any{"name": "Harbour"}},
		{"get_card", map[string]any{"name": "Town+tags"}},
		{"upload_attachment", map[string]any{"name": "Harbour+log", "filename": "log.txt", "file_data": "aGVsbG8="}},
		{"render_snippet", map[string]any{"markdown": "{{N|view}} \"x\" [[A_b]] -- <script>1</script>"}},
		{"render_snippet", map[string]any{"name": "Town"}},
		{"delete_card", map[string]any{"name": "Town", "dry_run": true}},
		{"delete_card", map[string]any{"name": "Town"}},
		{"get_card", map[string]any{"name": "Town+GM"}},
		{"create_card", map[string]any{"name": "Town", "content": "<p>again</p>"}},
	}
}

// TestNineToolsAnswerAlike: the tools of the specification give the same answers on our
// own wiki, on a Decko and on one like ours elsewhere, whatever Decko does its own way.
func TestNineToolsAnswerAlike(t *testing.T) {
	runtest.InOrder(t)
	own, decko, other := ownBox(t, tools.Privacy{}), remoteBox(t, false, "admin", tools.Privacy{}), remoteBox(t, true, "admin", tools.Privacy{})
	for _, step := range nineTools() {
		answer := func(b toolbox) string {
			out, changes, err := b.call(t, "admin", step.tool, step.in)
			if err != nil {
				return "error " + string(err.Code)
			}
			var targets []string
			for _, c := range changes {
				if c.AfterUnknown {
					t.Errorf("%s %v: what became of %s was not reported", step.tool, step.in, c.Target)
				}
				targets = append(targets, c.Target)
			}
			slices.Sort(targets)
			text, jsonErr := json.Marshal([]any{shape(out), targets})
			if jsonErr != nil {
				t.Fatal(jsonErr)
			}
			return string(text)
		}
		want := answer(own)
		for name, b := range map[string]toolbox{"decko": decko, "remote": other} {
			if got := answer(b); got != want {
				t.Errorf("%s %v\n%s answers %.900s\nour own %.900s", step.tool, step.in, name, got, want)
			}
		}
	}
}

// The nine tools cost a model at most 8 KB.
func TestNineToolsAreSmall(t *testing.T) {
	sum := 0
	for _, tool := range testSystem().Manifest().Tools {
		if tool.OptIn || tool.Unlisted {
			continue
		}
		_, model := tool.ListedBytes("cards_" + tool.Name)
		sum += model
		t.Logf("%5d %s", model, tool.Name)
	}
	if sum > 8<<10 {
		t.Errorf("a model sees %d bytes of the default tools, more than 8192", sum)
	}
}

// reversed are the Changes that undo changes.
func reversed(changes []tools.Change) []tools.Change {
	out := make([]tools.Change, 0, len(changes))
	for _, c := range slices.Backward(changes) {
		out = append(out, tools.Change{Target: c.Target, Before: c.After, After: c.Before})
	}
	return out
}

// TestWritesAreUndone: every write of a tool is undone by new revisions that equal the
// old ones, on every kind of wiki, and the undo is undone.
func TestWritesAreUndone(t *testing.T) {
	runtest.InOrder(t)
	boxes(t, tools.Privacy{}, func(t *testing.T, b toolbox) {
		names := []string{"Harbour", "Town", "Town+GM", "Town+tags", "Keep", "Keep+Yard", "Yard", "Keep+tags", "Harbour+log", "log", "tags", "GM", "Ledger", "Found", "Found+*self+*read"}
		look := func() string {
			var all []string
			for _, name := range names {
				state, err := b.Restorer().State(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, name+" "+string(state.Data))
			}
			return strings.Join(all, "\n")
		}
		restore := func(changes []tools.Change, want, what string) []tools.Change {
			t.Helper()
			l := &changeLog{}
			if err := b.Restorer().Restore(t.Context(), tools.CallContext{Writes: l}, changes); err != nil {
				t.Errorf("%s: %v (%v)", what, err, tools.AsError(err).Cause)
			}
			if got := look(); got != want {
				t.Errorf("%s: the cards are\n%s\nwant\n%s", what, got, want)
			}
			return l.changes
		}
		for _, step := range []struct {
			tool string
			in   map[string]any
		}{
			{"update_card", map[string]any{"name": "Town", "content": "<p>new</p>", "fields": map[string]any{"+tags": "Sea"}}},
			{"create_card", map[string]any{"name": "Keep+Yard", "content": "<p>stone</p>"}},
			{"upload_attachment", map[string]any{"name": "Harbour+log", "filename": "log.txt", "file_data": "aGVsbG8="}},
			{"upload_attachment", map[string]any{"name": "Harbour+log", "filename": "log2.txt", "file_data": "aGVsbG8y"}},
			{"rename_card", map[string]any{"name": "Harbour+log", "new_name": "Ledger"}},
			{"spoiler_scan", map[string]any{"terms_card": "Town+GM", "results_card": "Found"}},
			{"delete_card", map[string]any{"name": "Town"}},
			{"delete_card", map[string]any{"name": "Harbour"}},
			{"delete_card", map[string]any{"name": "tags"}}, // a part of other names
		} {
			if step.tool == "spoiler_scan" && b.wiki != nil && !b.wiki.Own {
				continue // Decko writes the results without a rule about them
			}
			before := look()
			_, changes, err := b.call(t, "admin", step.tool, step.in)
			if err != nil || len(changes) == 0 {
				t.Fatalf("%s: %v, %d changes", step.tool, err, len(changes))
			}
			after := look()
			if before == after {
				t.Errorf("%s %v changes nothing", step.tool, step.in)
			}
			back := restore(reversed(changes), before, "undo "+step.tool)
			restore(reversed(back), after, "undo the undo of "+step.tool)
		}
	})
}
