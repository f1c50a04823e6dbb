package notestore

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// A search on PostgreSQL goes by the index of words also right after many saves, before
// anything tidied the database up.
func TestSearchAfterManySaves(t *testing.T) {
	runtest.InOrder(t)
	s := open(t, postgres.Database(t))
	rnd := rand.New(rand.NewPCG(1, 2))
	for part := range 10 {
		d := s.Begin(View{})
		for i := range 200 {
			if _, err := d.Save(t.Context(), "ws", fmt.Sprintf("n%d", part*200+i), Content{Text: benchText(rnd, i)}, ""); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	plan, err := sqlstore.Select(t.Context(), s.db.Reader(), func(row sqlstore.Row) (line string, err error) { return line, row.Scan(&line) },
		"EXPLAIN SELECT record FROM notes WHERE workspace = 'ws' AND seq < 1000000 AND deleted = FALSE AND words @@ CAST('''w900'' & ''w30''' AS tsquery) "+
			"ORDER BY seq DESC LIMIT 20")
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(plan, "\n"); !strings.Contains(text, "Index Scan on notes_words") {
		t.Errorf("a search reads the words of all notes:\n%s", text)
	}
}
