package notesapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notetext"
)

// An API answers requests about the workspaces of a store. It is safe for concurrent
// use.
type API struct {
	store  *notestore.Store
	hides  func(workspace string, r notestore.Record) bool
	taken  func(id string) bool
	routes router
}

// Options configure an API.
type Options struct {
	Store *notestore.Store
	// Hides reports whether a note is hidden from agents; nil hides nothing. No answer
	// depends on a hidden note, and no write touches one.
	Hides func(workspace string, r notestore.Record) bool
	// IsTaken reports whether no workspace may get an id, because another database has
	// it; nil: every id is free.
	IsTaken func(id string) bool
}

// New makes the API of a store.
func New(o Options) *API {
	return &API{store: o.Store, hides: o.Hides, taken: o.IsTaken, routes: newRouter()}
}

// An Overlay answers requests like the workspaces themselves, but what they write
// stays apart until [Overlay.Commit], and only the Overlay's own requests see it. It
// holds no transaction and no lock, and is dropped by not committing it. It is for
// one goroutine.
type Overlay struct {
	api   *API
	draft *notestore.Draft
	known map[string]bool // workspaces that exist: a script asks for its own again and again
}

// Begin makes an Overlay without writes.
func (a *API) Begin(c Caller) *Overlay {
	return newOverlay(a, a.store.Begin(notestore.View{Hides: a.hides, Author: c.Author, Run: c.Run, Began: c.Began, Seed: c.Seed}))
}

func newOverlay(a *API, d *notestore.Draft) *Overlay {
	return &Overlay{api: a, draft: d, known: map[string]bool{}}
}

// Serve answers one request, and commits what it writes.
func (a *API) Serve(ctx context.Context, c Caller, r Request) Response {
	o := a.Begin(c)
	answer := o.Serve(ctx, r)
	if answer.Status >= http.StatusBadRequest {
		return answer
	}
	if err := o.Commit(ctx); err != nil {
		return ErrorResponse(err)
	}
	return answer
}

// Changes are what Commit would write: of notes WORKSPACE/NOTE, of other things
// WORKSPACE/class:NAME, link:ID, attachment:ID, script:NAME and workspace:.
func (o *Overlay) Changes() ([]tools.Change, error) { return o.draft.Changes() }

// ChangedNotes is how many notes the Overlay changes.
func (o *Overlay) ChangedNotes() int { return notestore.ChangedNotes(o.draft) }

// ChangesNote reports whether the Overlay changes a note.
func (o *Overlay) ChangesNote(workspace, id string) bool {
	return notestore.ChangesNote(o.draft, workspace, id)
}

// Draft is what the Overlay writes to, for what no route does.
func (o *Overlay) Draft() *notestore.Draft { return o.draft }

// Commit writes everything as one, or nothing if somebody else has changed what the
// Overlay read for a write: a [notestore.ConflictError]. [ErrorResponse] tells it.
func (o *Overlay) Commit(ctx context.Context) error { return o.draft.Commit(ctx) }

// State returns what the target of a Change holds now, hidden or not.
func (a *API) State(ctx context.Context, target string) (tools.State, error) {
	return a.store.Begin(notestore.View{}).State(ctx, target)
}

// Restore makes an Overlay that takes every target from its Before to its After; a
// [notestore.ConflictError] if one does not hold its Before. It restores what is hidden too.
func (a *API) Restore(ctx context.Context, c Caller, changes []tools.Change) (*Overlay, error) {
	o := newOverlay(a, a.store.Begin(notestore.View{Author: c.Author, Run: c.Run, Began: c.Began, Seed: c.Seed}))
	return o, o.draft.Restore(ctx, changes)
}

// A call is a request on its way.
type call struct {
	ctx       context.Context
	api       *API
	draft     *notestore.Draft
	known     map[string]bool // as in Overlay
	request   Request
	names     PathNames
	workspace string   // it exists; empty: the path names none
	note      NoteName // of the note that was read
	next      string   // cursor of the next part of the list; empty: there is none
}

// Serve answers one request.
func (o *Overlay) Serve(ctx context.Context, r Request) Response {
	var room pathParts
	route, parts, err := o.api.routes.find(r.Method, r.Path, &room)
	if err != nil {
		return ErrorResponse(err)
	}
	c := &call{ctx: ctx, api: o.api, draft: o.draft, known: o.known, request: r, names: newPathNames(route, parts)}
	answer, err := c.serve(route)
	if err != nil {
		return ErrorResponse(err)
	}
	response := Response{Status: route.Status, Note: c.note}
	if c.next != "" {
		query := url.Values{}
		maps.Copy(query, r.Query)
		query.Set("cursor", c.next)
		response.Header = map[string]string{"Link": fmt.Sprintf("<%s?%s>; rel=\"next\"", r.Path, query.Encode())}
	}
	switch answer := answer.(type) {
	case nil:
	case json.RawMessage:
		response.Body = answer
	default:
		if response.Body, err = json.Marshal(answer); err != nil {
			return ErrorResponse(err)
		}
	}
	return response
}

func (c *call) serve(route *handledRoute) (any, error) {
	if id := c.names.Get("workspace_id"); strings.HasPrefix(route.Path, "/workspaces/{") {
		if err := c.openWorkspace(id); err != nil {
			return nil, err
		}
	}
	if route.Body == "" && len(c.request.Body) > 0 && string(c.request.Body) != "null" {
		return nil, badRequest("%s %s takes no body", route.Method, route.Path)
	}
	for name := range c.request.Query {
		if !strings.Contains(route.Query, name+"?:") && !strings.Contains(route.Query, name+":") {
			return nil, badRequest("the query has an unknown parameter %q; the route takes: %s", name, cmp.Or(route.Query, "none"))
		}
	}
	return route.handle(c)
}

func (c *call) openWorkspace(id string) error {
	if !notestore.IsID(id) {
		return badRequest("%q is not the id of a workspace (want letters, digits, _ and -)", id)
	}
	if !c.known[id] {
		doc, err := c.draft.Document(c.ctx, id, notestore.WorkspaceKind, "")
		if err != nil {
			return err
		}
		if doc == nil {
			return notFound("there is no workspace %q; GET /workspaces lists them", id)
		}
		c.known[id] = true
	}
	c.workspace = id
	return nil
}

// An Error is an answer that is not what was asked for.
type Error struct {
	Status int
	Detail any // a sentence, or an object with message
}

func (e *Error) Error() string {
	if m, is := e.Detail.(map[string]any); is {
		return fmt.Sprint(m["message"])
	}
	return fmt.Sprint(e.Detail)
}

func badRequest(format string, args ...any) error {
	return &Error{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &Error{http.StatusNotFound, fmt.Sprintf(format, args...)}
}

func conflict(format string, args ...any) error {
	return &Error{http.StatusConflict, fmt.Sprintf(format, args...)}
}

// ErrorResponse is the answer that tells an error: one of Commit or Restore, too. What
// is not for callers is a 500 without detail.
func ErrorResponse(err error) Response {
	e, is := errors.AsType[*Error](err)
	if changed, other := errors.AsType[*notestore.ConflictError](err); other && !is {
		e, is = conflictError(changed), true
	}
	hidden := errors.Is(err, notestore.ErrHidden)
	switch {
	case is:
	case hidden:
		e = &Error{http.StatusForbidden, "the user has hidden something that this would change; use another id, or leave out what makes it " +
			"hidden"}
	case errors.Is(err, notestore.ErrCursor):
		e = &Error{http.StatusBadRequest, err.Error()}
	case errors.Is(err, notestore.ErrNotFound):
		e = &Error{http.StatusNotFound, err.Error()}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled): // the gate of a write cancels at a deadline, too
		e = &Error{http.StatusGatewayTimeout, "the time of the request was over"}
	default:
		e = &Error{http.StatusInternalServerError, "internal error"}
	}
	body, err := json.Marshal(map[string]any{"detail": e.Detail})
	if err != nil {
		body = []byte(`{"detail":"internal error"}`)
	}
	return Response{Status: e.Status, Body: body, Hidden: hidden}
}

// conflictError tells what is there now, so that the caller can merge.
func conflictError(e *notestore.ConflictError) *Error {
	detail := map[string]any{"message": e.Error(), "workspace_id": e.Workspace, "id": e.ID}
	if e.Kind == "" {
		detail["current_revision"] = nil
		if e.Current != nil {
			detail["current_revision"] = newNoteAnswer(*e.Current, notetext.Parse(e.Current.Text))
		}
	}
	return &Error{http.StatusConflict, detail}
}
