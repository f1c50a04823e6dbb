package notestore

import (
	"context"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// mergedPages is how much of the index one transaction merges: some milliseconds, for
// which a save waits.
const mergedPages = 64

// MergeWords merges what saves have added to the index of words, so that a search has
// few parts to look into. It works in short transactions until nothing is left or ctx
// ends. PostgreSQL does this by itself.
func (s *Store) MergeWords(ctx context.Context) error {
	if s.db.Dialect() != sqlstore.Sqlite {
		return nil
	}
	for merged := true; merged; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.db.Write(ctx, func(c *sqlstore.Conn) (err error) {
			merged, err = mergeStep(ctx, c)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// mergeStep reports whether it found something to merge.
func mergeStep(ctx context.Context, c *sqlstore.Conn) (bool, error) {
	const changes = "SELECT total_changes()"
	var before, after int64
	if err := c.QueryRow(ctx, changes).Scan(&before); err != nil {
		return false, err
	}
	for _, command := range []struct {
		name  string
		value int
	}{{"usermerge", 2}, {"merge", mergedPages}} {
		if _, err := c.Exec(ctx, "INSERT INTO note_words (note_words, rank) VALUES (?, ?)", command.name, command.value); err != nil {
			return false, err
		}
	}
	err := c.QueryRow(ctx, changes).Scan(&after)
	return after-before > 3, err // each command alone changes a row of its own
}
