package notestore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notetext"
)

// A head is the current revision of a note, without its note, its parent and who made it, and
// the record of the note.
type head struct {
	revision Revision
	record   Record
}

const revisionColumns = "r.seq, r.id, r.note, r.parent, r.time, r.author, r.run, r.deleted, r.attributes, r.text, r.checksum, r.signature"

func (r *Revision) fields(at *int64, attributes *[]byte) []any {
	return []any{&r.seq, &r.ID, &r.Note, &r.Parent, at, &r.Author, &r.Run, &r.Deleted, attributes, &r.Text, &r.Checksum, &r.Signature}
}

func (r *Revision) complete(at int64, attributes []byte) error {
	r.Time = time.Unix(0, at).UTC()
	if string(attributes) == "{}" { // as of most
		return nil
	}
	return json.Unmarshal(attributes, &r.Attributes)
}

func scanRevision(row sqlstore.Row) (r Revision, err error) {
	var at int64
	var attributes []byte
	if err := row.Scan(r.fields(&at, &attributes)...); err != nil {
		return r, err
	}
	return r, r.complete(at, attributes)
}

// readHead returns the newest revision of a note with the record of the note, which is
// that before the deletion if it was deleted; nil if there was never such a note.
func readHead(ctx context.Context, c *sqlstore.Conn, k noteKey) (*head, error) {
	return scanHead(c.Short().QueryRow(ctx, "SELECT "+headColumns+fromHead, k.workspace, k.id))
}

// headColumns are those of a revision that a head needs: the driver asks SQLite for
// the name and the type of each column of each result.
const headColumns = "r.seq, r.id, r.time, r.deleted, r.attributes, r.text, r.checksum, r.signature, n.record"

const fromHead = " FROM notes n JOIN revisions r ON r.seq = n.seq WHERE n.workspace = ? AND n.id = ?"

// readHeadAndClass is readHead with what stands in the document of a class, nil if there
// is none: a save needs both, and most of a short statement's time is on its way. Without
// the note it does not know the class.
func readHeadAndClass(ctx context.Context, c *sqlstore.Conn, k noteKey, class string) (h *head, body *string, err error) {
	h, err = scanHead(c.Short().QueryRow(ctx, "SELECT "+headColumns+", "+
		"(SELECT d.body FROM documents d WHERE d.workspace = ? AND d.kind = ? AND d.id = ?)"+fromHead,
		k.workspace, string(ClassKind), class, k.workspace, k.id), &body)
	return h, body, err
}

// scanHead scans a head, nil for no row, and more behind it.
func scanHead(row sqlstore.Row, more ...any) (*head, error) {
	var h head
	var at int64
	var attributes, record []byte
	r := &h.revision
	err := row.Scan(append([]any{&r.seq, &r.ID, &at, &r.Deleted, &attributes, &r.Text, &r.Checksum, &r.Signature, &record}, more...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err == nil {
		err = errors.Join(h.revision.complete(at, attributes), json.Unmarshal(record, &h.record))
	}
	return &h, err
}

func (h *head) note() *Note {
	if h.revision.Deleted {
		return nil
	}
	return &Note{Record: h.record, Content: h.revision.Content, Checksum: h.revision.Checksum, Signature: h.revision.Signature}
}

// head returns the newest revision of a note as the Draft sees it.
func (d *Draft) head(ctx context.Context, k noteKey) (*head, error) {
	return headFrom(ctx, d, d.store.db.Reader(), k)
}

// headToWrite is head of a note that the Draft will write.
func headToWrite(ctx context.Context, d *Draft, k noteKey) (h *head, err error) {
	err = d.store.db.ReadForWrite(func(c *sqlstore.Conn) error {
		h, err = headFrom(ctx, d, c, k)
		return err
	})
	return h, err
}

func headFrom(ctx context.Context, d *Draft, conn *sqlstore.Conn, k noteKey) (*head, error) {
	if c := d.notes[k]; c != nil {
		h := &head{revision: c.revisions[len(c.revisions)-1]}
		if c.after != nil {
			h.record = c.after.Record
		} else {
			h.record = c.last
		}
		return h, nil
	}
	if !mayBeID(k.id) {
		return nil, nil
	}
	h, err := readHead(ctx, conn, k)
	if err != nil || h == nil {
		return nil, err
	}
	return h, retypeHead(ctx, d, k, h)
}

// retypeHead makes the record of a note as the Draft's changes of its class make it.
func retypeHead(ctx context.Context, d *Draft, k noteKey, h *head) (err error) {
	if slices.Contains(d.changedClasses(k.workspace), h.record.Class) && !h.revision.Deleted {
		h.record, err = d.retype(ctx, k.workspace, h.record, h.revision.Content)
	}
	return err
}

// headAndClass is head with the class of a text that is to be saved.
func headAndClass(ctx context.Context, d *Draft, k noteKey, name string) (h *head, class *notetext.Class, err error) {
	ck := documentKey{k.workspace, ClassKind, name}
	_, known := d.classes[ck]
	if name == "" || known || d.documents[ck] != nil || d.notes[k] != nil || !isStorable(name) || !mayBeID(k.id) {
		if class, err = d.class(ctx, k.workspace, name); err != nil {
			return nil, nil, err
		}
		h, err = headToWrite(ctx, d, k)
		return h, class, err
	}
	var body *string
	if err := d.store.db.ReadForWrite(func(c *sqlstore.Conn) error {
		h, body, err = readHeadAndClass(ctx, c, k, name)
		return err
	}); err != nil {
		return nil, nil, err
	}
	if h == nil {
		class, err = d.class(ctx, k.workspace, name)
		return nil, class, err
	}
	var doc *Document
	if body != nil {
		doc = &Document{Workspace: k.workspace, Kind: ClassKind, ID: name, Body: *body}
	}
	if class, err = learnClass(d, ck, doc); err != nil {
		return nil, nil, err
	}
	return h, class, retypeHead(ctx, d, k, h)
}

// shownRecord returns what lists say of a note as the Draft sees it, without reading its
// text if it can; nil if it is missing or deleted.
func (d *Draft) shownRecord(ctx context.Context, k noteKey) (*Record, error) {
	if d.notes[k] != nil || len(d.changedClasses(k.workspace)) > 0 {
		h, err := d.head(ctx, k)
		if err != nil || h == nil || h.revision.Deleted {
			return nil, err
		}
		return &h.record, nil
	}
	if !mayBeID(k.id) {
		return nil, nil
	}
	var r Record
	var data []byte
	const query = "SELECT record FROM notes WHERE workspace = ? AND id = ? AND deleted = FALSE"
	switch err := d.store.db.Reader().Short().QueryRow(ctx, query, k.workspace, k.id).Scan(&data); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	default:
		return &r, json.Unmarshal(data, &r)
	}
}

// Note returns a note; nil if it is missing, deleted or hidden. A later write to it
// fails if somebody changes it after this.
func (d *Draft) Note(ctx context.Context, workspace, id string) (*Note, error) {
	k := noteKey{workspace, id}
	h, err := d.head(ctx, k)
	if err != nil {
		return nil, err
	}
	return showHead(d, k, h), nil
}

// showHead is the note of a head that the Draft has read, which may be nil; nil if it is
// deleted or hidden.
func showHead(d *Draft, k noteKey, h *head) *Note {
	if h == nil || d.hides(k.workspace, h.record) {
		return nil
	}
	if _, again := d.read[k]; !again && d.notes[k] == nil {
		d.read[k] = h.revision.ID
	}
	return h.note()
}

// record works out what lists say of a note.
func record(id string, c Content, class *notetext.Class, t notetext.Text) Record {
	r := Record{
		ID: id, Title: cmp.Or(t.Title, id), Class: className(c, t), Tags: append([]string{}, t.Tags...), Links: []string{}, Canvas: c.Canvas,
		Path: c.Path,
	}
	for _, l := range t.Links {
		if l.Kind != attached && !slices.Contains(r.Links, l.Target) {
			r.Links = append(r.Links, l.Target)
		}
	}
	if r.Canvas == nil {
		r.Canvas = json.RawMessage("null")
	}
	r.Properties, _ = t.Properties(class)
	return r
}

func className(c Content, t notetext.Text) string { return cmp.Or(t.Class, c.Class) }

// retype is the record of a note whose class the Draft has changed.
func (d *Draft) retype(ctx context.Context, workspace string, old Record, c Content) (Record, error) {
	class, err := d.class(ctx, workspace, old.Class)
	if err != nil {
		return old, err
	}
	r := record(old.ID, c, class, notetext.Parse(c.Text))
	r.Revision, r.Created, r.Updated = old.Revision, old.Created, old.Updated
	return r, nil
}

// Problems returns what is wrong with a text by its class. t is the text as it was read.
func (d *Draft) Problems(ctx context.Context, workspace string, c Content, t notetext.Text) ([]notetext.FieldProblem, error) {
	class, err := d.class(ctx, workspace, className(c, t))
	if err != nil {
		return nil, err
	}
	var problems []notetext.FieldProblem
	if class != nil {
		_, problems = t.Properties(class)
	}
	if t.Problem != "" {
		problems = append([]notetext.FieldProblem{{Message: t.Problem}}, problems...)
	}
	return problems, nil
}

// Any is the parent of a save that replaces whatever is there.
const Any = "*"

// Save saves a note. It must have the revision parent, or be missing if that is empty;
// otherwise Save returns a [ConflictError].
func (d *Draft) Save(ctx context.Context, workspace, id string, c Content, parent string) (*Note, error) {
	t := notetext.Parse(c.Text)
	k := noteKey{workspace, id}
	h, class, err := headAndClass(ctx, d, k, className(c, t))
	if err != nil {
		return nil, err
	}
	r := record(id, c, class, t)
	return d.write(k, h, parent, &Note{Record: r, Content: c}, t)
}

// Delete deletes a note. Its revisions stay.
func (d *Draft) Delete(ctx context.Context, workspace, id, parent string) error {
	k := noteKey{workspace, id}
	h, err := headToWrite(ctx, d, k)
	if err != nil {
		return err
	}
	_, err = d.write(k, h, parent, nil, notetext.Text{})
	return err
}

// write writes a note of which h is what the Draft has now.
func (d *Draft) write(k noteKey, h *head, parent string, after *Note, t notetext.Text) (*Note, error) {
	if h != nil && d.hides(k.workspace, h.record) || after != nil && d.hides(k.workspace, after.Record) {
		return nil, ErrHidden
	}
	if err := checkParent(d, k, h, parent); err != nil {
		return nil, err
	}
	rev := Revision{ID: d.ids.NewID(), Note: k.id, Author: d.view.Author, Run: d.view.Run, Deleted: after == nil}
	var created, last time.Time
	change := d.notes[k]
	if change == nil {
		change = &noteChange{}
	}
	if h != nil {
		rev.Parent, last = h.revision.ID, h.revision.Time
		if !h.revision.Deleted {
			created = h.record.Created
		}
		if d.notes[k] == nil {
			change.base, change.before = h.revision.seq, h.note()
		}
	}
	rev.Time = d.ids.Next(last)
	if after != nil {
		rev.Content = after.Content
		if after.Created = created; created.IsZero() {
			after.Created = rev.Time
		}
		after.Revision, after.Updated = rev.ID, rev.Time
		after.links = textLinks(after, t)
	}
	if err := rev.sign(d.store.key); err != nil {
		return nil, err
	}
	if h != nil {
		change.last = h.record
	}
	if after != nil {
		after.Checksum, after.Signature = rev.Checksum, rev.Signature
	}
	change.revisions, change.after = append(change.revisions, rev), after
	d.notes[k] = change
	return after, nil
}

// checkParent compares what a writer has seen with what is there now.
func checkParent(d *Draft, k noteKey, h *head, parent string) error {
	var now *Note
	current := ""
	if h != nil {
		if now = h.note(); now != nil {
			current = h.revision.ID
		}
	}
	seen, wasRead := d.read[k]
	stale := wasRead && d.notes[k] == nil && h != nil && seen != h.revision.ID
	if parent != Any && parent != current || stale {
		return &ConflictError{Workspace: k.workspace, ID: k.id, Current: now, Create: parent == ""}
	}
	if parent == Any && now == nil {
		return ErrNotFound
	}
	return nil
}
