package notestore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notetext"
)

// Commit writes everything that the Draft changed, in one transaction, if everything
// that it read for that is still the same. Otherwise it returns a [ConflictError] and
// writes nothing. A Draft that changed nothing commits without a transaction. The error is
// an [sqlstore.ErrCommitUnknown] if nobody can tell whether it was committed.
func (d *Draft) Commit(ctx context.Context) error {
	if len(d.documents)+len(d.notes) == 0 {
		return nil
	}
	err := commitDraft(ctx, d)
	if errors.Is(err, sqlstore.ErrCommitUnknown) && isCommitted(ctx, d) {
		return nil
	}
	return err
}

// lookTimeout is how long Commit looks whether a transaction was committed whose answer was
// lost.
const lookTimeout = 5 * time.Second

// isCommitted reports whether the database has what the Draft wrote. That it has not may
// still change.
func isCommitted(ctx context.Context, d *Draft) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
	defer cancel()
	stored := d.store.Begin(View{})
	for k, change := range d.notes {
		has, err := HasRevision(ctx, stored, k.target(), change.revisions[0].ID)
		return err == nil && has
	}
	return false
}

func commitDraft(ctx context.Context, d *Draft) error {
	return d.store.db.Write(ctx, func(c *sqlstore.Conn) error {
		if err := commitDocuments(ctx, d, c); err != nil {
			return err
		}
		if err := commitNotes(ctx, d, c); err != nil {
			return err
		}
		for k, change := range d.documents {
			if k.kind == ClassKind {
				if err := retypeNotes(ctx, c, k.workspace, change.after, k.id); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func commitDocuments(ctx context.Context, d *Draft, c *sqlstore.Conn) error {
	for k, want := range d.classes {
		now, err := readDocument(ctx, c, k)
		if err != nil {
			return err
		}
		if (now == nil) != (want == nil) || now != nil && now.Body != *want {
			return &ConflictError{Workspace: k.workspace, Kind: k.kind, ID: k.id}
		}
	}
	for k, change := range d.documents {
		now, err := readDocument(ctx, c, k)
		switch {
		case err != nil:
			return err
		case (now == nil) != (change.before == nil) || now != nil && now.Body != change.before.Body:
			return &ConflictError{Workspace: k.workspace, Kind: k.kind, ID: k.id}
		case change.after == nil:
			err = deleteDocument(ctx, c, k)
		default:
			err = writeDocument(ctx, c, *change.after)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// commitNotes keeps the revisions in the order in which they were made, which is that
// of lists.
func commitNotes(ctx context.Context, d *Draft, c *sqlstore.Conn) error {
	type made struct {
		Revision
		in noteKey
	}
	var revisions []made
	indexes := map[noteKey]*noteIndex{}
	keys := slices.Collect(maps.Keys(d.notes))
	slices.SortFunc(keys, compareNoteKeys)
	for _, k := range keys {
		change := d.notes[k]
		x := &noteIndex{note: change.after, last: change.last, old: change.base, before: change.before, several: len(change.revisions) > 1}
		indexes[k] = x
		for _, r := range change.revisions {
			revisions = append(revisions, made{r, k})
		}
	}
	slices.SortFunc(revisions, func(a, b made) int { return a.Time.Compare(b.Time) })
	full, short := false, c.Short()
	for _, r := range revisions {
		seq, err := insertRevision(ctx, short, r.in.workspace, r.Revision)
		if err != nil {
			return err
		}
		indexes[r.in].seq, full = seq, full || seq%d.store.freshNotes == 0
	}
	for _, k := range keys {
		written, err := writeNote(ctx, short, k.workspace, *indexes[k])
		if err != nil {
			return err
		}
		if !written {
			return conflictWith(ctx, d, c, k)
		}
	}
	switch {
	case full && c.Dialect() == sqlstore.Sqlite:
		return indexFresh(ctx, c)
	case len(revisions) >= d.store.analyzedNotes && c.Dialect() == sqlstore.Postgres:
		_, err := c.Exec(ctx, "ANALYZE notes, revisions, text_links")
		return err
	}
	return nil
}

// analyzedNotes is how many saves in one commit, of an import, have PostgreSQL count its
// tables at once. Its connections keep plans that were good for empty ones, in which a note
// is found by reading all of them, until it counts by itself, a minute or more later.
const analyzedNotes = 1000

// conflictWith says what stands where a Draft wanted to write.
func conflictWith(ctx context.Context, d *Draft, c *sqlstore.Conn, k noteKey) error {
	h, err := readHead(ctx, c, k)
	if err != nil {
		return err
	}
	conflict := &ConflictError{Workspace: k.workspace, ID: k.id}
	if h != nil && !d.hides(k.workspace, h.record) {
		conflict.Current = h.note()
	}
	return conflict
}

func compareNoteKeys(a, b noteKey) int {
	return cmp.Or(cmp.Compare(a.workspace, b.workspace), cmp.Compare(a.id, b.id))
}

func insertRevision(ctx context.Context, c *sqlstore.Conn, workspace string, r Revision) (seq int64, err error) {
	attributes, err := json.Marshal(r.Attributes)
	if err != nil {
		return 0, err
	}
	err = c.QueryRow(ctx, "INSERT INTO revisions (id, workspace, note, parent, time, author, run, deleted, attributes, text, checksum, "+
		"signature) "+
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq",
		r.ID, workspace, r.Note, r.Parent, r.Time.UnixNano(), r.Author, r.Run, r.Deleted, string(attributes), r.Text, r.Checksum, r.Signature).
		Scan(&seq)
	return seq, err
}

// A noteIndex is what is found of a note.
type noteIndex struct {
	seq  int64  // of its current revision
	old  int64  // of the one before; 0: none
	note *Note  // nil: it is deleted
	last Record // before it was deleted

	before  *Note // as it is stored; nil: it is missing
	several bool  // revisions were added: the last one does not name old as the one before
}

// keepsKeys reports whether the note is found by the same class, title and file as
// before: an index in which nothing moves is not written.
func (x noteIndex) keepsKeys() bool {
	return x.before != nil && x.before.Record.Class == x.note.Record.Class && nameKey(x.before.Title) == nameKey(x.note.Title) &&
		x.before.Path == x.note.Path
}

// mayKeepLinks reports whether the text may name the same as before. Where it names other
// notes, it is not looked up what is stored.
func (x noteIndex) mayKeepLinks() bool {
	return x.before == nil || slices.Equal(x.before.Record.Links, x.note.Record.Links)
}

// writeNote writes what is found of a note, if its current revision is still the one
// before.
func writeNote(ctx context.Context, c *sqlstore.Conn, workspace string, x noteIndex) (written bool, err error) {
	if x.note == nil {
		return deleteNote(ctx, c, workspace, x)
	}
	n := x.note
	record, err := json.Marshal(n.Record)
	if err != nil {
		return false, err
	}
	words := indexedWords(n)
	if written, err = writeNoteRow(ctx, c, workspace, x, string(record), words); err != nil || !written {
		return false, err
	}
	if c.Dialect() == sqlstore.Sqlite {
		if err := putWords(ctx, c, x, words); err != nil {
			return false, err
		}
	}
	return true, replaceLinks(ctx, c, workspace, x)
}

// writeNoteRow writes the row of a note. The current revision, which decides whether it
// may, is in the statement.
func writeNoteRow(ctx context.Context, c *sqlstore.Conn, workspace string, x noteIndex, record string, words []string) (bool, error) {
	columns, args := []string{"seq", "revision", "record"}, []any{x.seq, x.note.Revision, record}
	if !x.keepsKeys() {
		path := ""
		if x.note.Path != "" {
			path = fileKey(x.note.Path)
		}
		columns = append(columns, "deleted", "class", "title_key", "path_key")
		args = append(args, false, x.note.Record.Class, nameKey(x.note.Title), path)
	}
	insert := "INSERT INTO notes (" + strings.Join(columns, ", ")
	values, update := strings.Repeat("?, ", len(columns)), "UPDATE notes SET "+strings.Join(columns, " = ?, ")+" = ?"
	if c.Dialect() == sqlstore.Postgres {
		insert, values, update = insert+", words", values+"CAST(? AS tsvector), ", update+", words = CAST(? AS tsvector)"
		args = append(args, vector(words))
	}
	query := insert + ", workspace, id) VALUES (" + values + "?, ?) ON CONFLICT (workspace, id) DO NOTHING"
	args = append(args, workspace, x.note.ID)
	if x.old != 0 {
		query, args = update+" WHERE workspace = ? AND id = ? AND seq = ?", append(args, x.old)
	}
	rows, err := c.Exec(ctx, query, args...)
	return rows > 0, err
}

// deleteNote keeps what lists said of the note, by which it is hidden or not.
func deleteNote(ctx context.Context, c *sqlstore.Conn, workspace string, x noteIndex) (written bool, err error) {
	r := x.last
	record, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	columns, values := "", ""
	if c.Dialect() == sqlstore.Postgres {
		columns, values = ", words", ", CAST('' AS tsvector)"
	}
	if rows, err := c.Exec(ctx, "INSERT INTO notes (workspace, id, seq, revision, deleted, class, title_key, path_key, record"+columns+
		") VALUES (?, ?, ?, ?, TRUE, ?, '', '', ?"+values+
		") ON CONFLICT (workspace, id) DO UPDATE SET seq = excluded.seq, revision = excluded.revision, deleted = TRUE WHERE notes.seq = ?",
		workspace, r.ID, x.seq, r.Revision, r.Class, string(record), x.old); err != nil || rows == 0 {
		return false, err
	}
	if c.Dialect() == sqlstore.Sqlite {
		if err := dropWords(ctx, c, x.old); err != nil {
			return false, err
		}
	}
	return true, removeLinks(ctx, c, workspace, r.ID)
}

// removeLinks removes the links of the text of a note.
func removeLinks(ctx context.Context, c *sqlstore.Conn, workspace, note string) error {
	_, err := c.Exec(ctx, "DELETE FROM text_links WHERE workspace = ? AND source = ?", workspace, note)
	return err
}

// replaceLinks keeps the links of a text. Where they are those of the text before, they
// stay as they are, with the time at which they were made.
func replaceLinks(ctx context.Context, c *sqlstore.Conn, workspace string, x noteIndex) error {
	links := x.note.links
	if x.old != 0 {
		if x.mayKeepLinks() {
			if kept, err := hasLinks(ctx, c, workspace, x.note.ID, links); err != nil || kept {
				return err
			}
		}
		if err := removeLinks(ctx, c, workspace, x.note.ID); err != nil {
			return err
		}
	}
	for _, l := range links {
		if _, err := c.Exec(ctx, "INSERT INTO text_links (workspace, id, source, target, target_key, kind) VALUES (?, ?, ?, ?, ?, ?) ON "+
			"CONFLICT DO NOTHING",
			workspace, l.id, l.source, l.target, fileKey(l.target), l.kind); err != nil {
			return err
		}
	}
	return nil
}

// hasLinks reports whether these are the links that are stored of a text.
func hasLinks(ctx context.Context, c *sqlstore.Conn, workspace, note string, links []textLink) (bool, error) {
	stored, err := sqlstore.Select(ctx, c, func(row sqlstore.Row) (l textLink, err error) { return l, row.Scan(&l.target, &l.kind) },
		"SELECT target, kind FROM text_links WHERE workspace = ? AND source = ? ORDER BY id DESC", workspace, note)
	return slices.EqualFunc(stored, links, func(a, b textLink) bool { return a.target == b.target && a.kind == b.kind }), err
}

// retypeNotes works out again what lists say of the notes of a class that was changed.
func retypeNotes(ctx context.Context, c *sqlstore.Conn, workspace string, after *Document, name string) error {
	class, err := decodeClass(after)
	if err != nil {
		return err
	}
	ids, err := sqlstore.Select(ctx, c, func(row sqlstore.Row) (id string, err error) { return id, row.Scan(&id) },
		"SELECT id FROM notes WHERE workspace = ? AND class = ? AND deleted = FALSE", workspace, name)
	if err != nil {
		return err
	}
	for _, id := range ids {
		h, err := readHead(ctx, c, noteKey{workspace, id})
		if err != nil {
			return err
		}
		r := record(id, h.revision.Content, class, notetext.Parse(h.revision.Text))
		r.Revision, r.Created, r.Updated = h.record.Revision, h.record.Created, h.record.Updated
		data, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if _, err := c.Exec(ctx, "UPDATE notes SET record = ? WHERE workspace = ? AND id = ?", string(data), workspace, id); err != nil {
			return err
		}
	}
	return nil
}
