package notestore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notetext"
)

// A Link leads from a note to another one.
type Link struct {
	ID       string    `json:"id"`
	Source   string    `json:"source"`
	Target   string    `json:"target"` // an id; what the text says if Resolved is false
	Kind     string    `json:"kind"`
	Origin   string    `json:"origin"` // made or text
	Resolved bool      `json:"resolved"`
	Created  time.Time `json:"created_at"` // of one in a text: when its note was saved with others than before
}

// A textLink is a place in the text of a note that names something.
type textLink struct {
	id, source, target, kind string
}

// textLinks are those of a note, whose text says t, and its attachments. Their ids sort
// by when it was saved.
func textLinks(n *Note, t notetext.Text) (list []textLink) {
	links := t.Links
	for _, id := range n.Attachments {
		links = append(links, notetext.Link{Target: id, Kind: attached})
	}
	for i, l := range links {
		h := fnv.New32a()
		_, _ = fmt.Fprint(h, n.ID, "\x00", l.Target, "\x00", l.Kind) // never fails
		list = append(list, textLink{
			fmt.Sprintf("%016x-t%04x%08x", n.Updated.UnixNano(), 0xffff-min(i, 0xffff), h.Sum32()), n.ID, l.Target,
			l.Kind,
		})
	}
	return list
}

// attached is the kind of a link that names an attachment.
const attached = "attachment"

// timeOfID is when an id was made that sorts by that.
func timeOfID(id string) time.Time {
	nano, err := strconv.ParseInt(id[:min(len(id), 16)], 16, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(0, nano).UTC()
}

// Connect makes a link between two visible notes.
func (d *Draft) Connect(ctx context.Context, workspace, source, target, kind string) (Link, error) {
	for _, id := range []string{source, target} {
		if n, err := d.Note(ctx, workspace, id); err != nil || n == nil {
			return Link{}, cmp.Or(err, fmt.Errorf("the note %q is %w", id, ErrNotFound))
		}
	}
	id, at := d.ids.NewTimedID()
	l := Link{ID: id, Source: source, Target: target, Kind: kind, Origin: made, Resolved: true, Created: at}
	return l, d.Put(ctx, linkDocument(workspace, l))
}

const made, inText = "made", "text"

func linkDocument(workspace string, l Link) Document {
	body, err := json.Marshal(l)
	if err != nil {
		panic(fmt.Sprintf("notestore: marshal link: %v", err)) // strings and a time
	}
	return Document{Workspace: workspace, Kind: LinkKind, ID: l.ID, Body: string(body), Source: l.Source, Target: l.Target}
}

// Link returns a link that was made between two visible notes; nil if there is none.
func (d *Draft) Link(ctx context.Context, workspace, id string) (*Link, error) {
	doc, err := d.Document(ctx, workspace, LinkKind, id)
	if err != nil || doc == nil {
		return nil, err
	}
	r := linkReader{d, workspace, map[string]string{}}
	l, visible, err := r.made(ctx, *doc)
	if err != nil || !visible {
		return nil, err
	}
	return &l, nil
}

// A storedLink is a link as it is stored: one of both.
type storedLink struct {
	id   string
	text *textLink
	doc  *Document
}

// Links lists the links of a workspace, or of one note in both directions, newest
// first. A link that was made between notes of which one is missing or hidden is
// absent, and a text does not tell a hidden note that it names from a missing one.
func (d *Draft) Links(ctx context.Context, workspace, note, after string, limit int) ([]Link, error) {
	if after != "" && !mayBeID(after) {
		return nil, ErrCursor
	}
	var n *Note
	if note != "" {
		var err error
		if n, err = d.Note(ctx, workspace, note); err != nil || n == nil {
			return nil, cmp.Or(err, ErrNotFound)
		}
	}
	return listLinks(ctx, d, workspace, n, after, limit)
}

func listLinks(ctx context.Context, d *Draft, workspace string, n *Note, after string, limit int) (list []Link, err error) {
	r := linkReader{d, workspace, map[string]string{}}
	if n != nil {
		r.ids["id "+n.ID] = n.ID
	}
	for more := true; more && len(list) < limit; {
		var stored []storedLink
		if stored, after, more, err = r.next(ctx, n, after, limit); err != nil {
			return nil, err
		}
		visible, err := r.list(ctx, stored, n)
		if err != nil {
			return nil, err
		}
		list = append(list, visible[:min(len(visible), limit-len(list))]...)
	}
	return list, nil
}

// list are the visible ones of stored links, or those of one note.
func (r linkReader) list(ctx context.Context, stored []storedLink, n *Note) (list []Link, err error) {
	for _, s := range stored {
		l, visible, err := r.link(ctx, s)
		if err != nil {
			return nil, err
		}
		if visible && (n == nil || l.Source == n.ID || l.Target == n.ID) {
			list = append(list, l)
		}
	}
	return list, nil
}

// next returns the next links of both origins, as they are stored, up to one
// that the next call goes on after. Of a note they are more than those it has.
func (r linkReader) next(ctx context.Context, n *Note, after string, limit int) (list []storedLink, last string, more bool, err error) {
	d := r.draft
	rows, keys, err := r.selectLinks(ctx, n, after, limit)
	if err != nil {
		return nil, "", false, err
	}
	if len(rows) == limit {
		last, more = rows[limit-1].id, true
	}
	for _, row := range rows {
		made := row.doc != nil
		if made && d.documents[row.doc.key()] == nil || !made && d.notes[noteKey{r.workspace, row.text.source}] == nil {
			list = append(list, row)
		}
	}
	list = append(list, r.drafted(n, keys)...)
	list = slices.DeleteFunc(list, func(s storedLink) bool { return after != "" && s.id >= after || s.id < last })
	slices.SortFunc(list, func(a, b storedLink) int { return cmp.Compare(b.id, a.id) })
	return list, last, more, nil
}

// selectLinks reads at most limit links, newest first, and learns which ids that they
// name are those of visible notes. The keys are those under which texts name the note.
func (r linkReader) selectLinks(ctx context.Context, n *Note, after string, limit int) (list []storedLink, keys []string, err error) {
	if n != nil {
		keys = []string{fileKey(n.ID), fileKey(n.Title), fileKey(n.Path)}
	}
	query, args := linkQuery(r.workspace, n, keys, after, limit, r.draft.view.Hides != nil)
	list, err = sqlstore.Select(ctx, r.draft.store.db.Reader().Short(), r.scanLink, query, args...)
	return list, keys, err
}

// linkQuery is one statement for links of both origins and what they name, because most
// of a short statement's time is on its way. Of the notes at the ends it selects the
// records, or only that they are there.
func linkQuery(workspace string, n *Note, keys []string, after string, limit int, records bool) (query string, args []any) {
	const texts, documents = "SELECT id, source, target, kind, '' AS body FROM text_links WHERE workspace = ? AND ",
		" UNION ALL SELECT id, source, target, '' AS kind, body FROM documents WHERE workspace = ? AND kind = ? AND "
	from, args := texts+"(? = '' OR id < ?)"+documents+"(? = '' OR id < ?)", []any{workspace, after, after, workspace, LinkKind, after, after}
	if n != nil { // each part by an index, and no link in two of them
		const ids = "SELECT id FROM documents WHERE workspace = ? AND kind = ? AND "
		from = "SELECT * FROM (" + texts + "source = ? UNION ALL " + texts + "target_key IN (?, ?, ?) AND source <> ?" +
			documents + "id IN (" + ids + "source = ? UNION " + ids + "target = ?)) AS every WHERE (? = '' OR id < ?)"
		args = []any{
			workspace, n.ID, workspace, keys[0], keys[1], keys[2], n.ID,
			workspace, LinkKind, workspace, LinkKind, n.ID, workspace, LinkKind, n.ID, after, after,
		}
	}
	found := "id"
	if records {
		found = "record"
	}
	return "SELECT l.id, l.source, l.target, l.kind, l.body, s." + found + ", t." + found + " FROM (" + from +
		" ORDER BY id DESC LIMIT ?) AS l" +
		" LEFT JOIN notes s ON s.workspace = ? AND s.id = l.source AND s.deleted = FALSE" +
		" LEFT JOIN notes t ON t.workspace = ? AND t.id = l.target AND t.deleted = FALSE" +
		" ORDER BY l.id DESC", append(args, limit, workspace, workspace)
}

func (r linkReader) scanLink(row sqlstore.Row) (l storedLink, err error) {
	var text textLink
	var body string
	var source, target []byte
	if err := row.Scan(&text.id, &text.source, &text.target, &text.kind, &body, &source, &target); err != nil {
		return l, err
	}
	if l = (storedLink{id: text.id, text: &text}); body != "" {
		l.text, l.doc = nil, &Document{Workspace: r.workspace, Kind: LinkKind, ID: text.id, Body: body, Source: text.source, Target: text.target}
	}
	return l, errors.Join(r.learn(text.source, source), r.learn(text.target, target))
}

// learn keeps whether an id is that of a visible note, by what the database has of it;
// nil: nothing. What the Draft changes is not known that way.
func (r linkReader) learn(id string, stored []byte) error {
	if _, known := r.ids["id "+id]; known || r.draft.notes[noteKey{r.workspace, id}] != nil || len(r.draft.changedClasses(r.workspace)) > 0 {
		return nil
	}
	if stored != nil && r.draft.view.Hides != nil {
		var record Record
		if err := json.Unmarshal(stored, &record); err != nil {
			return err
		}
		if r.draft.hides(r.workspace, record) {
			stored = nil
		}
	}
	if r.ids["id "+id] = ""; stored != nil {
		r.ids["id "+id] = id
	}
	return nil
}

// drafted are the links that the Draft made and those of the texts that it saved.
func (r linkReader) drafted(n *Note, keys []string) (list []storedLink) {
	for _, saved := range r.draft.drafted(r.workspace) {
		for _, l := range saved.links {
			if n == nil || saved.ID == n.ID || slices.Contains(keys, fileKey(l.target)) {
				list = append(list, storedLink{id: l.id, text: &l})
			}
		}
	}
	for k, c := range r.draft.documents {
		if k.workspace == r.workspace && k.kind == LinkKind && c.after != nil && (n == nil || c.after.Source == n.ID || c.after.Target == n.ID) {
			list = append(list, storedLink{id: k.id, doc: c.after})
		}
	}
	return list
}

// A linkReader reads links and finds the notes that they name.
type linkReader struct {
	draft     *Draft
	workspace string
	ids       map[string]string // of visible notes by what names them; empty: there is none
}

// link is a stored link as a reader sees it. A place that names an attachment is none.
func (r linkReader) link(ctx context.Context, s storedLink) (l Link, visible bool, err error) {
	if s.doc != nil {
		return r.made(ctx, *s.doc)
	}
	l = Link{ID: s.id, Source: s.text.source, Target: s.text.target, Kind: s.text.kind, Origin: inText, Created: timeOfID(s.id)}
	if source, err := r.visible(ctx, l.Source); err != nil || source == "" || l.Kind == attached {
		return l, false, err
	}
	id, err := r.find(ctx, l.Target, l.Kind == "uri")
	if id != "" {
		l.Target, l.Resolved = id, true
	}
	return l, true, err
}

func (r linkReader) made(ctx context.Context, doc Document) (l Link, visible bool, err error) {
	if err := json.Unmarshal([]byte(doc.Body), &l); err != nil {
		return l, false, fmt.Errorf("read link %s: %w", doc.ID, err)
	}
	source, err := r.visible(ctx, l.Source)
	if err != nil || source == "" {
		return l, false, err
	}
	target, err := r.visible(ctx, l.Target)
	return l, target != "", err
}

// visible returns an id if there is a visible note with it, else nothing.
func (r linkReader) visible(ctx context.Context, id string) (string, error) {
	if known, is := r.ids["id "+id]; is {
		return known, nil
	}
	h, err := r.draft.shownRecord(ctx, noteKey{r.workspace, id})
	if err != nil {
		return "", err
	}
	found := ""
	if h != nil && !r.draft.hides(r.workspace, *h) {
		found = id
	}
	r.ids["id "+id] = found
	return found, nil
}

// find returns the visible note that a text names: by its id, its title or its file;
// of several the first by id.
func (r linkReader) find(ctx context.Context, name string, onlyID bool) (string, error) {
	if id, err := r.visible(ctx, name); err != nil || id != "" || onlyID {
		return id, err
	}
	if known, is := r.ids["name "+name]; is {
		return known, nil
	}
	candidates, err := sqlstore.Select(ctx, r.draft.store.db.Reader().Short(), func(row sqlstore.Row) (id string, err error) {
		return id, row.Scan(&id)
	}, "SELECT id FROM notes WHERE workspace = ? AND title_key = ? AND deleted = FALSE UNION SELECT id FROM notes WHERE workspace = ? AND "+
		"path_key = ? AND path_key <> '' AND deleted = FALSE",
		r.workspace, nameKey(name), r.workspace, fileKey(name))
	if err != nil {
		return "", err
	}
	candidates = slices.DeleteFunc(candidates, func(id string) bool { return r.draft.notes[noteKey{r.workspace, id}] != nil })
	for _, n := range r.draft.drafted(r.workspace) {
		if nameKey(n.Title) == nameKey(name) || n.Path != "" && fileKey(n.Path) == fileKey(name) {
			candidates = append(candidates, n.ID)
		}
	}
	slices.Sort(candidates)
	found := ""
	for _, id := range candidates {
		if found, err = r.visible(ctx, id); err != nil || found != "" {
			break
		}
	}
	r.ids["name "+name] = found
	return found, err
}

// AttachmentUse returns a visible note that names an attachment, by its id or as a file;
// empty if there is none; and whether a hidden one does.
func (d *Draft) AttachmentUse(ctx context.Context, workspace, id, path string) (visible string, hidden bool, err error) {
	sources, err := sqlstore.Select(ctx, d.store.db.Reader(), func(row sqlstore.Row) (source string, err error) {
		return source, row.Scan(&source)
	}, "SELECT source FROM text_links WHERE workspace = ? AND target_key = ? UNION SELECT source FROM text_links WHERE workspace = ? AND "+
		"target_key = ?",
		workspace, fileKey(id), workspace, fileKey(path))
	if err != nil {
		return "", false, err
	}
	sources = slices.DeleteFunc(sources, func(id string) bool { return d.notes[noteKey{workspace, id}] != nil })
	for _, n := range d.drafted(workspace) {
		if slices.ContainsFunc(n.links, func(l textLink) bool { return fileKey(l.target) == fileKey(id) || fileKey(l.target) == fileKey(path) }) {
			sources = append(sources, n.ID)
		}
	}
	r := linkReader{d, workspace, map[string]string{}}
	for _, source := range sources {
		found, err := r.visible(ctx, source)
		if err != nil {
			return "", false, err
		}
		visible, hidden = cmp.Or(visible, found), hidden || found == ""
	}
	return visible, hidden, nil
}
