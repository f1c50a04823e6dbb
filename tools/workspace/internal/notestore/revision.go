package notestore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notetext"
)

// Revisions lists the revisions of a note, newest first, after one, at most limit;
// ErrNotFound if there was never such a note or it is hidden. Those that were hidden
// are absent. They have no text.
func (d *Draft) Revisions(ctx context.Context, workspace, id, after string, limit int) (list []Revision, err error) {
	k := noteKey{workspace, id}
	h, err := d.head(ctx, k)
	if err != nil || h == nil || d.hides(workspace, h.record) {
		return nil, cmp.Or(err, ErrNotFound)
	}
	before, next := int64(newest), h.revision.ID // of the stored one that comes next
	if c := d.notes[k]; c != nil {
		next = c.revisions[0].Parent
	}
	if after != "" {
		r, err := revisionCursor(ctx, d, k, after)
		if err != nil {
			return nil, err
		}
		if before = r.seq; before < draftedSeq {
			next = r.Parent
		}
	}
	list = draftedRevisions(d.notes[k], before, limit)
	for len(list) < limit && next != "" {
		stored, err := storedRevisions(ctx, d, workspace, next, min(limit-len(list), 200))
		if err != nil || len(stored) == 0 {
			return list, err
		}
		next = stored[len(stored)-1].Parent
		for _, r := range stored {
			if hidden, err := hidesRevision(ctx, d, workspace, r); err != nil {
				return nil, err
			} else if !hidden {
				r.Text = ""
				list = append(list, r)
			}
		}
	}
	return list, nil
}

// revisionCursor is the revision of a note after which a list goes on; ErrCursor if it has none of
// this ID.
func revisionCursor(ctx context.Context, d *Draft, k noteKey, id string) (Revision, error) {
	r, err := d.revision(ctx, k.workspace, id)
	if errors.Is(err, ErrNotFound) || err == nil && r.Note != k.id {
		return r, ErrCursor
	}
	return r, err
}

// draftedRevisions are those of a note that the Draft saved, newest first.
func draftedRevisions(c *noteChange, before int64, limit int) (list []Revision) {
	if c == nil {
		return nil
	}
	for _, r := range slices.Backward(c.revisions) {
		if r.seq = draftSeq(r); r.seq < before && len(list) < limit {
			list = append(list, r)
		}
	}
	return list
}

// checkKnown returns ErrNotFound if there was never a note, or if it is hidden.
func checkKnown(ctx context.Context, d *Draft, k noteKey) error {
	h, err := d.head(ctx, k)
	if err == nil && (h == nil || d.hides(k.workspace, h.record)) {
		err = ErrNotFound
	}
	return err
}

// storedRevisions reads a revision and those before it, at most limit. Each names the one
// before.
func storedRevisions(ctx context.Context, d *Draft, workspace, id string, limit int) ([]Revision, error) {
	return sqlstore.Select(ctx, d.store.db.Reader(), scanRevision, revisionsQuery, workspace, id, limit)
}

const revisionsQuery = "WITH RECURSIVE chain (seq, parent, place) AS (" +
	"SELECT seq, parent, 1 FROM revisions WHERE workspace = ? AND id = ? " +
	"UNION ALL SELECT b.seq, b.parent, c.place + 1 FROM chain c JOIN revisions b ON b.id = c.parent WHERE c.place < ?) " +
	"SELECT " + revisionColumns + " FROM chain c JOIN revisions r ON r.seq = c.seq ORDER BY c.place"

// hidesRevision reports whether a note was hidden when it was saved like this.
func hidesRevision(ctx context.Context, d *Draft, workspace string, r Revision) (bool, error) {
	if d.view.Hides == nil || r.Deleted {
		return false, nil
	}
	class := className(r.Content, notetext.Parse(r.Text))
	shown, err := d.retype(ctx, workspace, Record{ID: r.Note, Revision: r.ID, Class: class}, r.Content)
	return d.hides(workspace, shown), err
}

// Revision returns a revision of a note, and the visible one before it, nil if there
// is none; ErrNotFound if it is missing or hidden.
func (d *Draft) Revision(ctx context.Context, workspace, id, revision string) (r Revision, previous *Revision, err error) {
	if err := checkKnown(ctx, d, noteKey{workspace, id}); err != nil {
		return r, nil, err
	}
	if r, err = d.revision(ctx, workspace, revision); err != nil {
		return r, nil, err
	}
	hidden, err := hidesRevision(ctx, d, workspace, r)
	if err != nil {
		return r, nil, err
	}
	if hidden || r.Note != id {
		return r, nil, ErrNotFound
	}
	for parent := r.Parent; parent != ""; {
		p, err := d.revision(ctx, workspace, parent)
		if err != nil {
			return r, nil, err
		}
		if hidden, err := hidesRevision(ctx, d, workspace, p); err != nil || !hidden {
			return r, &p, err
		}
		parent = p.Parent
	}
	return r, nil, nil
}

// revision returns any revision, with its seq.
func (d *Draft) revision(ctx context.Context, workspace, id string) (Revision, error) {
	if !mayBeID(id) {
		return Revision{}, ErrNotFound
	}
	for k, c := range d.notes {
		for _, r := range c.revisions {
			if r.ID == id && k.workspace == workspace {
				r.seq = draftSeq(r)
				return r, nil
			}
		}
	}
	r, err := scanRevision(d.store.db.Reader().
		QueryRow(ctx, "SELECT "+revisionColumns+" FROM revisions r WHERE r.id = ? AND r.workspace = ?", id, workspace))
	if errors.Is(err, sql.ErrNoRows) {
		return r, ErrNotFound
	}
	return r, err
}

// newest is a seq after all others.
const newest = 1<<63 - 1

// draftedSeq is the least seq of a revision that is not committed: after those that are.
const draftedSeq = 1 << 62

func draftSeq(r Revision) int64 { return draftedSeq + r.Time.UnixNano()/2 }

// cursor is the seq of a revision: what a list goes on before.
func (d *Draft) cursor(ctx context.Context, workspace, revision string) (int64, error) {
	r, err := d.revision(ctx, workspace, revision)
	if errors.Is(err, ErrNotFound) {
		return 0, ErrCursor
	}
	return r.seq, err
}

// RecordOf is what lists said of a note when it had a revision, to go on after it;
// ErrCursor if there is none.
func (d *Draft) RecordOf(ctx context.Context, workspace, revision string) (Record, error) {
	r, err := d.revision(ctx, workspace, revision)
	if err != nil {
		return Record{}, ErrCursor
	}
	then := Record{ID: r.Note, Revision: r.ID, Class: className(r.Content, notetext.Parse(r.Text)), Created: r.Time, Updated: r.Time}
	if h, err := d.head(ctx, noteKey{workspace, r.Note}); err != nil {
		return then, err
	} else if h != nil {
		then.Created = h.record.Created
	}
	return d.retype(ctx, workspace, then, r.Content)
}
