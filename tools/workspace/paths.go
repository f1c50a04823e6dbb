package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
)

// Rules, grants and privacy name a note as WORKSPACE/NOTE and, if it has a class,
// as WORKSPACE/class:CLASS/NOTE; a class as WORKSPACE/class:CLASS.

func notePath(workspace, note string) string { return workspace + "/" + note }

func classPath(workspace, class, note string) string {
	path := workspace + "/class:" + class
	if note != "" {
		path += "/" + note
	}
	return path
}

// coversNote reports whether a rule by path is about a note, under one of its names.
func coversNote(covered func(string) bool, workspace, note, class string) bool {
	return covered(notePath(workspace, note)) || class != "" && covered(classPath(workspace, class, note))
}

// noteTargets are the names of a note.
func (w noteReader) noteTargets(ctx context.Context, workspace, note string) []string {
	workspace = cmp.Or(workspace, w.name)
	if note == "" {
		return []string{workspace}
	}
	names := []string{notePath(workspace, note)}
	if ctx.Err() != nil {
		return names
	}
	found := w.notes.Serve(ctx, notesapi.Request{Method: http.MethodGet, Path: w.path(ID(workspace), "notes", note), WithoutLinks: true}).Note
	if found.Class != "" {
		names = append(names, classPath(workspace, found.Class, note))
	}
	return names
}

// allTargets are the names of what a list of a workspace shows: its classes first,
// then the newest notes, as far as targets are looked at.
func (w noteReader) allTargets(ctx context.Context, workspace string) ([]string, error) {
	workspace = cmp.Or(workspace, w.name)
	notes, err := w.index(ctx, workspace)
	if err != nil {
		return nil, err
	}
	names, seen := []string{workspace}, map[string]bool{"": true}
	for _, n := range notes {
		if !seen[n.Class] {
			seen[n.Class] = true
			names = append(names, classPath(workspace, n.Class, ""))
		}
	}
	for _, n := range notes {
		names = append(names, notePath(workspace, n.ID))
	}
	return names, nil
}

// requestTargets are the names of what a request is about, as of [tools.WithTargets].
func (w noteReader) requestTargets(ctx context.Context, in RequestIn) ([]string, error) {
	_, names, _ := w.api.Find(in.Method, in.Path)
	workspace := names.Get("workspace_id")
	var body struct {
		ID, Class, Name, Source, Target string
	}
	if !in.Body.IsZero() {
		_ = json.Unmarshal(in.Body.RawMessage, &body) // another shape names nothing
	}
	switch {
	case workspace == "":
		return nil, nil
	case names.Get("note_id") != "":
		targets := w.noteTargets(ctx, workspace, names.Get("note_id"))
		if body.Class != "" {
			targets = append(targets, classPath(workspace, body.Class, names.Get("note_id")))
		}
		return targets, nil
	case names.Get("name") != "":
		return []string{classPath(workspace, names.Get("name"), "")}, nil
	case body.Source != "" && body.Target != "":
		return append(w.noteTargets(ctx, workspace, body.Source), w.noteTargets(ctx, workspace, body.Target)...), nil
	case body.Class != "" || body.ID != "":
		targets := []string{notePath(workspace, body.ID)}
		if body.Class != "" {
			targets = append(targets, classPath(workspace, body.Class, body.ID))
		}
		return targets, nil
	}
	return []string{workspace}, nil
}

// answerTargets is requestTargets of a request that has been answered: a note need not
// be read again.
func (w noteReader) answerTargets(ctx context.Context, in RequestIn, a notesapi.Response) []string {
	if a.Note.ID == "" {
		targets, _ := w.requestTargets(ctx, in)
		return targets
	}
	targets := []string{notePath(a.Note.Workspace, a.Note.ID)}
	if a.Note.Class != "" {
		targets = append(targets, classPath(a.Note.Workspace, a.Note.Class, a.Note.ID))
	}
	return targets
}

// redactRequest leaves out of a list the notes that rules by path cover, and links
// and attachments that name them.
func redactRequest(out RequestOut, covered func(string) bool) RequestOut {
	var rows []map[string]any
	if out.Status >= 400 || len(out.Names) != 1 || json.Unmarshal(out.Body.RawMessage, &rows) != nil {
		return out
	}
	workspace, _, _ := strings.Cut(out.Names[0], "/")
	kept := []map[string]any{}
	for _, row := range rows {
		names := func(key string) string { s, _ := row[key].(string); return s }
		hidden := coversNote(covered, workspace, names("id"), names("class"))
		for _, end := range []string{"source", "target"} {
			hidden = hidden || names(end) != "" && coversNote(covered, workspace, names(end), "")
		}
		if !hidden {
			kept = append(kept, row)
		}
	}
	if len(kept) == len(rows) {
		return out
	}
	body, err := tools.PlainJSON(kept)
	if err != nil {
		return RequestOut{Status: 500}
	}
	out.Body = JSONValue{body}
	return out
}
