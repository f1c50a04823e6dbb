package notestore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// A Kind is what a [Document] is.
type Kind string

// All kinds of documents.
const (
	WorkspaceKind  Kind = "workspace" // its id is empty
	ClassKind      Kind = "class"
	LinkKind       Kind = "link"
	AttachmentKind Kind = "attachment"
	ScriptKind     Kind = "script"
	// ScheduleKind is when a script is run, ScheduledRunKind when it was: two, so that
	// a run is no reason not to take back a change of the schedule.
	ScheduleKind     Kind = "schedule"
	ScheduledRunKind Kind = "scheduled-run"
)

// A Document is something small beside the notes of a workspace.
type Document struct {
	Workspace string
	Kind      Kind
	ID        string
	Body      string // JSON
	Content   []byte // of an attachment; not read by lists
	Source    string // of a link: the ids of its notes
	Target    string
}

type documentKey struct {
	workspace string
	kind      Kind
	id        string
}

func (d Document) key() documentKey { return documentKey{d.Workspace, d.Kind, d.ID} }

func readDocument(ctx context.Context, c *sqlstore.Conn, k documentKey) (*Document, error) {
	d := Document{Workspace: k.workspace, Kind: k.kind, ID: k.id}
	err := c.Short().QueryRow(ctx, "SELECT body, content, source, target FROM documents WHERE workspace = ? AND kind = ? AND id = ?",
		k.workspace, string(k.kind), k.id).Scan(&d.Body, &d.Content, &d.Source, &d.Target)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &d, err
}

// listDocuments returns documents without content: by id, or newest first, since ids
// of links and attachments begin with their time.
func listDocuments(
	ctx context.Context, c *sqlstore.Conn, workspace string, kind Kind, newest bool, after string, limit int,
) ([]Document, error) {
	where, order := "id > ?", "id"
	if newest {
		where, order = "(? = '' OR id < ?)", "id DESC"
	}
	args := []any{workspace, kind, after}
	if newest {
		args = append(args, after)
	}
	return sqlstore.Select(ctx, c, func(row sqlstore.Row) (Document, error) {
		d := Document{Workspace: workspace, Kind: kind}
		return d, row.Scan(&d.ID, &d.Body, &d.Source, &d.Target)
	}, "SELECT id, body, source, target FROM documents WHERE workspace = ? AND kind = ? AND "+where+" ORDER BY "+order+" LIMIT ?",
		append(args, limit)...)
}

// listWorkspaces returns the documents of all workspaces by id.
func listWorkspaces(ctx context.Context, c *sqlstore.Conn) ([]Document, error) {
	return sqlstore.Select(ctx, c, func(row sqlstore.Row) (Document, error) {
		d := Document{Kind: WorkspaceKind}
		return d, row.Scan(&d.Workspace, &d.Body)
	}, "SELECT workspace, body FROM documents WHERE kind = ? ORDER BY workspace", WorkspaceKind)
}

func writeDocument(ctx context.Context, c *sqlstore.Conn, d Document) error {
	if d.Content == nil {
		d.Content = []byte{}
	}
	_, err := c.Exec(ctx, "INSERT INTO documents (workspace, kind, id, body, content, source, target) VALUES (?, ?, ?, ?, ?, ?, ?) "+
		"ON CONFLICT (workspace, kind, id) DO UPDATE SET body = excluded.body, content = excluded.content, source = excluded.source, target = "+
		"excluded.target",
		d.Workspace, d.Kind, d.ID, d.Body, d.Content, d.Source, d.Target)
	return err
}

func deleteDocument(ctx context.Context, c *sqlstore.Conn, k documentKey) error {
	_, err := c.Exec(ctx, "DELETE FROM documents WHERE workspace = ? AND kind = ? AND id = ?", k.workspace, k.kind, k.id)
	return err
}
