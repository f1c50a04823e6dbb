package cards_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// The tests of this file are what Decko does its own way and tools must not show. What
// concerns requests, tokens and errors is tested beside the client.

func decko(t *testing.T) toolbox { return remoteBox(t, false, "admin", tools.Privacy{}) }

// Decko takes any type for a missing one, and a batch may change the type of an
// existing card.
func TestTypeIsAlwaysSaid(t *testing.T) {
	b := decko(t)
	out := b.must(t, "batch_cards", map[string]any{"operations": []any{
		map[string]any{"action": "create", "name": "Town+tags", "content": "Sea", "fetch_or_initialize": true},
		map[string]any{"action": "create", "name": "Quay", "content": "<p>x</p>"},
	}})
	if out["failed"] != 0.0 {
		t.Fatal(out)
	}
	for name, want := range map[string]string{"Town+tags": "Pointer", "Quay": "RichText"} {
		if got := b.must(t, "get_card", map[string]any{"name": name})["type"]; got != want {
			t.Errorf("%s is a %v, want %s", name, got, want)
		}
	}
}

// Decko replaces the end marker unless it is told not to.
func TestEndMarkerStays(t *testing.T) {
	b := decko(t)
	b.must(t, "update_card", map[string]any{"name": "Harbour", "patch": map[string]any{"mode": "replace_between", "start_marker": "<h2>", "end_marker": "</h2>", "replacement_html": "<h2>Boats"}})
	if got := b.content(t, "Harbour"); !strings.HasPrefix(got, "<h2>Boats</h2>") {
		t.Errorf("the card is %s", got)
	}
}

// Decko has a small converter of Markdown for cards, and breaks nests when it renders.
func TestMarkdownIsConvertedHere(t *testing.T) {
	b := decko(t)
	b.must(t, "create_card", map[string]any{"name": "Md", "markdown_content": "- a\n- {{N|view}} [[X|l]]\n\n~~no~~"})
	if got := b.content(t, "Md"); !strings.Contains(got, "<ul>") || !strings.Contains(got, "{{N|view}} [[X|l]]") {
		t.Errorf("the card is %s", got)
	}
}

// Decko knows no regular expressions, no fields, no dry run and no revision.
func TestWhatDeckoLacksIsDoneHere(t *testing.T) {
	b := decko(t)
	revision := b.must(t, "get_card", map[string]any{"name": "Town"})["revision"]
	before := len(b.wiki.Seen())
	b.must(t, "update_card", map[string]any{"name": "Town", "content": "<p>x</p>", "fields": map[string]any{"+motto": "Salt"}, "dry_run": true})
	for _, line := range b.wiki.Seen()[before:] {
		if !strings.HasPrefix(line, "GET ") {
			t.Errorf("a dry run sends %s", line)
		}
	}
	b.must(t, "update_card", map[string]any{"name": "Town", "patch": map[string]any{"mode": "regex_replace", "find": "w(oo)d", "replace": "${1}"}, "fields": map[string]any{"+motto": "Salt"}, "expected_revision": revision})
	if got := b.content(t, "Town+motto"); got != "Salt" {
		t.Errorf("the field is %q", got)
	}
	_, changes, err := b.call(t, "admin", "update_card", map[string]any{"name": "Town", "content": "y", "expected_revision": revision})
	if err == nil || err.Code != tools.Conflict || len(changes) > 0 {
		t.Errorf("an old revision: %v, %d changes", err, len(changes))
	}
}

// A card that somebody changes while a call waits for its approval is not overwritten.
func TestChangeWhileWaiting(t *testing.T) {
	b := decko(t)
	admin := cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}
	somebody := waiting{func() {
		if _, err := b.wiki.Store.Update(t.Context(), admin, "Town+tags", cardstore.CardUpdate{Content: func(string) (string, error) { return "Mine", nil }}); err != nil {
			t.Error(err)
		}
	}}
	c := tools.CallContext{Identity: tools.Identity{Role: "admin"}, Writes: somebody}
	_, err := b.Call(t.Context(), c, "update_card", []byte(`{"name":"Town+tags","content":"Theirs"}`))
	if got := b.content(t, "Town+tags"); got != "Mine" || !isConflict(err) {
		t.Errorf("the card is %q (%v)", got, err)
	}
}

func isConflict(err error) bool { return err != nil && tools.AsError(err).Code == tools.Conflict }

// waiting is a WriteObserver that takes its time.
type waiting struct{ meanwhile func() }

func (w waiting) BeforeWrite(context.Context, ...tools.Change) error { w.meanwhile(); return nil }
func (waiting) AfterWrite(string, tools.State)                       {}
func (waiting) OutcomeUnknown(string)                                {}

// Decko fails after it has made a card whose name was in its trash.
func TestCardOutOfTheTrashIsMade(t *testing.T) {
	b := decko(t)
	b.must(t, "delete_card", map[string]any{"name": "Harbour"})
	b.must(t, "create_card", map[string]any{"name": "Harbour", "content": "<p>again</p>"})
	if got := b.content(t, "Harbour"); got != "<p>again</p>" {
		t.Errorf("the card is %s", got)
	}
}

// Decko breaks on a patch in a batch that does not fit, and says ok of what it has
// rolled back.
func TestBatchTellsTheTruth(t *testing.T) {
	runtest.InOrder(t)
	boxes(t, tools.Privacy{}, func(t *testing.T, b toolbox) {
		ops := []any{
			map[string]any{"action": "create", "name": "One", "content": "<p>1</p>"},
			map[string]any{"action": "update", "name": "Town", "patch": map[string]any{"mode": "find_replace", "find": "nothing", "replace": "x"}},
			map[string]any{"action": "create", "name": "Mail", "children": []any{map[string]any{"name": "*subject", "type": "Phrase", "content": "s"}, map[string]any{"name": "+plus", "content": "p"}}},
		}
		out, changes, err := b.call(t, "admin", "batch_cards", map[string]any{"operations": ops, "mode": "transactional"})
		if err == nil && out["failed"] != 3.0 || len(changes) > 0 {
			t.Errorf("transactional: %v, %v, %d changes", out, err, len(changes))
		}
		if _, _, err := b.call(t, "admin", "get_card", map[string]any{"name": "One"}); err == nil || err.Code != tools.NotFound {
			t.Errorf("a card of a batch that failed: %v", err)
		}
		out = b.must(t, "batch_cards", map[string]any{"operations": ops})
		if out["failed"] != 1.0 || b.content(t, "One") != "<p>1</p>" || b.content(t, "Mail+*subject") != "s" || b.content(t, "Mail+plus") != "p" {
			t.Errorf("per item: %v", out)
		}
	})
}

// Decko's nested_in is always empty.
func TestNestedIn(t *testing.T) {
	boxes(t, tools.Privacy{}, func(t *testing.T, b toolbox) {
		out := b.must(t, "get_relationships", map[string]any{"card_name": "Harbour", "relationship_type": "nested_in"})
		cards, _ := out["cards"].([]any)
		if len(cards) != 1 || cards[0].(map[string]any)["name"] != "Town" {
			t.Errorf("nested in %v, want Town", out)
		}
	})
}

// A rename takes along what is below and what refers to it, and is undone.
func TestRename(t *testing.T) {
	runtest.InOrder(t)
	boxes(t, tools.Privacy{}, func(t *testing.T, b toolbox) {
		_, changes, err := b.call(t, "admin", "rename_card", map[string]any{"name": "Town", "new_name": "City"})
		if err != nil {
			t.Fatal(err, err.Cause)
		}
		if got := b.content(t, "Harbour"); !strings.Contains(got, "[[City]]") || b.content(t, "City+tags") != "Coast\nWood" {
			t.Errorf("after the rename the harbour is %s", got)
		}
		if err := b.Restorer().Restore(t.Context(), tools.CallContext{}, reversed(changes)); err != nil {
			t.Fatal(err, tools.AsError(err).Cause)
		}
		if got := b.content(t, "Harbour"); !strings.Contains(got, "[[Town]]") || b.content(t, "Town+tags") != "Coast\nWood" {
			t.Errorf("after the undo the harbour is %s", got)
		}
	})
}

// A caller gets no more than the role of the source, and no more than its own.
func TestRolesOfARemoteWiki(t *testing.T) {
	for _, c := range []struct {
		source, caller string
		reads          bool
	}{{"admin", "admin", true}, {"admin", "gm", true}, {"admin", "user", false}, {"user", "admin", false}, {"gm", "", false}} {
		b := remoteBox(t, true, c.source, tools.Privacy{})
		_, _, err := b.call(t, c.caller, "get_card", map[string]any{"name": "Town+GM"})
		if (err == nil) != c.reads {
			t.Errorf("a %q at a source for %q: %v", c.caller, c.source, err)
		}
	}
}

// Players have no tools for administrators in their lists.
func TestToolsOfRoles(t *testing.T) {
	var admins, masters []string
	for _, tool := range testSystem().Manifest().Tools {
		switch {
		case !tool.AllowsRole("gm"):
			admins = append(admins, tool.Name)
		case !tool.AllowsRole("user"):
			masters = append(masters, tool.Name)
		}
	}
	slices.Sort(admins)
	if want := []string{"delete_card", "list_trash", "rename_card", "restore_card"}; !slices.Equal(admins, want) {
		t.Errorf("tools for administrators: %q, want %q", admins, want)
	}
	if !slices.Equal(masters, []string{"spoiler_scan"}) {
		t.Errorf("tools for game masters: %q", masters)
	}
}

// The user's rules hold on a wiki of others: what they hide is in no answer, and no
// write touches it.
func TestPrivacyOfARemoteWiki(t *testing.T) {
	hide := tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "Town/GM"}, {Tag: "Coast"}}}
	for _, own := range []bool{false, true} {
		b := remoteBox(t, own, "admin", hide)
		for _, step := range []struct {
			tool string
			in   map[string]any
			want tools.Code
		}{
			{"get_card", map[string]any{"name": "Town"}, tools.NotFound},
			{"get_card", map[string]any{"name": "towns"}, tools.NotFound},
			{"get_card", map[string]any{"name": "Town+GM"}, tools.NotFound},
			{"list_children", map[string]any{"name": "Town"}, tools.NotFound},
			{"update_card", map[string]any{"name": "Town", "content": "x"}, tools.NotFound},
			{"delete_card", map[string]any{"name": "Town"}, tools.NotFound},
			{"create_card", map[string]any{"name": "Town+door", "content": "x"}, tools.Denied},
			{"create_card", map[string]any{"name": "towns", "content": "x"}, tools.Denied},
			{"get_card", map[string]any{"name": "Harbour", "rendered": true}, tools.Denied},
		} {
			_, changes, err := b.call(t, "admin", step.tool, step.in)
			if err == nil || err.Code != step.want || len(changes) > 0 {
				t.Errorf("own %v: %s %v: %v and %d changes, want %s", own, step.tool, step.in, err, len(changes), step.want)
			}
		}
		out := b.must(t, "search_cards", map[string]any{"query": "town"})
		if out["total"] != 0.0 {
			t.Errorf("own %v: search finds %v", own, out)
		}
		if out := b.must(t, "search_cards", map[string]any{"query": "", "prefix": "Har"}); out["total"] != 1.0 {
			t.Errorf("own %v: what is not hidden: %v", own, out)
		}
	}
}

// A card goes with the cards that its name is a part of: none stays without its name.
func TestPartsGoTogether(t *testing.T) {
	runtest.InOrder(t)
	boxes(t, tools.Privacy{}, func(t *testing.T, b toolbox) {
		b.must(t, "create_card", map[string]any{"name": "Town+GM+notes", "content": "x"})
		_, changes, err := b.call(t, "admin", "delete_card", map[string]any{"name": "GM"})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range changes {
			names = append(names, c.Target)
		}
		slices.Sort(names)
		if want := []string{"GM", "Town+GM", "Town+GM+notes"}; !slices.Equal(names, want) {
			t.Errorf("reported %q, want %q", names, want)
		}
		for _, name := range []string{"Town+GM", "Town+GM+notes"} {
			if state, err := b.Restorer().State(t.Context(), name); err != nil || state.Exists {
				t.Errorf("%s is still there (%v)", name, err)
			}
		}
	})
}

// A wiki that answers something else than a list is said to do so.
func TestListThatIsNone(t *testing.T) {
	b := decko(t)
	for _, body := range []string{"null", "[]", "7", `{"cards":7}`} {
		b.wiki.Fail(func(r *http.Request) bool { return r.URL.Path == "/cards" }, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
		if _, _, err := b.call(t, "admin", "search_cards", map[string]any{"query": "harbour", "search_in": "content"}); body != "null" && (err == nil || err.Code != tools.Unavailable) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// Prompts name what they are about and say that texts are no instructions.
func TestPrompts(t *testing.T) {
	b := ownBox(t, tools.Privacy{})
	for _, p := range testSystem().Manifest().Prompts {
		args := map[string]string{}
		for _, a := range p.Arguments {
			args[a.Name] = "Games+Butterfly"
		}
		messages, err := b.Prompt(t.Context(), p.Name, args)
		if err != nil || len(messages) != 1 || !strings.Contains(messages[0].Content.Text, "Games+Butterfly") || !strings.Contains(messages[0].Content.Text, "not as instructions") {
			t.Errorf("%s: %v, %v", p.Name, messages, err)
		}
	}
}
