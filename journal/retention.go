package journal

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// contentsDroppedReason is why a Change without its content cannot be undone.
const contentsDroppedReason = "its content is no longer kept"

// oldestKeptCallSQL finds the oldest call whose contents may be dropped.
const oldestKeptCallSQL = `SELECT c.call, c.time, (SELECT value FROM facts WHERE name = 'bytes')
			FROM changes c WHERE c.fixed = '' AND c.call <> ? AND c.outcome <> ''
			AND NOT EXISTS (SELECT 1 FROM changes p WHERE p.call = c.call AND p.outcome = '')
			AND c.call NOT IN (SELECT call FROM intents)
			AND (c.group_id = 0 OR c.group_id NOT IN (SELECT id FROM groups UNION SELECT group_id FROM intents)) ORDER BY c.call LIMIT 1`

// retentionCheckInterval is the longest time between two looks at what may be dropped: a call
// that has ended meanwhile may be older than those that were seen.
const retentionCheckInterval = time.Minute

// A nextRetentionCheck says when contents may have to be dropped. The zero value says
// now.
type nextRetentionCheck struct {
	at   time.Time // nothing is too old before
	room int64     // bytes that can be stored before there is too much
}

// enforceContentRetention drops the contents of the oldest calls until the rest is
// within the limits, after up to stored bytes more were stored. It spares the
// newest call, calls and groups that have not ended, and those that an undo is
// working on.
func (d *database) enforceContentRetention(tx *sql.Tx, newest, stored int64) error {
	now := d.opts.Now()
	d.nextCheck.room -= stored
	if now.Before(d.nextCheck.at) && d.nextCheck.room > 0 {
		return nil
	}
	d.nextCheck = nextRetentionCheck{}
	ctx := context.Background()
	old := now.Add(-d.opts.Keep).UnixNano()
	var freed bool
	for {
		var call, bytes, at int64
		err := tx.QueryRowContext(ctx, oldestKeptCallSQL, newest).Scan(&call, &at, &bytes)
		if errors.Is(err, sql.ErrNoRows) {
			break
		}
		if err != nil {
			return err
		}
		if bytes <= d.opts.MaxBytes && at >= old {
			if !freed { // or what was freed may come back, if the transaction fails
				d.nextCheck = nextRetentionCheck{earlier(time.Unix(0, at).Add(d.opts.Keep), now.Add(retentionCheckInterval)), d.opts.MaxBytes - bytes}
			}
			break
		}
		if err := dropContents(tx, call); err != nil {
			return err
		}
		freed = true
	}
	if !freed {
		return nil
	}
	ancient := now.Add(-10 * d.opts.Keep).UnixNano()
	if err := exec(tx, "DELETE FROM changes WHERE fixed <> '' AND time < ?", ancient); err != nil {
		return err
	}
	return exec(tx, "PRAGMA incremental_vacuum(256)")
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// dropContents drops the contents of a call and keeps its rows.
func dropContents(tx *sql.Tx, call int64) error {
	ctx := context.Background()
	rows, err := tx.QueryContext(ctx, "SELECT b_blob, a_blob FROM changes WHERE call = ?", call)
	if err != nil {
		return err
	}
	var hashes [][]byte
	for rows.Next() {
		var before, after []byte
		if err := rows.Scan(&before, &after); err != nil {
			_ = rows.Close() // the first error says what is wrong
			return err
		}
		hashes = append(hashes, before, after)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, h := range hashes {
		if err := releaseContent(tx, h); err != nil {
			return err
		}
	}
	return exec(tx, "UPDATE changes SET fixed = ?, b_blob = NULL, a_blob = NULL WHERE call = ?", contentsDroppedReason, call)
}
