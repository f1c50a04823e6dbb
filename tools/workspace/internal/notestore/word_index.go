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

// putWords keeps the words of a note that was saved. Those of the revision that it names as
// the one before go when these are indexed, by indexFresh: until then nobody finds them,
// since the row of the note has another seq.
func putWords(ctx context.Context, c *sqlstore.Conn, x noteIndex, words []string) error {
	if x.several {
		if err := dropWords(ctx, c, x.old); err != nil {
			return err
		}
	}
	_, err := c.Exec(ctx, "INSERT INTO fresh_words (seq, words) VALUES (?, ?)", x.seq, " "+strings.Join(words, " ")+" ")
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
		"INSERT INTO fresh_words (seq, words) SELECT b.seq, NULL FROM fresh_words f CROSS JOIN revisions r ON r.seq = f.seq " +
			"CROSS JOIN revisions b ON b.id = r.parent WHERE f.words IS NOT NULL ON CONFLICT (seq) DO UPDATE SET words = NULL",
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
