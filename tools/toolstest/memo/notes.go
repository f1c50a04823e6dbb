package memo

import (
	"context"
	"net/url"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// ListIn is the input of list_notes. A tool with a long answer takes a limit.
type ListIn struct {
	Begins string       `json:"begins,omitempty" jsonschema:"only titles that begin with this text"`
	Limit  tools.Limit  `json:"limit,omitempty" jsonschema:"maximum number of titles"`
	Offset tools.Offset `json:"offset,omitempty" jsonschema:"titles to skip"`
}

// ListOut is the answer of list_notes. More tells the agent that it was cut.
type ListOut struct {
	Titles []Title `json:"titles" jsonschema:"titles in alphabetical order"`
	Total  int     `json:"total" jsonschema:"total number of titles"`
	More   bool    `json:"more,omitempty" jsonschema:"true: call again with a greater offset"`
}

func listNotes() tools.Tool[*Memo] {
	return tools.Define(tools.Spec[ListIn, ListOut]{
		Name: "list_notes", Title: "List notes", Effect: tools.Reads,
		Doc: "List the titles of notes.\n\nUse read_note to read one of them.",
		Examples: []tools.Example[ListIn, ListOut]{
			{Purpose: "see the first two notes", In: ListIn{Limit: 2}, Want: ListOut{Titles: []Title{"Milk", "Shopping"}, Total: 3, More: true}},
			{Purpose: "find notes by the beginning of their title", In: ListIn{Begins: "Sho"}, Want: ListOut{Titles: []Title{"Shopping"}, Total: 1}},
		},
	}, (*Memo).List)
}

// List implements list_notes.
func (m *Memo) List(_ context.Context, in ListIn) (ListOut, error) {
	var found []Title
	for _, t := range m.visibleTitles() {
		if strings.HasPrefix(string(t), in.Begins) {
			found = append(found, t)
		}
	}
	from := min(int(in.Offset), len(found))
	to := min(from+int(in.Limit), len(found))
	return ListOut{found[from:to], len(found), to < len(found)}, nil
}

// ReadIn is the input of read_note.
type ReadIn struct {
	Title Title `json:"title" jsonschema:"which note"`
}

// ReadOut is the answer of read_note.
type ReadOut struct {
	Title    Title  `json:"title" jsonschema:"the note's title"`
	Text     string `json:"text" jsonschema:"the whole text"`
	Colour   Colour `json:"colour" jsonschema:"the note's colour"`
	Revision int    `json:"revision" jsonschema:"pass it to write_note to avoid overwriting a later edit"`
}

func readNote() tools.Tool[*Memo] {
	read := tools.Define(tools.Spec[ReadIn, ReadOut]{
		Name: "read_note", Title: "Read a note", Effect: tools.Reads,
		Doc:    "Read one note with its text.\n\nUse list_notes to find titles.",
		Errors: []tools.Code{tools.NotFound},
		Examples: []tools.Example[ReadIn, ReadOut]{{
			Purpose: "read the note Milk", In: ReadIn{"Milk"},
			Want: ReadOut{Title: "Milk", Text: "Two bottles, for [[Tea]].", Colour: yellow, Revision: 1},
		}},
	}, (*Memo).Read)
	return tools.WithTargets(read, func(_ *Memo, _ context.Context, in ReadIn) ([]string, error) { return []string{string(in.Title)}, nil })
}

// Read implements read_note. A hidden note is NotFound, like one that does not
// exist.
func (m *Memo) Read(_ context.Context, in ReadIn) (ReadOut, error) {
	n, ok := m.note(in.Title)
	if !ok || m.hidesNote(in.Title, n) {
		return ReadOut{}, noSuchNote(in.Title)
	}
	return ReadOut{in.Title, n.text, n.colour, n.revision}, nil
}

func noSuchNote(t Title) error {
	// A title from a URI or prompt has not been checked by a schema: quote only a part.
	return tools.Errorf(tools.NotFound, "no note titled %.80q", t).WithHint("Call list_notes to see the titles.")
}

// WriteIn is the input of write_note.
type WriteIn struct {
	Title    Title  `json:"title" jsonschema:"which note; created if it does not exist"`
	Text     string `json:"text" jsonschema:"the whole new text"`
	Colour   Colour `json:"colour,omitempty" jsonschema:"the note's colour"`
	Revision int    `json:"revision,omitempty" jsonschema:"revision from read_note; the write is refused if the note has changed since"`
	DryRun   bool   `json:"dry_run,omitempty" jsonschema:"true: only show what would happen"`
}

// WriteOut is the answer of write_note.
type WriteOut struct {
	Title    Title `json:"title" jsonschema:"the note's title"`
	Revision int   `json:"revision" jsonschema:"revision of the note as written"`
	Created  bool  `json:"created" jsonschema:"true: the note is new"`
	DryRun   bool  `json:"dry_run,omitempty" jsonschema:"true: nothing was changed"`
}

func writeNote() tools.Tool[*Memo] {
	return tools.DefineWithContext(tools.Spec[WriteIn, WriteOut]{
		Name: "write_note", Title: "Write a note", Effect: tools.Writes,
		Doc:    "Create a note, or replace its text.\n\nPass the revision that you read, so that no later edit is lost.",
		Errors: []tools.Code{tools.Conflict},
		Examples: []tools.Example[WriteIn, WriteOut]{
			{
				Purpose: "add a note", In: WriteIn{Title: "Tea", Text: "Green.", Colour: "blue"},
				Want: WriteOut{Title: "Tea", Revision: 1, Created: true},
			},
			{
				Purpose: "replace the text that was read", In: WriteIn{Title: "Milk", Text: "One bottle.", Revision: 1},
				Want: WriteOut{Title: "Milk", Revision: 2},
			},
			{
				Purpose: "see what a write would do", In: WriteIn{Title: "Salt", Text: "Some.", DryRun: true},
				Want: WriteOut{Title: "Salt", Revision: 1, Created: true, DryRun: true},
			},
		},
	}, (*Memo).Write)
}

// Write implements write_note. Like every write it works out what it will do,
// calls BeforeWrite, and only then writes, and says what it has written.
func (m *Memo) Write(ctx context.Context, c tools.CallContext, in WriteIn) (WriteOut, error) {
	if err := m.writing.Acquire(ctx, 1); err != nil {
		return WriteOut{}, err
	}
	defer m.writing.Release(1)
	old, exists := m.note(in.Title)
	now := note{in.Text, in.Colour, old.revision + 1, newWrite()}
	if exists && m.hidesNote(in.Title, old) || m.hidesNote(in.Title, now) {
		return WriteOut{}, hiddenError(in.Title)
	}
	if in.Revision != 0 && in.Revision != old.revision {
		return WriteOut{}, tools.Errorf(tools.Conflict, "the note is at revision %d, not %d", old.revision, in.Revision).
			WithHint("Read it again, then write.")
	}
	out := WriteOut{in.Title, now.revision, !exists, in.DryRun}
	if in.DryRun {
		return out, nil
	}
	change := tools.Change{Target: string(in.Title), Before: m.state(in.Title), After: now.state()}
	if err := c.BeforeWrite(ctx, change); err != nil {
		return WriteOut{}, err
	}
	m.set(in.Title, &now, now.write)
	c.ReportWritten(change)
	m.announce(in.Title)
	m.log.InfoContext(ctx, "note written", "revision", out.Revision, "bytes", len(in.Text))
	return out, nil
}

// DeleteIn is the input of delete_note.
type DeleteIn struct {
	Title  Title `json:"title" jsonschema:"which note"`
	DryRun bool  `json:"dry_run,omitempty" jsonschema:"true: only show what would happen"`
}

// DeleteOut is the answer of delete_note.
type DeleteOut struct {
	Deleted bool  `json:"deleted" jsonschema:"true: the note was deleted; false: dry run"`
	Title   Title `json:"title" jsonschema:"the note's title"`
}

func deleteNote() tools.Tool[*Memo] {
	return tools.DefineWithContext(tools.Spec[DeleteIn, DeleteOut]{
		Name: "delete_note", Title: "Delete a note", Effect: tools.Deletes,
		Doc:    "Delete one note.",
		Errors: []tools.Code{tools.NotFound},
		Examples: []tools.Example[DeleteIn, DeleteOut]{
			{Purpose: "delete the note Milk", In: DeleteIn{Title: "Milk"}, Want: DeleteOut{true, "Milk"}},
		},
	}, (*Memo).Delete)
}

// Delete implements delete_note.
func (m *Memo) Delete(ctx context.Context, c tools.CallContext, in DeleteIn) (DeleteOut, error) {
	if err := m.writing.Acquire(ctx, 1); err != nil {
		return DeleteOut{}, err
	}
	defer m.writing.Release(1)
	if old, ok := m.note(in.Title); !ok || m.hidesNote(in.Title, old) {
		return DeleteOut{}, noSuchNote(in.Title)
	}
	if in.DryRun {
		return DeleteOut{false, in.Title}, nil
	}
	change := tools.Change{Target: string(in.Title), Before: m.state(in.Title), After: tools.State{Revision: newWrite()}}
	if err := c.BeforeWrite(ctx, change); err != nil {
		return DeleteOut{}, err
	}
	m.set(in.Title, nil, change.After.Revision)
	c.ReportWritten(change)
	m.announce(in.Title)
	return DeleteOut{true, in.Title}, nil
}

// announce tells subscribers that the resource of a note has new content, unless
// the note is hidden. Reserved characters in the URI must be escaped.
func (m *Memo) announce(t Title) {
	if n, ok := m.note(t); ok && m.hidesNote(t, n) {
		return
	}
	escaped := strings.ReplaceAll(url.QueryEscape(string(t)), "+", "%20")
	m.changed("memo://" + m.name + "/notes/" + escaped)
}
