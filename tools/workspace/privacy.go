package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

// hides reports whether a note is hidden from agents.
func (w *Workspaces) hides(workspace string, r notestore.Record) bool {
	return w.privacy.Any() && w.privacy.Hides(describeNote(workspace, r))
}

// describeNote is a note as privacy rules see it: under both of its names.
func describeNote(workspace string, r notestore.Record) tools.Page {
	page := tools.Page{Path: notePath(workspace, r.ID), Tags: r.Tags, Properties: map[string][]string{}}
	if r.Class != "" {
		page.File = classPath(workspace, r.Class, r.ID)
		page.Properties["class"] = []string{r.Class}
	}
	for name, value := range r.Properties {
		switch v := value.(type) {
		case []any:
			for _, one := range v {
				page.Properties[name] = append(page.Properties[name], fmt.Sprint(one))
			}
		case []string:
			page.Properties[name] = v
		default:
			page.Properties[name] = []string{fmt.Sprint(v)}
		}
	}
	return page
}

// maxWorkspaces is more than any store has.
const maxWorkspaces = 1 << 20

// CountHiddenPages implements [tools.HiddenPageCounter].
func (w *Workspaces) CountHiddenPages(ctx context.Context) (status.HiddenPages, error) {
	count, all := tools.NewPrivacyCount(w.privacy), w.store.Begin(notestore.View{})
	workspaces, err := all.Documents(ctx, "", notestore.WorkspaceKind, "", maxWorkspaces)
	if err != nil {
		return status.HiddenPages{}, err
	}
	for _, doc := range workspaces {
		err := all.Each(ctx, doc.Workspace, notestore.Selection{}, func(r notestore.Record) bool {
			count.Add(describeNote(doc.Workspace, r), w.hides(doc.Workspace, r))
			return ctx.Err() == nil
		})
		if err != nil {
			return status.HiddenPages{}, err
		}
	}
	return count.Pages(), ctx.Err()
}

// HidesChange implements [tools.ChangeFilter]: by what the target is now and by what
// the Change says that it was and is.
func (w *Workspaces) HidesChange(ctx context.Context, c tools.Change) (bool, error) {
	now, err := w.store.Begin(notestore.View{}).State(ctx, c.Target)
	if err != nil {
		return true, err
	}
	workspace, id, _ := strings.Cut(c.Target, "/")
	kind, name, isDocument := strings.Cut(id, ":")
	for _, s := range []tools.State{now, c.Before, c.After} {
		switch {
		case !s.Exists:
		case !isDocument:
			r, err := notestore.DescribeState(id, s.Data)
			if err != nil || w.hides(workspace, r) {
				return true, nil //nolint:nilerr // hidden when in doubt
			}
		case kind == string(notestore.LinkKind) && hidesLink(ctx, w, workspace, s.Data):
			return true, nil
		}
	}
	return isDocument && kind == string(notestore.ClassKind) && w.privacy.Hides(tools.Page{Path: classPath(workspace, name, "")}), nil
}

// hidesLink reports whether agents do not see a note at one of the ends of a link.
func hidesLink(ctx context.Context, w *Workspaces, workspace string, state []byte) bool {
	var link notestore.Link
	if err := json.Unmarshal(state, &link); err != nil {
		return true
	}
	all := w.store.Begin(notestore.View{})
	for _, id := range []string{link.Source, link.Target} {
		n, err := all.Note(ctx, workspace, id)
		if err != nil || n != nil && w.hides(workspace, n.Record) {
			return true
		}
	}
	return false
}
