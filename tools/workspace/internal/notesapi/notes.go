package notesapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notetext"
)

// handlers are what answers each route, by its name.
func handlers() map[string]func(*call) (any, error) {
	return map[string]func(*call) (any, error){
		"workspaces.list": listWorkspaces, "workspaces.create": createWorkspace, "workspaces.get": getWorkspace,
		"workspaces.update": updateWorkspace, "workspaces.test": testConnection,
		"notes.list": listNotes, "notes.create": createNote, "notes.get": getNote, "notes.update": updateNote, "notes.delete": deleteNote,
		"notes.history": listHistory, "notes.revision": getRevision, "notes.restore": restoreNote,
		"links.list": listLinks, "links.create": createLink, "links.get": getLink, "links.delete": deleteLink,
		"query": runQuery, "search": searchNotes,
		"classes.list": listClasses, "classes.types": listTypes, "classes.create": createClass, "classes.get": getClass,
		"classes.save": saveClass, "classes.delete": deleteClass,
		"attachments.list": listAttachments, "attachments.create": createAttachment, "attachments.get": getAttachment,
		"attachments.delete": deleteAttachment,
	}
}

// maxNoteLinks is how many links the answer with a note has at most.
const maxNoteLinks = 1000

// page returns the limit and the cursor of a list.
func (c *call) page() (limit int, cursor string, err error) {
	limit = c.request.Bounds.orDefault().Rows
	if s := c.request.Query.Get("limit"); s != "" {
		asked, err := strconv.Atoi(s)
		if err != nil {
			asked = 0
		}
		if limit, err = c.checkLimit(asked); err != nil {
			return 0, "", err
		}
	}
	return limit, c.request.Query.Get("cursor"), nil
}

// checkLimit is how many rows a request asks for.
func (c *call) checkLimit(asked int) (int, error) {
	if most := c.request.Bounds.orDefault().Rows; asked < 1 || asked > most {
		return 0, badRequest("limit must be a number from 1 to %d", most)
	}
	return asked, nil
}

// decode reads the body.
func (c *call) decode(into any) error {
	d := json.NewDecoder(bytes.NewReader(c.request.Body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return badRequest("the body cannot be read: %v", err)
	}
	if d.More() {
		return badRequest("the body has something after its JSON value")
	}
	return nil
}

func listNotes(c *call) (any, error) {
	limit, cursor, err := c.page()
	if err != nil {
		return nil, err
	}
	rows := rowList{call: c, limit: limit}
	return rows.finish(c.draft.Notes(c.ctx, c.workspace, notestore.Selection{After: cursor}, limit, func(r notestore.Record) bool {
		return rows.add(newNoteRow(r), r.Revision)
	}))
}

func searchNotes(c *call) (any, error) {
	limit, cursor, err := c.page()
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(c.request.Query.Get("q")) == "" {
		return nil, badRequest("q is missing: the words to look for")
	}
	list, err := c.draft.Search(c.ctx, c.workspace, c.request.Query.Get("q"), cursor, limit)
	if err != nil {
		return nil, err
	}
	rows := make([]foundRow, len(list))
	for i, m := range list {
		rows[i] = foundRow{newNoteRow(m.Record), m.Excerpt}
	}
	return finish(c, rows, limit, func(r foundRow) string { return r.Revision })
}

// A foundRow is a note that a search has found.
type foundRow struct {
	noteRow
	Excerpt string `json:"excerpt"`
}

// A noteAnswer is a note with its text.
type noteAnswer struct {
	notestore.Record
	Markdown    string            `json:"markdown"`
	FrontMatter map[string]any    `json:"frontmatter"`
	Sections    map[string]string `json:"sections"`
	Attachments []string          `json:"attachments"`
	Links       []notestore.Link  `json:"links"`
	Computed    computed          `json:"computed"`
	Integrity   integrity         `json:"integrity"`
}

type computed struct {
	Problems []notetext.FieldProblem `json:"problems"`
}

type integrity struct {
	Checksum  string `json:"checksum"`
	Signature string `json:"signature"`
}

func newNoteAnswer(n notestore.Note, t notetext.Text) noteAnswer {
	sections := map[string]string{}
	for _, s := range t.Sections {
		if _, twice := sections[s.Name]; !twice {
			sections[s.Name] = s.Whole
		}
	}
	return noteAnswer{
		Record: n.Record, Markdown: n.Text, FrontMatter: t.FrontMatter, Sections: sections, Attachments: append([]string{}, n.Attachments...),
		Links: []notestore.Link{}, Computed: computed{[]notetext.FieldProblem{}}, Integrity: integrity{n.Checksum, n.Signature},
	}
}

// findNote returns the visible note that the path names.
func (c *call) findNote() (*notestore.Note, error) {
	id := c.names.Get("note_id")
	n, err := c.draft.Note(c.ctx, c.workspace, id)
	return n, c.checkFound(n, err)
}

// checkFound is err, or says that there is no note.
func (c *call) checkFound(n *notestore.Note, err error) error {
	if err == nil && n == nil {
		return notFound("there is no note %q in the workspace %s", c.names.Get("note_id"), c.workspace)
	}
	return err
}

func getNote(c *call) (any, error) {
	n, links, err := c.readNote(c.names.Get("note_id"))
	if err = c.checkFound(n, err); err != nil {
		return nil, err
	}
	c.note = NoteName{c.workspace, n.ID, n.Class}
	return c.describeNote(n, links)
}

// readNote returns a visible note, nil if there is none, and its links if the request is
// for them.
func (c *call) readNote(id string) (n *notestore.Note, links []notestore.Link, err error) {
	if c.request.WithoutLinks {
		n, err = c.draft.Note(c.ctx, c.workspace, id)
		return n, nil, err
	}
	return c.draft.NoteAndLinks(c.ctx, c.workspace, id, maxNoteLinks)
}

// describeNote is the answer with a note, without what the request leaves out.
func (c *call) describeNote(n *notestore.Note, links []notestore.Link) (noteAnswer, error) {
	t := notetext.Parse(n.Text)
	answer := newNoteAnswer(*n, t)
	if c.request.WithoutLinks {
		return answer, nil
	}
	answer.Links = append(answer.Links, links...)
	problems, err := c.draft.Problems(c.ctx, c.workspace, n.Content, t)
	answer.Computed.Problems = append(answer.Computed.Problems, problems...)
	return answer, err
}

// A noteBody is a note that somebody writes. Markdown has the name content too, as it
// once had.
type noteBody struct {
	Markdown    *string         `json:"markdown"`
	Content     *string         `json:"content"`
	ID          string          `json:"id"`
	Parent      string          `json:"parent_revision_id"`
	Class       *string         `json:"class"`
	Title       string          `json:"title"`
	Properties  map[string]any  `json:"properties"`
	Attachments []string        `json:"attachments"`
	Canvas      json.RawMessage `json:"canvas_position"`
}

// maxText is how long a note may be.
const maxText = 1 << 20

func (c *call) noteBody() (b noteBody, err error) {
	if err := c.decode(&b); err != nil {
		return b, err
	}
	if b.Markdown == nil {
		b.Markdown = b.Content
	}
	if b.Markdown != nil && len(*b.Markdown) > maxText {
		return b, badRequest("markdown has more than %d bytes; split the note", maxText)
	}
	var canvas any
	if err := json.Unmarshal(b.Canvas, &canvas); len(b.Canvas) > 0 && err != nil {
		return b, badRequest("canvas_position cannot be read: %v", err) // it is answered as it is kept
	}
	for _, id := range b.Attachments {
		doc, err := c.draft.Document(c.ctx, c.workspace, notestore.AttachmentKind, id)
		if err != nil {
			return b, err
		}
		if doc == nil {
			return b, badRequest("attachments: there is no attachment %q", id)
		}
	}
	return b, nil
}

// content is what a body makes of a note.
func (b noteBody) content(before notestore.Content) notestore.Content {
	after := before
	if b.Markdown != nil {
		after.Text = *b.Markdown
	}
	if b.Class != nil {
		after.Class = *b.Class
	}
	if b.Attachments != nil {
		after.Attachments = b.Attachments
	}
	if b.Canvas != nil {
		after.Canvas = b.Canvas
	}
	return after
}

func createNote(c *call) (any, error) {
	b, err := c.noteBody()
	if err != nil {
		return nil, err
	}
	if b.ID == "" {
		b.ID = c.draft.IDs().NewID()
	}
	switch {
	case !notestore.IsID(b.ID):
		return nil, badRequest("%q is not the id of a note (want 1 to 200 letters, digits, _ and -, and not list)", b.ID)
	case b.Parent != "":
		return nil, badRequest("parent_revision_id is for PUT; a new note has none")
	}
	content := b.content(notestore.Content{})
	class, err := c.knownClass(content)
	if err != nil {
		return nil, err
	}
	if content.Text, err = b.compose(class); err != nil {
		return nil, err
	}
	return c.save(b.ID, content, "")
}

// knownClass returns the class that a writer names beside the text; nil for none.
func (c *call) knownClass(content notestore.Content) (*notetext.Class, error) {
	inText := notetext.Parse(content.Text).Class
	switch {
	case content.Class == "":
		return nil, nil
	case inText != "" && inText != content.Class:
		return nil, badRequest("class is %q, but the front matter says %q; write one of them", content.Class, inText)
	}
	class, err := c.class(content.Class)
	if err != nil {
		return nil, err
	}
	if class == nil {
		return nil, &Error{
			http.StatusUnprocessableEntity,
			fmt.Sprintf("there is no class %q; GET …/classes lists them, PUT …/classes/%s makes it", content.Class, content.Class),
		}
	}
	return class, nil
}

// compose is the text of a new note: what was sent, or the template of its class, with
// the title and a section for each property.
func (b noteBody) compose(class *notetext.Class) (text string, err error) {
	switch {
	case b.Markdown != nil:
		text = *b.Markdown
	case class != nil && class.Template != "":
		text = class.Template
	case b.Title == "" && b.Properties == nil:
		return "", badRequest("markdown is missing: the text of the note")
	}
	if b.Title != "" {
		if strings.ContainsAny(b.Title, "\r\n") {
			return "", badRequest("title must be one line")
		}
		switch found := notetext.Parse(text).Title; {
		case strings.HasPrefix(text, "# \n"):
			text = "# " + b.Title + text[2:]
		case found == "" && text == "":
			text = "# " + b.Title + "\n"
		case found == "" && !strings.HasPrefix(text, "---"):
			text = "# " + b.Title + "\n\n" + text
		case found != b.Title:
			return "", badRequest("title is %q, but the text says %q; write one of them", b.Title, found)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Properties)) {
		if text, err = notetext.SetSection(text, name, b.Properties[name]); err != nil {
			return "", badRequest("properties.%v", err)
		}
	}
	return text, nil
}

type savedAnswer struct {
	ID       string `json:"id"`
	Revision string `json:"revision_id"`
}

// save saves a note that its class allows.
func (c *call) save(id string, content notestore.Content, parent string) (any, error) {
	if strings.Contains(content.Text, "\x00") {
		return nil, badRequest("markdown has a NUL character, which no text has; leave it out")
	}
	problems, err := c.draft.Problems(c.ctx, c.workspace, content, notetext.Parse(content.Text))
	if err != nil {
		return nil, err
	}
	problems = slices.DeleteFunc(problems, func(p notetext.FieldProblem) bool { return p.Field == "" })
	if len(problems) > 0 {
		return nil, &Error{
			http.StatusUnprocessableEntity,
			map[string]any{"message": "the class does not allow it: " + problems[0].Field + ": " + problems[0].Message, "errors": problems},
		}
	}
	n, err := c.draft.Save(c.ctx, c.workspace, id, content, parent)
	if err != nil {
		return nil, err
	}
	return savedAnswer{n.ID, n.Revision}, nil
}

func updateNote(c *call) (any, error) {
	b, err := c.noteBody()
	if err != nil {
		return nil, err
	}
	switch {
	case b.Markdown == nil:
		return nil, badRequest("markdown is missing: the new text of the note")
	case b.Parent == "":
		return nil, badRequest("parent_revision_id is missing: the revision_id that GET answered with the text that you changed")
	case b.ID != "" && b.ID != c.names.Get("note_id"), b.Title != "", b.Properties != nil:
		return nil, badRequest("id, title and properties are for POST; write them into markdown")
	}
	n, err := c.findNote()
	if err != nil {
		return nil, err
	}
	if b.Parent != n.Revision { // first, since what is wrong with the text may be wrong no more
		return nil, &notestore.ConflictError{Workspace: c.workspace, ID: n.ID, Current: n}
	}
	content := b.content(n.Content)
	if b.Class == nil && notetext.Parse(content.Text).Class != "" {
		content.Class = "" // the front matter has taken over
	}
	if _, err := c.knownClass(content); err != nil && b.Class != nil {
		return nil, err
	}
	return c.save(n.ID, content, b.Parent)
}

func deleteNote(c *call) (any, error) {
	n, err := c.findNote()
	if err != nil {
		return nil, err
	}
	parent := notestore.Any
	if p := c.request.Query.Get("parent_revision_id"); p != "" {
		parent = p
	}
	return nil, c.draft.Delete(c.ctx, c.workspace, n.ID, parent)
}

type revisionInfo struct {
	ID        string    `json:"revision_id"`
	Time      time.Time `json:"timestamp"`
	Author    string    `json:"author"`
	Run       string    `json:"run_id,omitempty"`
	Deleted   bool      `json:"deleted"`
	Checksum  string    `json:"checksum"`
	Signature string    `json:"signature"`
}

func newRevisionInfo(r notestore.Revision) revisionInfo {
	return revisionInfo{r.ID, r.Time, r.Author, r.Run, r.Deleted, r.Checksum, r.Signature}
}

func listHistory(c *call) (any, error) {
	limit, cursor, err := c.page()
	if err != nil {
		return nil, err
	}
	list, err := c.draft.Revisions(c.ctx, c.workspace, c.names.Get("note_id"), cursor, limit)
	if err != nil {
		return nil, c.noSuchRevision(err)
	}
	infos := []revisionInfo{}
	for _, r := range list {
		infos = append(infos, newRevisionInfo(r))
	}
	rows, err := finish(c, infos, limit, func(r revisionInfo) string { return r.ID })
	return map[string]any{"note_id": c.names.Get("note_id"), "revisions": rows}, err
}

func (c *call) noSuchRevision(err error) error {
	if err == notestore.ErrNotFound { //nolint:errorlint // returned as it is
		return notFound("there is no such revision of the note %q in the workspace %s", c.names.Get("note_id"), c.workspace)
	}
	return err
}

func getRevision(c *call) (any, error) {
	r, previous, err := c.draft.Revision(c.ctx, c.workspace, c.names.Get("note_id"), c.names.Get("revision_id"))
	if err != nil {
		return nil, c.noSuchRevision(err)
	}
	before, parent := "", ""
	if previous != nil {
		before, parent = previous.Text, previous.ID
	}
	return struct {
		revisionInfo
		Note     string `json:"note_id"`
		Parent   string `json:"parent_revision_id"`
		Markdown string `json:"markdown"`
		Diff     string `json:"diff"`
	}{newRevisionInfo(r), r.Note, parent, r.Text, udiff.Unified("before", "after", before, r.Text)}, nil
}

func restoreNote(c *call) (any, error) {
	var b struct {
		Revision string `json:"revision_id"`
	}
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	id := c.names.Get("note_id")
	r, _, err := c.draft.Revision(c.ctx, c.workspace, id, b.Revision)
	if err != nil {
		return nil, c.noSuchRevision(err)
	}
	if r.Deleted {
		return nil, badRequest("the revision %s is the note's deletion; choose one before it", r.ID)
	}
	parent := notestore.Any
	if n, err := c.draft.Note(c.ctx, c.workspace, id); err != nil {
		return nil, err
	} else if n == nil {
		parent = ""
	}
	n, err := c.draft.Save(c.ctx, c.workspace, id, r.Content, parent)
	if err != nil {
		return nil, err
	}
	return savedAnswer{n.ID, n.Revision}, nil
}
