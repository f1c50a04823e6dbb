package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
)

// ID names a workspace; the source's own, which has its name, when
// omitted.
type ID string

// JSONSchema implements [tools.SchemaProvider].
func (ID) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", MaxLength: new(128)}
}

// NoteID names a note within its workspace.
type NoteID string

// JSONSchema implements [tools.SchemaProvider].
func (NoteID) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", MinLength: new(1), MaxLength: new(128)}
}

// NoteLine is a note in a list.
type NoteLine struct {
	ID         string         `json:"id" jsonschema:"its id"`
	Title      string         `json:"title" jsonschema:"its title"`
	Excerpt    string         `json:"excerpt,omitempty" jsonschema:"where its text has the words of a search"`
	Class      string         `json:"class,omitempty" jsonschema:"its class"`
	Tags       []string       `json:"tags,omitempty" jsonschema:"its tags"`
	Properties map[string]any `json:"properties,omitempty" jsonschema:"by name, from front matter and sections"`
	Truncated  []string       `json:"truncated,omitempty" jsonschema:"properties too long for a list"`
	UpdatedAt  string         `json:"updated_at" jsonschema:"time of the newest revision"`
}

// NoteListOut is notes in a list.
type NoteListOut struct {
	Notes []NoteLine `json:"notes" jsonschema:"newest first"`
	More  string     `json:"more,omitempty" jsonschema:"there are more: call again with this as cursor"`
}

func (o NoteListOut) without(w ID, covered func(string) bool) NoteListOut {
	kept := []NoteLine{}
	for _, n := range o.Notes {
		if !coversNote(covered, string(w), n.ID, n.Class) {
			kept = append(kept, n)
		}
	}
	o.Notes = kept
	return o
}

// path is that of a part of a workspace in the API.
func (w noteReader) path(id ID, parts ...string) string {
	var path strings.Builder
	path.WriteString("/workspaces/" + url.PathEscape(cmp.Or(string(id), w.name)))
	for _, part := range parts {
		path.WriteString("/" + url.PathEscape(part))
	}
	return path.String()
}

// get reads from the API into v.
func (w noteReader) get(ctx context.Context, path string, query url.Values, v any) (notesapi.Response, error) {
	return w.ask(ctx, notesapi.Request{Method: http.MethodGet, Path: path, Query: query}, v)
}

func (w noteReader) ask(ctx context.Context, r notesapi.Request, v any) (notesapi.Response, error) {
	if err := ctx.Err(); err != nil {
		return notesapi.Response{}, err
	}
	a := w.notes.Serve(ctx, r)
	if a.Status >= http.StatusBadRequest {
		return a, answerError(a)
	}
	return a, json.Unmarshal(a.Body, v)
}

// nextCursor is where a list goes on: in the link of its answer to the next part.
func nextCursor(a notesapi.Response) string {
	link, _, _ := strings.Cut(strings.TrimPrefix(a.Header["Link"], "<"), ">")
	next, err := url.Parse(link)
	if err != nil {
		return ""
	}
	return next.Query().Get("cursor")
}

// SearchIn is the input of search_notes.
type SearchIn struct {
	Query       string      `json:"query" jsonschema:"words that a note has, in any order"`
	WorkspaceID ID          `json:"workspace_id,omitempty" jsonschema:"the source's own when omitted"`
	Limit       tools.Limit `json:"limit,omitempty" jsonschema:"maximum number of notes"`
	Cursor      string      `json:"cursor,omitempty" jsonschema:"more of the answer before"`
}

// SearchOut is the answer of search_notes and query_notes.
type SearchOut struct {
	WorkspaceID ID `json:"workspace_id" jsonschema:"the workspace"`
	NoteListOut
}

func searchNotes() tools.Tool[*Workspaces] {
	return tools.Define(tools.Spec[SearchIn, SearchOut]{
		Name: "search_notes", Title: "Search notes", Effect: tools.Reads,
		Doc:    "Find notes that have all words.\n\nUse read_note to read one, and run_script to search by properties.",
		Errors: []tools.Code{tools.NotFound},
		Examples: []tools.Example[SearchIn, SearchOut]{{
			Purpose: "find notes about rent", In: SearchIn{Query: "rent", Limit: 5}, AnyAnswer: true,
		}},
		Hits: func(o SearchOut) (hits []tools.Hit) {
			for _, n := range o.Notes {
				hits = append(hits, tools.Hit{Page: string(o.WorkspaceID) + "/" + n.ID, Text: cmp.Or(n.Excerpt, n.Title)})
			}
			return hits
		},
		Redact: func(o SearchOut, covered func(string) bool) SearchOut {
			o.NoteListOut = o.without(o.WorkspaceID, covered)
			return o
		},
	}, (*Workspaces).SearchNotes)
}

// SearchNotes implements search_notes.
func (w *Workspaces) SearchNotes(ctx context.Context, in SearchIn) (SearchOut, error) {
	query := url.Values{"q": {in.Query}, "limit": {strconv.Itoa(int(in.Limit))}}
	if in.Cursor != "" {
		query.Set("cursor", in.Cursor)
	}
	return w.list(ctx, in.WorkspaceID, notesapi.Request{Method: http.MethodGet, Path: w.path(in.WorkspaceID, "search"), Query: query})
}

// list makes a request that answers notes.
func (w noteReader) list(ctx context.Context, id ID, r notesapi.Request) (SearchOut, error) {
	out := SearchOut{WorkspaceID: ID(cmp.Or(string(id), w.name))}
	answer, err := w.ask(ctx, r, &out.Notes)
	out.More = nextCursor(answer)
	return out, err
}

// ReadIn is the input of read_note.
type ReadIn struct {
	NoteID      NoteID `json:"note_id" jsonschema:"which note"`
	WorkspaceID ID     `json:"workspace_id,omitempty" jsonschema:"the source's own when omitted"`
}

// ReadOut is the answer of read_note.
type ReadOut struct {
	ID         string         `json:"id" jsonschema:"its id"`
	RevisionID string         `json:"revision_id" jsonschema:"pass it to write_note, so that no later edit is lost"`
	Title      string         `json:"title" jsonschema:"its title"`
	Class      string         `json:"class,omitempty" jsonschema:"its class"`
	Tags       []string       `json:"tags,omitempty" jsonschema:"its tags"`
	Properties map[string]any `json:"properties,omitempty" jsonschema:"by name"`
	Markdown   string         `json:"markdown" jsonschema:"the whole text"`
	UpdatedAt  string         `json:"updated_at" jsonschema:"time of this revision"`
}

func readNote() tools.Tool[*Workspaces] {
	read := tools.Define(tools.Spec[ReadIn, ReadOut]{
		Name: "read_note", Title: "Read a note", Effect: tools.Reads,
		Doc:      "Read one note: its Markdown, properties and revision.\n\nUse search_notes to find ids.",
		Errors:   []tools.Code{tools.NotFound},
		Examples: []tools.Example[ReadIn, ReadOut]{{Purpose: "read a meeting", In: ReadIn{NoteID: "weekly-sync"}, AnyAnswer: true}},
	}, (*Workspaces).ReadNote)
	return tools.WithTargets(read, func(w *Workspaces, ctx context.Context, in ReadIn) ([]string, error) {
		return w.noteTargets(ctx, string(in.WorkspaceID), string(in.NoteID)), nil
	})
}

// ReadNote implements read_note.
func (w *Workspaces) ReadNote(ctx context.Context, in ReadIn) (out ReadOut, err error) {
	if in.NoteID == "" { // from a URI or a prompt, which no schema checks
		return out, tools.Errorf(tools.NotFound, "no note has an empty id").WithHint("Search or list first.")
	}
	_, err = w.ask(ctx, notesapi.Request{Method: http.MethodGet, Path: w.path(in.WorkspaceID, "notes", string(in.NoteID)), WithoutLinks: true},
		&out)
	return out, err
}

// WriteIn is the input of write_note.
type WriteIn struct {
	Markdown    string `json:"markdown" jsonschema:"the whole text: a title as # heading, properties as ## sections"`
	NoteID      string `json:"note_id,omitempty" jsonschema:"which note; a new one when omitted"`
	RevisionID  string `json:"parent_revision_id,omitempty" jsonschema:"revision_id from read_note; required to replace a note"`
	Class       string `json:"class,omitempty" jsonschema:"its class"`
	WorkspaceID ID     `json:"workspace_id,omitempty" jsonschema:"the source's own when omitted"`
	DryRun      bool   `json:"dry_run,omitempty" jsonschema:"true: only check"`
}

// WriteOut is the answer of write_note and restore_note.
type WriteOut struct {
	ID         string `json:"id" jsonschema:"the note's id"`
	RevisionID string `json:"revision_id" jsonschema:"the revision that was written"`
	Created    bool   `json:"created" jsonschema:"true: the note is new"`
	DryRun     bool   `json:"dry_run,omitempty" jsonschema:"true: nothing was changed"`
}

func writeNote() tools.Tool[*Workspaces] {
	write := tools.DefineWithContext(tools.Spec[WriteIn, WriteOut]{
		Name: "write_note", Title: "Write a note", Effect: tools.Writes,
		Selects: []string{"note_id"},
		Doc: "Create a note, or replace its text.\n\nTo replace one, pass the revision that you read; if the note has changed since, " +
			"the call is refused. With a class, its fields are checked.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[WriteIn, WriteOut]{
			{Purpose: "add a task", In: WriteIn{Markdown: "# Buy milk\n\n## Status\npending\n", Class: "Task", NoteID: "buy-milk"}, AnyAnswer: true},
			{Purpose: "check a note without writing it", In: WriteIn{Markdown: "# Plan\n", NoteID: "plan", DryRun: true}, AnyAnswer: true},
		},
	}, (*Workspaces).WriteNote)
	return tools.WithTargets(write, func(w *Workspaces, ctx context.Context, in WriteIn) ([]string, error) {
		targets := w.noteTargets(ctx, string(in.WorkspaceID), in.NoteID)
		if in.Class != "" {
			targets = append(targets, classPath(cmp.Or(string(in.WorkspaceID), w.name), in.Class, in.NoteID))
		}
		return targets, nil
	})
}

// WriteNote implements write_note.
func (w *Workspaces) WriteNote(ctx context.Context, c tools.CallContext, in WriteIn) (out WriteOut, err error) {
	body := map[string]string{"markdown": in.Markdown}
	if in.Class != "" {
		body["class"] = in.Class
	}
	r := notesapi.Request{Method: http.MethodPost, Path: w.path(in.WorkspaceID, "notes")}
	switch {
	case in.RevisionID != "" && in.NoteID == "":
		return out, tools.Errorf(tools.Invalid, "parent_revision_id needs note_id").WithHint("Leave both out to create a note.")
	case in.RevisionID != "":
		r.Method, r.Path = http.MethodPut, w.path(in.WorkspaceID, "notes", in.NoteID)
		body["parent_revision_id"] = in.RevisionID
	case in.NoteID != "":
		body["id"] = in.NoteID
	}
	out.Created, out.DryRun = in.RevisionID == "", in.DryRun
	return out, w.writeInto(ctx, c, r, body, in.DryRun, &out)
}

// writeInto makes one request that writes, and reads its answer into v.
func (w *Workspaces) writeInto(ctx context.Context, c tools.CallContext, r notesapi.Request, body any, dryRun bool, v any) (err error) {
	if r.Body, err = json.Marshal(body); err != nil {
		return err
	}
	write := w.write
	if dryRun {
		write = w.tryWrite
	}
	answer, err := write(ctx, c, r)
	switch {
	case err != nil:
		return err
	case answer.Status >= http.StatusBadRequest:
		return answerError(answer)
	}
	return json.Unmarshal(answer.Body, v)
}

// ClassesIn is the input of list_classes.
type ClassesIn struct {
	WorkspaceID ID `json:"workspace_id,omitempty" jsonschema:"the source's own when omitted"`
}

// ClassesOut is the answer of list_classes.
type ClassesOut struct {
	Classes []ClassLine `json:"classes" jsonschema:"by name"`
}

// ClassLine is a class of notes.
type ClassLine struct {
	Name     string               `json:"name" jsonschema:"its name"`
	Template string               `json:"template,omitempty" jsonschema:"Markdown to begin a note with"`
	Fields   map[string]FieldLine `json:"fields" jsonschema:"by name"`
}

// FieldLine is a field of a class.
type FieldLine struct {
	Type     string `json:"type" jsonschema:"string, number, date, list or markdown"`
	Required bool   `json:"required,omitempty" jsonschema:"true: a note of the class has it"`
}

func listClasses() tools.Tool[*Workspaces] {
	return tools.Define(tools.Spec[ClassesIn, ClassesOut]{
		Name: "list_classes", Title: "List classes", Effect: tools.Reads,
		Doc:      "List the classes of notes and their fields.",
		Errors:   []tools.Code{tools.NotFound},
		Examples: []tools.Example[ClassesIn, ClassesOut]{{Purpose: "see what fields a task has", AnyAnswer: true}},
	}, (*Workspaces).ListClasses)
}

// ListClasses implements list_classes.
func (w *Workspaces) ListClasses(ctx context.Context, in ClassesIn) (out ClassesOut, err error) {
	_, err = w.get(ctx, w.path(in.WorkspaceID, "classes"), nil, &out.Classes)
	return out, err
}
