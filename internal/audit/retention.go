package audit

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// maxDeleted is how many records one transaction deletes, so that new ones do
// not wait long.
const maxDeleted = 2000

// sweep deletes old records now and then.
func (t *Trail) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if err := enforceRetention(ctx, t.store, t.opts.Now().Add(-t.opts.Keep), t.opts.MaxBytes); err != nil && ctx.Err() == nil {
			err = fmt.Errorf("delete old records of the audit: %w", err)
			t.failure.Store(&err) // until the next batch is written
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// enforceRetention deletes records from before a time, and the oldest ones while
// the file is larger than maxBytes.
func enforceRetention(ctx context.Context, store *sqlstore.Store, before time.Time, maxBytes int64) error {
	for {
		size, err := usedBytes(ctx, store)
		if err != nil {
			return err
		}
		n, err := deleteOldest(ctx, store, before, size > maxBytes)
		if err != nil || n == 0 {
			return err
		}
		if err := store.Sweep(ctx); err != nil {
			return err
		}
	}
}

// deleteOldest deletes some of the oldest records: those from before a time, or
// any.
func deleteOldest(ctx context.Context, store *sqlstore.Store, before time.Time, any bool) (n int64, err error) {
	until := firstID(before)
	if any {
		until = math.MaxInt64
	}
	err = store.Write(ctx, func(c *sqlstore.Conn) error {
		oldest, err := sqlstore.Select(ctx, c, func(row sqlstore.Row) (id int64, err error) { return id, row.Scan(&id) },
			"SELECT id FROM calls WHERE id < ? ORDER BY id LIMIT ?", until, maxDeleted)
		if err != nil || len(oldest) == 0 {
			return err
		}
		last := oldest[len(oldest)-1]
		for _, query := range []string{
			`DELETE FROM search_values WHERE field = 'targets' AND value IN (SELECT name FROM call_targets WHERE call <= ?1)
				AND NOT EXISTS (SELECT 1 FROM call_targets WHERE name = search_values.value AND call > ?1)`,
			`DELETE FROM search_values WHERE field = 'session' AND value IN (SELECT session FROM calls WHERE id <= ?1)
				AND NOT EXISTS (SELECT 1 FROM calls WHERE session = search_values.value AND id > ?1)`,
			"DELETE FROM call_targets WHERE call <= ?1",
		} {
			if _, err := c.Exec(ctx, query, last); err != nil {
				return err
			}
		}
		n, err = c.Exec(ctx, "DELETE FROM calls WHERE id <= ?", last)
		return err
	})
	return n, err
}

// usedBytes is the size of the file without pages that are free.
func usedBytes(ctx context.Context, store *sqlstore.Store) (int64, error) {
	var pages, free, size int64
	err := store.Read(ctx, func(c *sqlstore.Conn) error {
		for pragma, value := range map[string]*int64{"page_count": &pages, "freelist_count": &free, "page_size": &size} {
			if err := c.QueryRow(ctx, "PRAGMA "+pragma).Scan(value); err != nil {
				return err
			}
		}
		return nil
	})
	return (pages - free) * size, err
}
