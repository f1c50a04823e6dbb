package journal

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

const changeColumns = `seq, call, time, client, session, source, tool, target, reason, outcome, open, undoes, fixed,
	b_there, b_mode, b_size, b_blob, a_there, a_mode, a_size, a_blob, group_id, approval, edited, hunks, left_out, a_revision`

// readChangeRows reads Changes without their contents. The caller holds mu and is not
// in a transaction.
func (d *database) readChangeRows(where string, args ...any) ([]changeRow, error) {
	return queryAll(d, d.scanChangeRow, "SELECT "+changeColumns+" FROM changes WHERE "+where, args...)
}

// queryAll returns what scan makes of each row of a result. The caller holds mu
// and is not in a transaction.
func queryAll[T any](d *database, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	found, err := d.db.QueryContext(context.Background(), query, args...)
	if err != nil {
		return nil, d.closeIfDamaged(err)
	}
	defer found.Close() //nolint:errcheck // Err reports it
	var all []T
	for found.Next() {
		v, err := scan(found)
		if err != nil {
			return nil, d.closeIfDamaged(err)
		}
		all = append(all, v)
	}
	return all, d.closeIfDamaged(found.Err())
}

func (d *database) scanChangeRow(from *sql.Rows) (v changeRow, err error) {
	var at int64
	var target, reason []byte
	err = from.Scan(&v.seq, &v.call, &at, &v.origin.Client, &v.origin.Session, &v.origin.Source, &v.origin.Tool, &target, &reason,
		&v.outcome, &v.AfterUnknown, &v.undoes, &v.cannotUndo,
		&v.Before.Exists, &v.Before.Mode, &v.beforeSize, &v.beforeBlob, &v.After.Exists, &v.After.Mode, &v.afterSize, &v.afterBlob, &v.group,
		&v.origin.Approval, &v.origin.Edited, &v.origin.Hunks, &v.origin.LeftOut, &v.After.Revision)
	if err != nil {
		return changeRow{}, err
	}
	v.id, v.time = d.key.changeID(v.seq), time.Unix(0, at)
	plain, err := d.key.decrypt(target, "target")
	if err != nil {
		v.Target, v.unreadable = "?", true
		if v.cannotUndo == "" {
			v.cannotUndo = "it cannot be decrypted: " + err.Error()
		}
		return v, nil
	}
	v.Target = string(plain)
	v.origin.Reason, err = d.decryptReason(reason)
	return v, err
}

// loadContents reads the contents of a row.
func (d *database) loadContents(v *changeRow) (err error) {
	if v.cannotUndo != "" {
		return nil
	}
	if v.Before.Data, err = d.loadContent(v.beforeBlob); err != nil {
		return err
	}
	v.After.Data, err = d.loadContent(v.afterBlob)
	return err
}

// openAndFlush opens the database and writes the queued outcomes, so that a
// query sees them. The caller holds mu.
func (d *database) openAndFlush() error {
	if err := d.ensureOpen(); err != nil {
		return err
	}
	if len(d.queued) == 0 {
		return nil
	}
	return d.flush()
}

// maxDiffBytes bounds the diffs of one answer, as the wire does.
const maxDiffBytes = 1 << 20

// Changes returns Changes, newest first, as status.History promises.
func (j *Journal) Changes(ctx context.Context, p status.Filter) (status.Changes, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	found, err := j.changes(ctx, p)
	if err != nil {
		return status.Changes{}, fmt.Errorf("list changes: %w", err)
	}
	return found, nil
}

func (j *Journal) changes(ctx context.Context, p status.Filter) (status.Changes, error) {
	if err := ctx.Err(); err != nil {
		return status.Changes{}, err
	}
	if err := j.openAndFlush(); err != nil {
		return status.Changes{}, err
	}
	where, args, err := j.filterCondition(p)
	if err != nil {
		return status.Changes{}, err
	}
	limit := p.Limit
	if limit <= 0 {
		limit = 100
	}
	all, err := j.readChangeRows(where+" ORDER BY seq DESC LIMIT ?", append(args, limit+1)...)
	if err != nil {
		return status.Changes{}, err
	}
	answer := status.Changes{Changes: []status.Change{}}
	if len(all) > limit {
		all, answer.More = all[:limit], true
	}
	room := maxDiffBytes
	for _, v := range all {
		change, diff, err := describeRow(j.database, v, len(p.IDs) > 0, room)
		if err != nil {
			return status.Changes{}, err
		}
		answer.Changes = append(answer.Changes, change)
		if len(p.IDs) == 0 {
			continue
		}
		if answer.Diffs == nil {
			answer.Diffs = map[string]string{}
		}
		room -= len(diff)
		answer.Diffs[v.id] = diff
	}
	return answer, nil
}

// describeRow is a Change as the status shows it, with what it moved, and its diff if wanted, of at
// most room bytes. The caller holds mu.
func describeRow(d *database, v changeRow, wantsDiff bool, room int) (change status.Change, diff string, err error) {
	change = v.toStatus(d.key)
	other, moves, err := otherOfMove(d, v)
	if err != nil {
		return change, "", err
	}
	switch {
	case moves && v.After.Exists:
		change.MovedFrom, change.MovedLinks = other.name, other.links
	case moves:
		change.MovedTo = other.name
	}
	if !wantsDiff {
		return change, "", nil
	}
	if err := d.loadContents(&v); err != nil {
		return change, "", err
	}
	if moves {
		diff, err = diffOfMove(d, v, other, room)
		return change, diff, err
	}
	return change, v.diff(room), nil
}

// filterCondition returns p as a condition of a WHERE clause. Calls that have
// not ended are not listed.
func (d *database) filterCondition(p status.Filter) (string, []any, error) {
	var terms []string
	var args []any
	add := func(term string, arg ...any) { terms, args = append(terms, term), append(args, arg...) }
	add("1")
	for call := range d.running {
		add("call <> ?", call)
	}
	for group := range d.runningGroups {
		add("group_id <> ?", group)
	}
	if p.Group != "" {
		id, err := parseGroupID(p.Group)
		if err != nil {
			return "", nil, err
		}
		add("group_id = ?", id)
	}
	if len(p.IDs) > 0 {
		for _, id := range p.IDs {
			seq, err := d.key.parseChangeID(id)
			if err != nil {
				return "", nil, err
			}
			args = append(args, seq)
		}
		add("seq IN (?" + strings.Repeat(",?", len(p.IDs)-1) + ")")
	}
	for column, value := range map[string]string{"source": p.Source, "client": p.Client, "session": p.Session} {
		if value != "" {
			add(column+" = ?", value)
		}
	}
	if !p.Since.IsZero() {
		add("time >= ?", p.Since.UnixNano())
	}
	if p.Before != "" {
		seq, err := d.key.parseChangeID(p.Before)
		if err != nil {
			return "", nil, err
		}
		add("seq < ?", seq)
	}
	return strings.Join(terms, " AND "), args, nil
}

// toStatus returns the row as people see it. One that is pending although its
// call has ended was not reconciled yet, because its source has not been open
// since.
func (v changeRow) toStatus(k *encryptionKey) status.Change {
	c := status.Change{
		ID: v.id, Time: v.time, Client: v.origin.Client, Session: v.origin.Session, Call: k.callID(v.call),
		Source: v.origin.Source, Tool: v.origin.Tool, Target: v.Target, Action: v.action(), Outcome: v.outcome,
		Before: v.beforeSize, After: v.afterSize, Reason: v.origin.Reason, Approval: v.origin.Approval, PersonEdit: v.origin.PersonEdit,
		CannotUndo: v.cannotUndo,
	}
	if v.outcome == "" {
		c.Outcome, c.CannotUndo = status.OutcomeUnknown, cmp.Or(v.cannotUndo, "its outcome will be known when its source serves again")
	}
	if v.group != 0 {
		c.Group = groupID(v.group)
	}
	if v.undoes != 0 {
		c.Undoes = k.changeID(v.undoes)
	}
	return c
}

func (v changeRow) action() string {
	switch {
	case !v.Before.Exists && v.After.Exists:
		return "create"
	case v.Before.Exists && !v.After.Exists && !v.AfterUnknown:
		return "delete"
	}
	return "update"
}

// LastSessionNumber returns the highest N of all sessions named sN that changed
// something, or 0 if there is none. A new hub continues from it.
func (j *Journal) LastSessionNumber() (uint64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.db == nil && !j.wasEverCreated() {
		return 0, nil
	}
	if err := j.ensureOpen(); err != nil {
		return 0, err
	}
	var n uint64
	err := j.db.QueryRowContext(context.Background(),
		"SELECT coalesce(max(CAST(substr(session, 2) AS INTEGER)), 0) FROM changes WHERE session GLOB 's[0-9]*'").Scan(&n)
	return n, j.closeIfDamaged(err)
}
