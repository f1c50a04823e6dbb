package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
)

// Bounds of what a prompt embeds.
const (
	maxPromptNotes = 50
	maxPromptText  = 64 << 10 // bytes
)

// prompts are those of the specification. They embed what they are about.
func prompts() []tools.Prompt[*Workspaces] {
	workspace := tools.PromptArgument{Name: "workspace_id", Doc: "which workspace; the source's own when omitted"}
	complete := func(w *Workspaces, ctx context.Context, argument, prefix string) ([]string, error) {
		return w.completeURI(ctx, argument, prefix)
	}
	all := func(w *Workspaces, ctx context.Context, args map[string]string) ([]string, error) {
		return w.allTargets(ctx, args["workspace_id"])
	}
	return []tools.Prompt[*Workspaces]{{
		Name: "summarize_workspace", Title: "Summarize a workspace", Doc: "Summarize what the notes of a workspace are about.",
		Arguments: []tools.PromptArgument{workspace}, Get: prompt(summarize), Targets: all, Complete: complete,
	}, {
		Name: "analyze_meetings", Title: "Analyze meetings", Doc: "Summarize the decisions of all meetings.",
		Arguments: []tools.PromptArgument{workspace}, Get: prompt(analyzeMeetings), Targets: all, Complete: complete,
	}, {
		Name: "find_related", Title: "Find related notes", Doc: "Find the notes that links and shared tags relate to a note.",
		Arguments: []tools.PromptArgument{{Name: "note_id", Doc: "which note", Required: true}, workspace},
		Get:       prompt(findRelated), Targets: all, Complete: complete,
	}}
}

func summarize(ctx context.Context, w *Workspaces, args map[string]string) ([]tools.Message, error) {
	notes, err := w.index(ctx, args["workspace_id"])
	if err != nil {
		return nil, err
	}
	return promptMessages("Read the index of the workspace and provide a high-level summary of the topics covered.", notes)
}

// index is the newest notes of a workspace.
func (w noteReader) index(ctx context.Context, id string) (notes []NoteLine, err error) {
	_, err = w.get(ctx, w.path(ID(id), "notes"), nil, &notes)
	return notes, err
}

func analyzeMeetings(ctx context.Context, w *Workspaces, args map[string]string) ([]tools.Message, error) {
	id := ID(args["workspace_id"])
	body := fmt.Appendf(nil, `{"filter":{"class":"Meeting"},"limit":%d}`, maxPromptNotes)
	found, err := w.list(ctx, id, notesapi.Request{Method: http.MethodPost, Path: w.path(id, "query"), Body: body})
	if err != nil {
		return nil, err
	}
	var texts []tools.Message
	left := maxPromptText
	for _, line := range found.Notes {
		note, err := w.ReadNote(ctx, ReadIn{NoteID(line.ID), id})
		if err != nil {
			continue // it was deleted meanwhile
		}
		text := safetext.Truncate(note.Markdown, left)
		left -= len(text)
		texts = append(texts, tools.Message{Content: tools.Content{Kind: tools.Text, Text: "Note " + line.ID + ":\n\n" + text}})
		if left <= 0 {
			break
		}
	}
	ask := "Find all notes with class='Meeting' and summarize the key decisions. The notes follow."
	if found.More != "" || left <= 0 {
		ask += " There are more; query_notes or run_script finds them."
	}
	return append([]tools.Message{{Content: tools.Content{Kind: tools.Text, Text: ask}}}, texts...), nil
}

func findRelated(ctx context.Context, w *Workspaces, args map[string]string) ([]tools.Message, error) {
	id := ID(args["workspace_id"])
	note, err := w.ReadNote(ctx, ReadIn{NoteID(args["note_id"]), id})
	if err != nil {
		return nil, err
	}
	links, err := w.GetLinks(ctx, LinksIn{NoteID: note.ID, WorkspaceID: id, Limit: 200})
	if err != nil {
		return nil, err
	}
	notes, err := w.index(ctx, string(id))
	if err != nil {
		return nil, err
	}
	related := []NoteLine{}
	for _, n := range notes {
		if n.ID != note.ID && sharesTag(n.Tags, note.Tags) {
			related = append(related, n)
		}
	}
	return promptMessages(
		"Given a note ID, find all related notes via links and shared tags. The note, its links, and the notes with a tag of it follow.",
		map[string]any{"note": note, "links": links.Links, "shared_tags": related[:min(len(related), maxPromptNotes)]})
}

func sharesTag(a, b []string) bool {
	for _, tag := range a {
		for _, other := range b {
			if strings.EqualFold(tag, other) {
				return true
			}
		}
	}
	return false
}

// promptMessages is a request and what it is about, cut to what a prompt can hold.
func promptMessages(ask string, about any) ([]tools.Message, error) {
	text, err := tools.PlainJSON(about)
	if err != nil {
		return nil, err
	}
	cut := safetext.Truncate(string(text), maxPromptText)
	if !json.Valid([]byte(cut)) {
		ask += " The end is cut off; run_script reads all of it."
	}
	return []tools.Message{
		{Content: tools.Content{Kind: tools.Text, Text: ask}}, {Content: tools.Content{Kind: tools.Text, Text: cut}},
	}, nil
}
