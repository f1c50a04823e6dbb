package notestore

import (
	"cmp"
	"context"
	"errors"

	"github.com/lectern-mcp/lectern/internal/order"
	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// NoteAndLinks is [Draft.Note] with the first of [Draft.Links] of the note. Where the Draft
// has no writes and the note has few links, one statement reads both.
func (d *Draft) NoteAndLinks(ctx context.Context, workspace, id string, limit int) (*Note, []Link, error) {
	if !IsUnchanged(d) || !mayBeID(id) {
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
	order.Sort(stored, func(a, b storedLink) int { return cmp.Compare(b.id, a.id) })
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

// noteQuery reads the head of note $2 in workspace $1 and then, in rows of as many columns, up
// to fewLinks links: those of its text; those of texts that name it by its id, of which $3 is
// the key, by its title and by its file; those that somebody made. With each comes what stands
// at its other end: a record if $4, else that it is there. No link is in two parts, and no part
// needs a table or an order that SQLite would have to make for it. Texts that name a note by
// what follows a slash in its title are missing.
const noteQuery = "SELECT r.seq, r.id, r.time, r.deleted, r.attributes, r.text, r.checksum, r.signature, n.record" +
	" FROM notes n JOIN revisions r ON r.seq = n.seq WHERE n.workspace = $1 AND n.id = $2" +
	textColumns + " FROM text_links l" + withTarget + " WHERE l.workspace = $1 AND l.source = $2" +
	textColumns + " FROM text_links l" + withSource + " WHERE l.workspace = $1 AND l.target_key = $3 AND l.source <> $2" +
	textColumns + " FROM notes n JOIN text_links l ON l.workspace = n.workspace AND l.target_key = n.title_key" + withSource +
	" WHERE n.workspace = $1 AND n.id = $2 AND n.title_key <> $3 AND l.source <> $2" +
	textColumns + " FROM notes n JOIN text_links l ON l.workspace = n.workspace AND l.target_key = n.path_key" + withSource +
	" WHERE n.workspace = $1 AND n.id = $2 AND n.path_key <> '' AND n.path_key <> $3 AND n.path_key <> n.title_key AND l.source <> $2" +
	madeColumns + " AND source = $2" + fromMade + withTarget +
	madeColumns + " AND target = $2" + fromMade + " AND l.source <> $2" + withSource +
	" LIMIT 65"

const (
	linkColumns = " UNION ALL SELECT -1, l.id, 0, FALSE, l.source, l.target, "
	otherEnd    = ", CASE WHEN $4 THEN o.record ELSE o.id END"
	textColumns = linkColumns + "l.kind, ''" + otherEnd
	madeColumns = linkColumns + "'', l.body" + otherEnd + " FROM (SELECT id FROM documents WHERE workspace = $1 AND kind = 'link'"
	fromMade    = ") AS i JOIN documents l ON l.workspace = $1 AND l.kind = 'link' AND l.id = i.id"
	withTarget  = " LEFT JOIN notes o ON o.workspace = $1 AND o.id = l.target AND o.deleted = FALSE"
	withSource  = " LEFT JOIN notes o ON o.workspace = $1 AND o.id = l.source AND o.deleted = FALSE"
)

// A headOrLink is a row of noteQuery.
type headOrLink struct {
	seq                 int64 // of a link negative
	id                  string
	at                  int64
	deleted             bool
	attributes, text    string // of a link its source and its target
	checksum, signature string // of a link its kind and its body
	record              []byte // of a link what stands at its other end; nil: nothing
}

func (n *headOrLink) scan(row sqlstore.Row) error {
	return row.Scan(&n.seq, &n.id, &n.at, &n.deleted, &n.attributes, &n.text, &n.checksum, &n.signature, &n.record)
}

func (n *headOrLink) isLink() bool { return n.seq < 0 }

func (n *headOrLink) head() (*head, error) {
	h := &head{revision: Revision{
		seq: n.seq, ID: n.id, Deleted: n.deleted, Content: Content{Text: n.text}, Checksum: n.checksum, Signature: n.signature,
	}}
	return h, errors.Join(h.revision.complete(n.at, []byte(n.attributes)), decodeRecord(n.record, &h.record))
}

func (n *headOrLink) link(workspace string) storedLink {
	source, target, kind, body := n.attributes, n.text, n.checksum, n.signature
	if body != "" {
		return storedLink{id: n.id, doc: &Document{Workspace: workspace, Kind: LinkKind, ID: n.id, Body: body, Source: source, Target: target}}
	}
	return storedLink{id: n.id, text: &textLink{n.id, source, target, kind}}
}

// readNote reads the head of a note, nil if there was never such a note, and its links, and
// learns what stands at their other ends.
func (r linkReader) readNote(ctx context.Context, id string) (h *head, list []storedLink, err error) {
	rows, err := sqlstore.Select(ctx, r.draft.store.db.Reader().Short(), func(row sqlstore.Row) (n headOrLink, err error) {
		return n, n.scan(row)
	}, noteQuery, r.workspace, id, fileKey(id), r.draft.view.Hides != nil)
	if err != nil {
		return nil, nil, err
	}
	for i := range rows {
		n := &rows[i]
		if !n.isLink() {
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
		list = append(list, n.link(r.workspace))
	}
	return h, list, nil
}
