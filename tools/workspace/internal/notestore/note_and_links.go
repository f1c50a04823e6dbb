package notestore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// NoteAndLinks is [Draft.Note] with the first of [Draft.Links] of the note. Where the Draft
// has no writes and the note has few links, one statement reads both.
func (d *Draft) NoteAndLinks(ctx context.Context, workspace, id string, limit int) (*Note, []Link, error) {
	if len(d.documents)+len(d.notes) > 0 || !mayBeID(id) {
		return readSeparately(ctx, d, workspace, id, limit)
	}
	r := linkReader{d, workspace, map[string]string{"id " + id: id}}
	h, stored, err := r.readNote(ctx, id)
	switch {
	case err != nil:
		return nil, nil, err
	case h == nil && stored == nil:
		return nil, nil, nil
	case h == nil, len(stored) >= min(fewLinks, limit), fileKey(h.record.Title) != nameKey(h.record.Title):
		return readSeparately(ctx, d, workspace, id, limit)
	}
	n := showHead(d, noteKey{workspace, id}, h)
	if n == nil {
		return nil, nil, nil
	}
	slices.SortFunc(stored, func(a, b storedLink) int { return cmp.Compare(b.id, a.id) })
	links, err := r.list(ctx, stored, n)
	return n, links, err
}

func readSeparately(ctx context.Context, d *Draft, workspace, id string, limit int) (*Note, []Link, error) {
	n, err := d.Note(ctx, workspace, id)
	if err != nil || n == nil {
		return nil, nil, err
	}
	links, err := listLinks(ctx, d, workspace, n, "", limit)
	return n, links, err
}

// fewLinks is how many links are read with their note. Of more, the database knows which are
// the newest.
const fewLinks = 64

// noteQuery reads note $2 of workspace $1 and then, in rows of as many columns, up to
// fewLinks links: those of its text; those of texts that name it by its id, of which $3 is
// the key, by its title and by its file; those that somebody made. With each comes what stands
// at its other end: a record if $4, else that it is there, and which note its text names. No
// link is in two parts, and no part needs a table or an order that SQLite would have to make for
// it. Texts that name a note by what follows a slash in its title are missing.
const noteQuery = "SELECT 0, r.attributes, r.text, r.checksum, r.signature, n.record, ''" +
	" FROM notes n JOIN revisions r ON r.seq = n.seq WHERE n.workspace = $1 AND n.id = $2 AND n.deleted = FALSE" +
	textColumns + "o.id" + namedTitle + "l.target_key" + namedFile + "l.target_key" + namedEnd +
	" FROM text_links l" + withTarget + " WHERE l.workspace = $1 AND l.source = $2" +
	textColumns + byID + namedTitle + "$3" + namedFile + "$3" + namedEnd +
	" FROM text_links l" + withSource + " WHERE l.workspace = $1 AND l.target_key = $3 AND l.source <> $2" +
	textColumns + byID + namedTitle + ownTitle + namedFile + ownTitle + namedEnd +
	fromNamed + "n.title_key" + withSource + whereNamed + "n.title_key <> $3" +
	textColumns + byID + namedTitle + ownFile + namedFile + ownFile + namedEnd +
	fromNamed + "n.path_key" + withSource + whereNamed +
	"n.path_key <> '' AND n.path_key <> $3 AND n.path_key <> n.title_key" +
	madeColumns + " AND source = $2" + fromMade + withTarget +
	madeColumns + " AND target = $2" + fromMade + " AND l.source <> $2" + withSource +
	" LIMIT 65"

const (
	otherEnd    = ", CASE WHEN $4 THEN o.record ELSE o.id END"
	textColumns = " UNION ALL SELECT 1, l.source, l.target, l.kind, l.id" + otherEnd +
		", CASE WHEN $4 OR l.target = $2 THEN NULL ELSE COALESCE("
	madeColumns = " UNION ALL SELECT 2, l.source, l.target, l.body, l.id" + otherEnd +
		", NULL FROM (SELECT id FROM documents WHERE workspace = $1 AND kind = 'link'"
	byID = "(SELECT i.id FROM notes i WHERE i.workspace = $1 AND i.id = l.target AND i.deleted = FALSE)"
	// The parts after the first ask for one key each, which SQLite does once.
	namedTitle = ", (SELECT CASE WHEN min(id) < max(id) THEN '?' ELSE min(id) END FROM (" +
		"SELECT id FROM notes WHERE workspace = $1 AND deleted = FALSE AND title_key = "
	namedFile  = " UNION ALL SELECT id FROM notes WHERE workspace = $1 AND deleted = FALSE AND path_key <> '' AND path_key = "
	namedEnd   = ") AS x)) END"
	ownTitle   = "(SELECT title_key FROM notes WHERE workspace = $1 AND id = $2)"
	ownFile    = "(SELECT path_key FROM notes WHERE workspace = $1 AND id = $2)"
	fromNamed  = " FROM notes n JOIN text_links l ON l.workspace = n.workspace AND l.source <> n.id AND l.target_key = "
	whereNamed = " WHERE n.workspace = $1 AND n.id = $2 AND "
	fromMade   = ") AS i JOIN documents l ON l.workspace = $1 AND l.kind = 'link' AND l.id = i.id"
	withTarget = " LEFT JOIN notes o ON o.workspace = $1 AND o.id = l.target AND o.deleted = FALSE"
	withSource = " LEFT JOIN notes o ON o.workspace = $1 AND o.id = l.source AND o.deleted = FALSE"
)

// A noteOrLink is a row of noteQuery. It has few columns: the driver asks SQLite for the name
// of each, and for the type of each value.
type noteOrLink struct {
	kind             rowKind
	attributes, text string  // of a link its source and its target
	checksum         string  // of a link its kind or its document
	signature        string  // of a link its id
	record           []byte  // of a link what stands at its other end; nil: nothing
	named            *string // of a link which note its text names: ? if several; nil: none
}

type rowKind int

const (
	noteRowKind rowKind = iota
	textRowKind
	madeRowKind
)

func (n *noteOrLink) scan(row sqlstore.Row) error {
	return row.Scan(&n.kind, &n.attributes, &n.text, &n.checksum, &n.signature, &n.record, &n.named)
}

// head is that of a note which is not deleted, without what only a write needs.
func (n *noteOrLink) head() (*head, error) {
	h := &head{revision: Revision{Content: Content{Text: n.text}, Checksum: n.checksum, Signature: n.signature}}
	err := errors.Join(h.revision.complete(0, []byte(n.attributes)), json.Unmarshal(n.record, &h.record))
	h.revision.ID, h.revision.Time = h.record.Revision, h.record.Updated
	return h, err
}

func (n *noteOrLink) link(workspace string) storedLink {
	id, source, target := n.signature, n.attributes, n.text
	if n.kind == madeRowKind {
		return storedLink{id: id, doc: &Document{Workspace: workspace, Kind: LinkKind, ID: id, Body: n.checksum, Source: source, Target: target}}
	}
	return storedLink{id: id, text: &textLink{id, source, target, n.checksum}}
}

// readNote reads the head of a note, nil if there is none, and its links. It learns what
// stands at their other ends.
func (r linkReader) readNote(ctx context.Context, id string) (h *head, list []storedLink, err error) {
	rows, err := sqlstore.Select(ctx, r.draft.store.db.Reader().Short(), func(row sqlstore.Row) (n noteOrLink, err error) {
		return n, n.scan(row)
	}, noteQuery, r.workspace, id, fileKey(id), r.draft.view.Hides != nil)
	if err != nil {
		return nil, nil, err
	}
	for i := range rows {
		n := &rows[i]
		if n.kind == noteRowKind {
			if h, err = n.head(); err != nil {
				return nil, nil, err
			}
			continue
		}
		source, target := n.attributes, n.text
		if source == id {
			err = r.learn(target, n.record)
		} else {
			err = r.learn(source, n.record)
		}
		if err != nil {
			return nil, nil, err
		}
		if n.kind == textRowKind {
			r.learnName(id, target, n.named)
		}
		list = append(list, n.link(r.workspace))
	}
	return h, list, nil
}

// learnName keeps which note a text names, as the database found it: none if nil. What may be
// hidden, and a name that has a key of its own as a title, is for [linkReader.find].
func (r linkReader) learnName(note, name string, found *string) {
	switch {
	case r.draft.view.Hides != nil, name == note, found != nil && *found == "?":
	case found != nil && *found == name:
		r.ids["id "+name] = name
	case nameKey(name) == fileKey(name):
		r.ids["id "+name], r.ids["name "+name] = "", ""
		if found != nil {
			r.ids["name "+name] = *found
		}
	}
}
