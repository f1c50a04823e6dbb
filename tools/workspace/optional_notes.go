package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
)

// QueryIn is the input of query_notes.
type QueryIn struct {
	Filter      map[string]any `json:"filter" jsonschema:"by class, title, tag or properties.NAME; $eq $ne $gt $gte $lt $lte $in $and $or $not"`
	Sort        string         `json:"sort,omitempty" jsonschema:"field to sort by; with - before it, greatest first"`
	WorkspaceID ID             `json:"workspace_id,omitempty" jsonschema:"the source's own when omitted"`
	Limit       tools.Limit    `json:"limit,omitempty" jsonschema:"maximum number of notes"`
	Cursor      string         `json:"cursor,omitempty" jsonschema:"more of the answer before"`
}

func queryNotes() tools.Tool[*Workspaces] {
	return tools.Define(tools.Spec[QueryIn, SearchOut]{
		Name: "query_notes", Title: "Query notes", Effect: tools.Reads, OptIn: true,
		Doc:    "Find notes by class and properties.",
		Errors: []tools.Code{tools.NotFound},
		Examples: []tools.Example[QueryIn, SearchOut]{{
			Purpose: "find pending tasks", AnyAnswer: true,
			In: QueryIn{Filter: map[string]any{"class": "Task", "properties.Status": "pending"}, Sort: "properties.Due"},
		}},
		Redact: func(o SearchOut, covered func(string) bool) SearchOut {
			o.NoteListOut = o.without(o.WorkspaceID, covered)
			return o
		},
	}, (*Workspaces).QueryNotes)
}

// QueryNotes implements query_notes.
func (w *Workspaces) QueryNotes(ctx context.Context, in QueryIn) (SearchOut, error) {
	query := map[string]any{"filter": in.Filter, "limit": in.Limit}
	if in.Sort != "" {
		query["sort"] = in.Sort
	}
	if in.Cursor != "" {
		query["cursor"] = in.Cursor
	}
	body, err := json.Marshal(query)
	if err != nil {
		return SearchOut{}, tools.Errorf(tools.Invalid, "the filter cannot be written as JSON")
	}
	return w.list(ctx, in.WorkspaceID, notesapi.Request{Method: http.MethodPost, Path: w.path(in.WorkspaceID, "query"), Body: body})
}

// LinksIn is the input of get_links.
type LinksIn struct {
	NoteID      string      `json:"note_id,omitempty" jsonschema:"only links from and to this note"`
	WorkspaceID ID          `json:"workspace_id,omitempty" jsonschema:"the source's own when omitted"`
	Limit       tools.Limit `json:"limit,omitempty" jsonschema:"maximum number of links"`
	Cursor      string      `json:"cursor,omitempty" jsonschema:"more of the answer before"`
}

// LinksOut is the answer of get_links.
type LinksOut struct {
	WorkspaceID ID         `json:"workspace_id" jsonschema:"the workspace"`
	Links       []LinkLine `json:"links" jsonschema:"newest first"`
	More        string     `json:"more,omitempty" jsonschema:"there are more: call again with this as cursor"`
}

// LinkLine is a link between notes.
type LinkLine struct {
	ID     string `json:"id" jsonschema:"its id"`
	Source string `json:"source" jsonschema:"id of the note that links"`
	Target string `json:"target" jsonschema:"id of the note that it links to"`
	Kind   string `json:"kind" jsonschema:"what the link means"`
	Origin string `json:"origin" jsonschema:"made, or text: found in the note"`
}

func getLinks() tools.Tool[*Workspaces] {
	return tools.Define(tools.Spec[LinksIn, LinksOut]{
		Name: "get_links", Title: "Get links", Effect: tools.Reads, OptIn: true,
		Doc:    "List the links between notes: those that were made and those in their text.",
		Errors: []tools.Code{tools.NotFound},
		Examples: []tools.Example[LinksIn, LinksOut]{{
			Purpose: "see what a note is linked with", In: LinksIn{NoteID: "weekly-sync", Limit: 5}, AnyAnswer: true,
		}},
		Redact: func(o LinksOut, covered func(string) bool) LinksOut {
			kept := []LinkLine{}
			for _, l := range o.Links {
				if !coversNote(covered, string(o.WorkspaceID), l.Source, "") && !coversNote(covered, string(o.WorkspaceID), l.Target, "") {
					kept = append(kept, l)
				}
			}
			o.Links = kept
			return o
		},
	}, (*Workspaces).GetLinks)
}

// GetLinks implements get_links.
func (w *Workspaces) GetLinks(ctx context.Context, in LinksIn) (LinksOut, error) {
	out := LinksOut{WorkspaceID: ID(cmp.Or(string(in.WorkspaceID), w.name))}
	query := url.Values{"limit": {strconv.Itoa(int(in.Limit))}}
	if in.NoteID != "" {
		query.Set("note_id", in.NoteID)
	}
	if in.Cursor != "" {
		query.Set("cursor", in.Cursor)
	}
	answer, err := w.get(ctx, w.path(in.WorkspaceID, "links"), query, &out.Links)
	out.More = nextCursor(answer)
	return out, err
}

// HistoryIn is the input of get_history.
type HistoryIn struct {
	NoteID      NoteID      `json:"note_id" jsonschema:"which note"`
	WorkspaceID ID          `json:"workspace_id,omitempty" jsonschema:"the source's own when omitted"`
	Limit       tools.Limit `json:"limit,omitempty" jsonschema:"maximum number of revisions"`
	Cursor      string      `json:"cursor,omitempty" jsonschema:"more of the answer before"`
}

// HistoryOut is the answer of get_history.
type HistoryOut struct {
	NoteID    string         `json:"note_id" jsonschema:"the note"`
	Revisions []RevisionLine `json:"revisions" jsonschema:"newest first"`
	More      string         `json:"more,omitempty" jsonschema:"there are more: call again with this as cursor"`
}

// RevisionLine is a revision of a note.
type RevisionLine struct {
	RevisionID string `json:"revision_id" jsonschema:"pass it to restore_note"`
	Timestamp  string `json:"timestamp" jsonschema:"when it was written"`
	Author     string `json:"author,omitempty" jsonschema:"who wrote it"`
	Deleted    bool   `json:"deleted,omitempty" jsonschema:"true: it deleted the note"`
	Checksum   string `json:"checksum" jsonschema:"SHA-256"`
}

func getHistory() tools.Tool[*Workspaces] {
	history := tools.Define(tools.Spec[HistoryIn, HistoryOut]{
		Name: "get_history", Title: "Get the history of a note", Effect: tools.Reads, OptIn: true,
		Doc:    "List the revisions of a note.",
		Errors: []tools.Code{tools.NotFound},
		Examples: []tools.Example[HistoryIn, HistoryOut]{{
			Purpose: "see who changed a note", In: HistoryIn{NoteID: "weekly-sync"}, AnyAnswer: true,
		}},
	}, (*Workspaces).GetHistory)
	return tools.WithTargets(history, func(w *Workspaces, ctx context.Context, in HistoryIn) ([]string, error) {
		return w.noteTargets(ctx, string(in.WorkspaceID), string(in.NoteID)), nil
	})
}

// GetHistory implements get_history.
func (w *Workspaces) GetHistory(ctx context.Context, in HistoryIn) (out HistoryOut, err error) {
	query := url.Values{"limit": {strconv.Itoa(int(in.Limit))}}
	if in.Cursor != "" {
		query.Set("cursor", in.Cursor)
	}
	answer, err := w.get(ctx, w.path(in.WorkspaceID, "notes", string(in.NoteID), "history"), query, &out)
	out.More = nextCursor(answer)
	return out, err
}

// RestoreIn is the input of restore_note.
type RestoreIn struct {
	NoteID      NoteID `json:"note_id" jsonschema:"which note"`
	RevisionID  string `json:"revision_id,omitempty" jsonschema:"from get_history; the one before the current when omitted"`
	WorkspaceID ID     `json:"workspace_id,omitempty" jsonschema:"the source's own when omitted"`
	DryRun      bool   `json:"dry_run,omitempty" jsonschema:"true: only check"`
}

func restoreNote() tools.Tool[*Workspaces] {
	restore := tools.DefineWithContext(tools.Spec[RestoreIn, WriteOut]{
		Name: "restore_note", Title: "Restore a note", Effect: tools.Writes, OptIn: true,
		Selects: []string{"revision_id"},
		Doc:     "Make an earlier revision of a note the current one, also of a note that was deleted.",
		Errors:  []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[RestoreIn, WriteOut]{{
			Purpose: "take an edit back", In: RestoreIn{NoteID: "pay-rent"}, AnyAnswer: true,
		}},
	}, (*Workspaces).RestoreNote)
	return tools.WithTargets(restore, func(w *Workspaces, ctx context.Context, in RestoreIn) ([]string, error) {
		return w.noteTargets(ctx, string(in.WorkspaceID), string(in.NoteID)), nil
	})
}

// RestoreNote implements restore_note.
func (w *Workspaces) RestoreNote(ctx context.Context, c tools.CallContext, in RestoreIn) (out WriteOut, err error) {
	r := notesapi.Request{Method: http.MethodPost, Path: w.path(in.WorkspaceID, "notes", string(in.NoteID), "restore")}
	if in.RevisionID == "" {
		history, err := w.GetHistory(ctx, HistoryIn{NoteID: in.NoteID, WorkspaceID: in.WorkspaceID, Limit: 2})
		if err != nil {
			return out, err
		}
		if len(history.Revisions) < 2 {
			return out, tools.Errorf(tools.NotFound, "the note %.80q has no earlier revision", in.NoteID)
		}
		in.RevisionID = history.Revisions[1].RevisionID
	}
	out.DryRun = in.DryRun
	return out, w.writeInto(ctx, c, r, map[string]string{"revision_id": in.RevisionID}, in.DryRun, &out)
}
