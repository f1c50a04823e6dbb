package notestore

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// The links of one note are found by the indexes of what they name, however many links
// a workspace has.
func TestLinksOfANoteAreFoundByIndex(t *testing.T) {
	runtest.InOrder(t)
	s, err := Open(t.Context(), Options{Database: filepath.Join(t.TempDir(), "notes.db"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	query, args := linkQuery("w", &Note{Record: Record{ID: "a", Title: "A"}}, []string{"a", "A", ""}, "", 10, true)
	for query, args := range map[string][]any{query: args, noteQuery: {"w", "a", "a", true}} {
		plan := queryPlan(t, s, query, args...)
		for _, step := range []string{
			" USING PRIMARY KEY (workspace=? AND source=?)", "text_links_target (workspace=? AND target_key=?)",
			" USING PRIMARY KEY (workspace=? AND kind=? AND id=?)", "documents_source (", "documents_target (",
		} {
			if !strings.Contains(plan, step) {
				t.Errorf("no step %q in the plan:\n%s", step, plan)
			}
		}
		plan = strings.ReplaceAll(plan, "SCAN x", "") // the notes of a name, found by indexes
		if query == noteQuery && (strings.Contains(plan, "SCAN") || strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "AND kind=?)\n")) {
			t.Errorf("a note is read by more than indexes:\n%s", plan)
		}
	}
}

// The history of a note is found by what each revision names as the one before.
func TestHistoryIsFoundByIDs(t *testing.T) {
	runtest.InOrder(t)
	s, err := Open(t.Context(), Options{Database: filepath.Join(t.TempDir(), "notes.db"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	plan := queryPlan(t, s, revisionsQuery, "w", "a", 10)
	if strings.Count(plan, "USING INDEX sqlite_autoindex_revisions_1 (id=?)") != 2 || !strings.Contains(plan, "SEARCH r USING INTEGER PRIMARY KEY") ||
		strings.Contains(plan, "SCAN revisions") {
		t.Errorf("the plan is\n%s", plan)
	}
}

// Lists and searches find notes by their place in the list of the newest: no other index
// holds it.
func TestNotesAreFoundByIndex(t *testing.T) {
	runtest.InOrder(t)
	s, err := Open(t.Context(), Options{Database: filepath.Join(t.TempDir(), "notes.db"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	all := noteSelect{from: "notes n", seq: "n.seq", text: "''"}
	fresh, indexed := all.byWords(wordQuery{words: []string{"word"}})
	class := scan{Selection: Selection{Class: "Task"}}
	for _, c := range []struct {
		noteSelect
		step string
	}{
		{all, "notes_newest (workspace=? AND deleted=? AND seq<?)"},
		{all.with(class.where(sqlstore.Sqlite), class.args()), "notes_class (workspace=? AND class=? AND deleted=? AND seq<?)"},
		{fresh, "notes_newest (workspace=? AND deleted=? AND seq=?)"},
		{indexed, "notes_newest (workspace=? AND deleted=? AND seq=?)"},
	} {
		args := append([]any{"w", newest}, append(c.args, 20)...)
		if plan := queryPlan(t, s, c.query(), args...); !strings.Contains(plan, c.step) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("no step %q in the plan of %s, or it sorts:\n%s", c.step, c.from, plan)
		}
	}
}

// A search is one statement, whose parts are found as by themselves, those that wait to be
// indexed first.
func TestSearchIsOneStatement(t *testing.T) {
	s, err := Open(t.Context(), Options{Database: filepath.Join(t.TempDir(), "notes.db"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	fresh, indexed := noteSelect{seq: "n.seq", text: "''"}.byWords(wordQuery{words: []string{"word"}})
	args := append(append(fresh.arguments("w", newest, 20), indexed.arguments("w", newest, 20)...), 20)
	plan := queryPlan(t, s, unionQuery(fresh, indexed), args...)
	waiting, words := strings.Index(plan, "SEARCH f USING INTEGER PRIMARY KEY"), strings.Index(plan, "SCAN note_words VIRTUAL TABLE")
	if waiting < 0 || words < waiting || strings.Count(plan, "notes_newest (workspace=? AND deleted=? AND seq=?)") != 2 ||
		strings.Contains(plan, "TEMP B-TREE") {
		t.Errorf("the plan is\n%s", plan)
	}
}

// queryPlan is how SQLite carries out a query, a step on each line.
func queryPlan(t *testing.T, s *Store, query string, args ...any) string {
	t.Helper()
	steps, err := sqlstore.Select(t.Context(), s.db.Reader(), func(row sqlstore.Row) (step string, err error) {
		var id, parent, unused int
		return step, row.Scan(&id, &parent, &unused, &step)
	}, "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(steps, "\n")
}
