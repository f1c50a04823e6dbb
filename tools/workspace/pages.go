package workspace

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
)

// pages lets a person browse the notes of all workspaces of a source on the panel.
func pages() *tools.Pages[*Workspaces] {
	return &tools.Pages[*Workspaces]{List: (*Workspaces).listPages, Read: (*Workspaces).pageText}
}

// listPages lists one workspace after the other. The place to go on from is
// WORKSPACE/CURSOR.
func (w *Workspaces) listPages(ctx context.Context, q tools.PageQuery) (list tools.PageList, err error) {
	ids, err := w.completeWorkspace(ctx, "")
	if err != nil {
		return list, err
	}
	match := strings.ToLower(q.Match)
	from, cursor, _ := strings.Cut(q.After, "/")
	for _, id := range ids {
		if from != "" && id != from {
			continue
		}
		from = ""
		for more := true; more; more = cursor != "" {
			if len(list.Pages) >= q.Limit {
				list.Next = id + "/" + cursor
				return list, nil
			}
			notes, err := w.listNotes(ctx, ID(id), cursor, q.Limit-len(list.Pages))
			if err != nil {
				return list, err
			}
			for _, n := range notes.Notes {
				if name := notePath(id, n.ID); strings.Contains(strings.ToLower(name+" "+n.Title), match) {
					list.Pages = append(list.Pages, tools.PageInfo{Name: name})
				}
			}
			cursor = notes.More
		}
	}
	return list, nil
}

// listNotes lists notes, newest first.
func (w noteReader) listNotes(ctx context.Context, id ID, cursor string, limit int) (SearchOut, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	return w.list(ctx, id, notesapi.Request{Method: http.MethodGet, Path: w.path(id, "notes"), Query: query})
}

func (w *Workspaces) pageText(ctx context.Context, name string) (tools.PageText, error) {
	workspace, note, ok := strings.Cut(name, "/")
	if !ok || workspace == "" || note == "" {
		return tools.PageText{}, tools.Errorf(tools.NotFound, "no note %.80q", name)
	}
	n, err := w.ReadNote(ctx, ReadIn{NoteID(note), ID(workspace)})
	return tools.PageText{Text: n.Markdown, MIME: "text/markdown"}, err
}
