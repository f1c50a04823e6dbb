package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
)

// sample is for `lectern source add workspace --sample`.
func sample() *tools.Sample {
	return &tools.Sample{Title: "A small team", Keys: map[string]string{"welcome": "true"}}
}

// welcomeNotes are what a workspace with the key welcome begins with: two classes,
// and notes of them that are linked.
var welcomeNotes = []struct{ id, class, markdown string }{ //nolint:gochecknoglobals // constants
	{"welcome", "", "---\ntags: [guide]\n---\n# Welcome\n\nNotes are Markdown. A section such as `## Date` is a property of the note. " +
		"See [[weekly-sync]], and ask an agent to run a script over the tasks.\n"},
	{"weekly-sync", "Meeting", "---\ntags: [team]\n---\n# Weekly Sync\n\n## Date\n2025-11-29\n\n## Attendees\n- Alice\n- Bob\n\n" +
		"## Decisions\nBob does [[pay-rent]].\n"},
	{"pay-rent", "Task", "---\ntags: [team, money]\n---\n# Pay the rent\n\n## Status\npending\n\n## Due\n2025-12-01\n"},
	{"book-room", "Task", "---\ntags: [team]\n---\n# Book a room\n\nFor [[weekly-sync]].\n\n## Status\ndone\n"},
}

const (
	taskClass    = `{"name":"Task","template":"# Task\n\n## Status\npending\n\n## Due\n","fields":{"Status":{"type":"string","required":true},"Due":{"type":"date"}}}`
	meetingClass = `{"name":"Meeting","template":"# Meeting\n\n## Date\n\n## Attendees\n- ","fields":{"Date":{"type":"date","required":true},"Attendees":{"type":"list"},"Decisions":{"type":"markdown"}}}`
)

// welcomeRequests fill an existing workspace.
func welcomeRequests(workspace string) (requests []notesapi.Request, err error) {
	add := func(method, path string, body []byte) {
		requests = append(requests, notesapi.Request{Method: method, Path: "/workspaces/" + workspace + path, Body: body})
	}
	add(http.MethodPut, "/classes/Task", []byte(taskClass))
	add(http.MethodPut, "/classes/Meeting", []byte(meetingClass))
	for _, n := range welcomeNotes {
		body, err := json.Marshal(map[string]string{"id": n.id, "class": n.class, "markdown": n.markdown})
		if err != nil {
			return nil, err
		}
		add(http.MethodPost, "/notes", body)
	}
	return requests, nil
}

// create makes a workspace, with notes if welcome says so.
func (w *Workspaces) create(ctx context.Context, id string, welcome bool) error {
	body, err := json.Marshal(map[string]string{"id": id, "name": id})
	if err != nil {
		return err
	}
	requests := []notesapi.Request{{Method: http.MethodPost, Path: "/workspaces", Body: body}}
	if welcome {
		more, err := welcomeRequests(id)
		if err != nil {
			return err
		}
		requests = append(requests, more...)
	}
	overlay := notesapi.New(notesapi.Options{Store: w.store}).Begin(notesapi.Caller{})
	for _, r := range requests {
		if a := overlay.Serve(ctx, r); a.Status >= http.StatusBadRequest {
			return fmt.Errorf("create workspace %s: %w", id, answerError(a))
		}
	}
	return overlay.Commit(ctx)
}
