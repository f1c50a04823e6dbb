package cardstore

import (
	"context"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// mergePages is how many pages of 4 KB one step of MergeIndex writes: some
// milliseconds, for which other writers wait.
const mergePages = 250

// MergeIndex makes fewer parts of the index of words and contents, each of which a
// search asks for every three characters. It works in small steps and leaves one part
// of each size, so that what is written to the wiki since the last time costs no more
// than a few times its own bytes. PostgreSQL needs none of it.
func MergeIndex(ctx context.Context, s *Store) error {
	if s.db.Dialect() != sqlstore.Sqlite {
		return nil
	}
	for merged := true; merged; {
		err := s.db.Write(ctx, func(q *sqlstore.Conn) (err error) {
			merged, err = mergeStep(ctx, q)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// mergeStep reports whether there was something to merge: SQLite counts the rows that
// hold its index, of which the command itself is one.
func mergeStep(ctx context.Context, q *sqlstore.Conn) (merged bool, err error) {
	var before, after int64
	if err := q.QueryRow(ctx, "SELECT total_changes()").Scan(&before); err != nil {
		return false, err
	}
	if _, err := q.Exec(ctx, "INSERT INTO card_text (card_text, rank) VALUES ('merge', ?)", mergePages); err != nil {
		return false, err
	}
	err = q.QueryRow(ctx, "SELECT total_changes()").Scan(&after)
	return after-before > 1, err
}
