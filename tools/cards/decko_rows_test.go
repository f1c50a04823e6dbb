package cards_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// More of what Decko does its own way: how it lists, counts and answers.

func namesIn(out map[string]any, list string) (names []string) {
	all, _ := out[list].([]any)
	for _, one := range all {
		names = append(names, one.(map[string]any)["name"].(string))
	}
	return names
}

// Decko lists what a query finds as results, and the specification as items.
func TestResultsOrItems(t *testing.T) {
	b := decko(t)
	for _, list := range []string{"results", "items"} {
		b.wiki.Fail(func(r *http.Request) bool { return r.URL.Path == "/run_query" }, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"` + list + `":[{"name":"Harbour","id":7,"type":"RichText","updated_at":"2026-01-01T00:00:00Z"}],"total":1,"limit":50,"offset":0,"next_offset":null}`))
		})
		out := b.must(t, "run_query", map[string]any{"query": map[string]any{"content": "boat"}})
		if names := namesIn(out, "items"); !slices.Equal(names, []string{"Harbour"}) || out["total"] != 1.0 {
			t.Errorf("%s: %v", list, out)
		}
	}
}

// Decko's prefix finds no compound card, its not_name leaves out none, and it knows
// neither tags nor whole words.
func TestFiltersThatDeckoLacks(t *testing.T) {
	runtest.InOrder(t)
	b := decko(t)
	for _, c := range []struct {
		tool, list string
		in         map[string]any
		want       string
	}{
		{"search_cards", "cards", map[string]any{"query": "", "prefix": "Town+"}, "Town+GM Town+tags"},
		{"search_cards", "cards", map[string]any{"query": "town", "not_name": "*+GM*"}, "Town Town+tags"},
		{"search_cards", "cards", map[string]any{"query": "", "tag": "Coast"}, "Town"},
		{"run_query", "items", map[string]any{"query": map[string]any{"prefix": "Town+", "not_name": "*+GM"}}, "Town+tags"},
		{"run_query", "items", map[string]any{"query": map[string]any{"tag": "Wood"}}, "Town"},
	} {
		out := b.must(t, c.tool, c.in)
		if got := strings.Join(sorted(namesIn(out, c.list)), " "); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.tool, c.in, got, c.want)
		}
	}
}

// Decko's total of a search by date counts cards that the caller may not read.
func TestTotalsCountWhatIsShown(t *testing.T) {
	for _, role := range []string{"user", "admin"} {
		b := remoteBox(t, false, role, tools.Privacy{})
		out, _, err := b.call(t, role, "search_cards", map[string]any{"query": "oo", "updated_since": "2020-01-01", "search_in": "content"})
		if err != nil {
			t.Fatal(err)
		}
		if names := namesIn(out, "cards"); len(names) == 0 || out["total"] != float64(len(names)) || role == "user" && slices.Contains(names, "Town+GM") {
			t.Errorf("as %s: %v", role, out)
		}
	}
}

// Decko lists children backwards unless it is told how.
func TestChildrenInOrder(t *testing.T) {
	b := decko(t)
	b.must(t, "create_card", map[string]any{"name": "Town+alley", "content": "x"})
	if names := namesIn(b.must(t, "list_children", map[string]any{"name": "Town"}), "children"); !slices.Equal(names, []string{"Town+alley", "Town+GM", "Town+tags"}) {
		t.Errorf("children %q", names)
	}
}

// Decko cleans what it is given. What became of a card is what it reports, and what an
// undo compares with.
func TestCleanedTextIsReported(t *testing.T) {
	boxes(t, tools.Privacy{}, func(t *testing.T, b toolbox) {
		_, changes, err := b.call(t, "admin", "create_card", map[string]any{"name": "Odd", "content": `<p onclick="x()">a</p><script>b</script>`})
		if err != nil || len(changes) != 1 {
			t.Fatal(err, changes)
		}
		if text := string(changes[0].After.Data); strings.Contains(text, "onclick") || changes[0].AfterUnknown {
			t.Errorf("reported %s", text)
		}
		if err := b.Restorer().Restore(t.Context(), tools.CallContext{}, reversed(changes)); err != nil {
			t.Errorf("undo: %v", err)
		}
	})
}

// Decko answers 403 for a card that somebody may not read, and 404 for none: an agent is
// told which, in no other words than Decko's.
func TestForbiddenAndMissing(t *testing.T) {
	b := remoteBox(t, false, "user", tools.Privacy{})
	for name, want := range map[string]tools.Code{"Town+GM": tools.Denied, "Nobody": tools.NotFound} {
		_, _, err := b.call(t, "user", "get_card", map[string]any{"name": name})
		if err == nil || err.Code != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// Decko completes a scan at once, and the specification may queue it: both are said.
func TestScanThatIsQueued(t *testing.T) {
	b := decko(t)
	for _, status := range []string{"completed", "queued"} {
		b.wiki.Fail(func(r *http.Request) bool { return r.URL.Path == "/jobs/spoiler-scan" }, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"status":"` + status + `","matches":0,"results_card":"Found","scope":"player","terms_checked":1}`))
		})
		if out := b.must(t, "spoiler_scan", map[string]any{"terms_card": "Town+tags", "results_card": "Found"}); out["status"] != status {
			t.Errorf("%v, want %s", out, status)
		}
	}
}
