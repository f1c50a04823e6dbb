package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
)

// resources are those of the specification, under its scheme ieapp and under one
// that names no product.
func resources() []tools.Resource[*Workspaces] {
	all := []tools.Resource[*Workspaces]{{
		Name: "script-types", Title: "Types of scripts", Doc: "What scripts find besides the language, as TypeScript declarations.",
		URI: "workspace://{source}/script.d.ts", MIME: "text/plain",
		Read: func(*Workspaces, context.Context, string, map[string]string) (tools.Content, error) {
			return tools.Content{Text: facadeTypes()}, nil
		},
	}}
	return slices.Concat(all, resourcesUnder("ieapp", ""), resourcesUnder("workspace", "workspace-"))
}

func resourcesUnder(scheme, prefix string) []tools.Resource[*Workspaces] {
	list := func(
		name, title, doc, path string, read func(*Workspaces, context.Context, map[string]string) (notesapi.Request, error),
	) tools.Resource[*Workspaces] {
		return tools.Resource[*Workspaces]{
			Name: prefix + name, Title: title, Doc: doc, URI: scheme + "://{workspace_id}/" + path, MIME: "application/json", Shared: true,
			Polled: true,
			Read: func(w *Workspaces, ctx context.Context, _ string, vars map[string]string) (tools.Content, error) {
				r, err := read(w, ctx, vars)
				if err != nil {
					return tools.Content{}, err
				}
				return w.readList(ctx, r, name)
			},
			Targets: targets(resourceTargets), Complete: (*Workspaces).completeURI,
		}
	}
	in := func(parts ...string) func(*Workspaces, context.Context, map[string]string) (notesapi.Request, error) {
		return func(w *Workspaces, _ context.Context, vars map[string]string) (notesapi.Request, error) {
			if vars["workspace_id"] == "" {
				return notesapi.Request{}, tools.Errorf(tools.NotFound, "no workspace has an empty id")
			}
			own := make([]string, len(parts))
			for i, part := range parts {
				own[i] = part
				if name, is := strings.CutPrefix(part, "{"); is {
					own[i] = vars[strings.TrimSuffix(name, "}")]
				}
			}
			return notesapi.Request{Method: http.MethodGet, Path: w.path(ID(vars["workspace_id"]), own...)}, nil
		}
	}
	note := list("note", "A note", "The Markdown of a note.", "notes/{note_id}", nil)
	note.MIME, note.Read = "text/markdown", (*Workspaces).readNoteResource
	all := []tools.Resource[*Workspaces]{
		list("notes", "All notes", "Notes with their class and properties, newest first, as many as fit into 1 MiB.", "notes/list", in("notes")),
		note,
		list("history", "History of a note", "The revisions of a note, newest first.", "notes/{note_id}/history",
			in("notes", "{note_id}", "history")),
		list("classes", "Classes", "The classes of notes and their fields.", "classes", in("classes")),
		list("links", "Links", "The links between notes, newest first, as many as fit into 1 MiB.", "links", in("links")),
	}
	for i := range all {
		all[i].Listed = scheme == "ieapp" && !strings.Contains(all[i].URI, "{note_id}") // each workspace once
	}
	return all
}

// What a resource lists, in rows and bytes: of its 1 MiB.
const (
	maxResourceRows  = 100_000
	maxResourceBytes = 1<<20 - 16<<10
)

// readList reads a list as far as it fits, and says how the rest is read.
func (w *Workspaces) readList(ctx context.Context, r notesapi.Request, name string) (tools.Content, error) {
	r.Bounds = notesapi.Bounds{Rows: maxResourceRows, Bytes: maxResourceBytes}
	if name == "notes" {
		r.Bounds.Bytes *= 4 // its rows have more than those of the resource
	}
	var body json.RawMessage
	answer, err := w.ask(ctx, r, &body)
	if err != nil {
		return tools.Content{}, err
	}
	next := nextCursor(answer)
	if name == "notes" {
		if body, next, err = resourceNotes(body, next); err != nil {
			return tools.Content{}, err
		}
	}
	content := tools.Content{Text: string(body)}
	if next != "" {
		content.Rest = fmt.Sprintf("The list goes on: these are the newest. run_script reads the rest: host.call(\"GET\", %q)",
			r.Path+"?cursor="+url.QueryEscape(next))
	}
	return content, nil
}

// A resourceNote is a note in the list of the specification.
type resourceNote struct {
	ID         string          `json:"id"`
	Title      string          `json:"title"`
	Class      string          `json:"class"`
	Properties json.RawMessage `json:"properties"`
	UpdatedAt  string          `json:"updated_at"`
	Truncated  []string        `json:"truncated,omitempty"`
}

// resourceNotes is the list of the specification, made of rows of the API that go on at
// next, and where it goes on itself.
func resourceNotes(rows json.RawMessage, next string) (json.RawMessage, string, error) {
	var notes []struct {
		resourceNote

		Revision string `json:"revision_id"`
	}
	if err := json.Unmarshal(rows, &notes); err != nil {
		return nil, "", err
	}
	list := []byte{'['}
	for i, n := range notes {
		row, err := tools.PlainJSON(n.resourceNote)
		if err != nil {
			return nil, "", err
		}
		if i > 0 && len(list)+len(row)+len(",]") > maxResourceBytes {
			next = notes[i-1].Revision
			break
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, row...)
	}
	return append(list, ']'), next, nil
}

func (w *Workspaces) readNoteResource(ctx context.Context, _ string, vars map[string]string) (tools.Content, error) {
	if vars["workspace_id"] == "" || vars["note_id"] == "" {
		return tools.Content{}, tools.Errorf(tools.NotFound, "no note has an empty id")
	}
	note, err := w.ReadNote(ctx, ReadIn{NoteID(vars["note_id"]), ID(vars["workspace_id"])})
	return tools.Content{Text: note.Markdown}, err
}

// resourceTargets is what a resource shows. One that lists notes shows all of the
// workspace: a client that may not read some of it lists by a tool, which leaves those
// out.
func resourceTargets(ctx context.Context, w *Workspaces, vars map[string]string) ([]string, error) {
	if note := vars["note_id"]; note != "" {
		return w.noteTargets(ctx, vars["workspace_id"], note), nil
	}
	return w.allTargets(ctx, vars["workspace_id"])
}

// completeURI proposes ids of workspaces and of the notes of the source's own.
func (w noteReader) completeURI(ctx context.Context, variable, prefix string) ([]string, error) {
	switch variable {
	case "workspace_id":
		return w.completeWorkspace(ctx, prefix)
	case "note_id":
		return w.completeNote(ctx, prefix)
	}
	return nil, nil
}

func (w noteReader) completeWorkspace(ctx context.Context, prefix string) ([]string, error) {
	var found []struct {
		ID string `json:"id"`
	}
	if _, err := w.get(ctx, "/workspaces", nil, &found); err != nil {
		return nil, err
	}
	var ids []string
	for _, f := range found {
		if strings.HasPrefix(f.ID, prefix) {
			ids = append(ids, f.ID)
		}
	}
	return ids, nil
}

func (w noteReader) completeNote(ctx context.Context, prefix string) ([]string, error) {
	var found []NoteLine
	if _, err := w.get(ctx, w.path("", "notes"), nil, &found); err != nil {
		return nil, err
	}
	var ids []string
	for _, n := range found {
		if strings.HasPrefix(n.ID, prefix) || prefix != "" && strings.HasPrefix(strings.ToLower(n.Title), strings.ToLower(prefix)) {
			ids = append(ids, n.ID)
		}
	}
	return ids, nil
}

// announceChange tells subscribers what a change makes new, unless it is hidden.
func (w *Workspaces) announceChange(ctx context.Context, c tools.Change) {
	if hidden, err := w.HidesChange(ctx, c); hidden || err != nil {
		return
	}
	id, part, _ := strings.Cut(c.Target, "/")
	paths := []string{"/notes/" + url.PathEscape(part), "/notes/" + url.PathEscape(part) + "/history", "/notes/list", "/links"}
	switch kind, _, isDocument := strings.Cut(part, ":"); {
	case isDocument && kind == "class":
		paths = []string{"/classes"}
	case isDocument && kind == "link":
		paths = []string{"/links"}
	case isDocument:
		return
	}
	for _, scheme := range []string{"ieapp", "workspace"} {
		for _, path := range paths {
			w.changed(scheme + "://" + url.PathEscape(id) + path)
		}
	}
}
