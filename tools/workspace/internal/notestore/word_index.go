package notestore

import (
	"context"
	"strings"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// freshNotes is how many saves, about, wait to be added to SQLite's index of words
// together: to add one by itself takes as long as the rest of a save, and leaves behind
// one more part that each search looks into.
const freshNotes = 64

// putWords keeps the words of a note that was saved as seq, in place of those of old; 0:
// it is new.
func putWords(ctx context.Context, c *sqlstore.Conn, seq, old int64, words []string) error {
	rows, args := "(?, ?)", []any{seq, " " + strings.Join(words, " ") + " "}
	if old != 0 {
		rows, args = "(?, ?), (?, NULL)", append(args, old)
	}
	_, err := c.Exec(ctx, "INSERT INTO fresh_words (seq, words) VALUES "+rows+" ON CONFLICT (seq) DO UPDATE SET words = NULL", args...)
	return err
}

// dropWords takes the words of a revision away; 0: there is none.
func dropWords(ctx context.Context, c *sqlstore.Conn, seq int64) error {
	if seq == 0 {
		return nil
	}
	_, err := c.Exec(ctx, "INSERT INTO fresh_words (seq, words) VALUES (?, NULL) ON CONFLICT (seq) DO UPDATE SET words = NULL", seq)
	return err
}

// indexFresh adds to the index what has waited. All that waits is newer than all that is
// in the index.
func indexFresh(ctx context.Context, c *sqlstore.Conn) error {
	for _, statement := range []string{
		"DELETE FROM note_words WHERE rowid IN (SELECT seq FROM fresh_words WHERE words IS NULL)",
		"INSERT INTO note_words (rowid, words) SELECT seq, words FROM fresh_words WHERE words IS NOT NULL ORDER BY seq",
		"DELETE FROM fresh_words",
	} {
		if _, err := c.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// freshCondition is the query for words between spaces.
func (q wordQuery) freshCondition() (where string, args []any) {
	for _, w := range q.words {
		if q.title {
			w = inTitle + w
		}
		if w = " " + w; !q.prefix {
			w += " "
		}
		where, args = where+" AND instr(f.words, ?) > 0", append(args, w)
	}
	return where, args
}
