package notestore

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// A search finds the same notes in the same order, page by page, whether their words are
// in the index or wait, while notes are saved again, deleted and restored.
func TestWordsThatWaitAreFound(t *testing.T) {
	stores := map[string]*Store{}
	for name, fresh := range map[string]int64{"all indexed": 1, "some wait": 7, "all wait": 1 << 40} {
		s := open(t, filepath.Join(t.TempDir(), "notes.db"))
		s.freshNotes = fresh
		stores[name] = s
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for step := range 120 {
		id, deletes := fmt.Sprintf("n%d", rnd.IntN(15)), rnd.IntN(4) == 0
		text := fmt.Sprintf("# Title word%d\n\ncommon word%d Wörter%d 犬%c\n", rnd.IntN(3), rnd.IntN(3), rnd.IntN(3), '一'+rune(rnd.IntN(3)))
		for _, s := range stores {
			d := s.Begin(View{})
			n, err := d.Note(t.Context(), "ws", id)
			if err != nil {
				t.Fatal(err)
			}
			if n != nil && deletes {
				err = d.Delete(t.Context(), "ws", id, Any)
			} else {
				save(t, d, id, text)
			}
			if err != nil {
				t.Fatal(err)
			}
			commit(t, d)
		}
		if step%10 < 9 {
			continue
		}
		expected := findInPages(t, stores["all indexed"])
		for name, s := range stores {
			want(t, fmt.Sprintf("%s, after step %d", name, step), findInPages(t, s), expected)
		}
	}
}

// The index keeps the words of the current revision of each note only, also where one commit
// adds several revisions.
func TestIndexForgetsEarlierRevisions(t *testing.T) {
	runtest.InOrder(t)
	s := open(t, filepath.Join(t.TempDir(), "notes.db"))
	for round := range 3 {
		for _, saves := range []int{1, 3} {
			d := s.Begin(View{})
			for i := range saves {
				save(t, d, fmt.Sprintf("of-%d", saves), fmt.Sprintf("round %d, save %d", round, i))
			}
			commit(t, d)
		}
		var indexed, current int
		if err := s.db.Write(t.Context(), func(c *sqlstore.Conn) error {
			if err := indexFresh(t.Context(), c); err != nil {
				return err
			}
			return c.QueryRow(t.Context(), "SELECT count(*), count(n.id) FROM note_words w LEFT JOIN notes n ON n.seq = w.rowid").Scan(&indexed, &current)
		}); err != nil || indexed != 2 || current != 2 {
			t.Errorf("round %d: %d revisions in the index, %d of them current, want 2 and 2; %v", round, indexed, current, err)
		}
	}
}

// findInPages searches for several words, three notes at a time.
func findInPages(t *testing.T, s *Store) (found []string) {
	t.Helper()
	for _, words := range []string{"common", "word1", "title word2", "worter", "犬", "wor", "common word0 word2", "nothing"} {
		found = append(found, words+":")
		for after := ""; ; {
			list, err := s.Begin(View{}).Search(t.Context(), "ws", words, after, 3)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range list {
				found, after = append(found, m.ID+" "+strings.TrimSpace(m.Excerpt)), m.Revision
			}
			if len(list) < 3 {
				break
			}
		}
	}
	return found
}
