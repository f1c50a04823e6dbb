// Package workspace is the System for workspaces: notes in Markdown with classes,
// typed properties, links and a history, in a database, and scripts that run over
// them in a sandbox.
//
// It joins its rooms and holds no logic of theirs: internal/notestore keeps the
// notes, internal/notesapi is the REST API as a function, internal/sandbox runs
// scripts. Tools, resources, scripts and HTTP all go through that one API. It does
// not know how it is served. tools/all lists it.
//
// Start reading at [System]. Then read request.go for the tools behind every request
// of scripts and routes, commit.go for how a write is reported and made, run_script.go
// and script_host.go for scripts, facade.go for what they find, notes.go for the small
// tools, paths.go for the names in rules, schedule_run.go for schedules, privacy.go and undo.go.
package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox"
)

// Config holds the keys of a [[source]] table with kind "workspace".
type Config struct {
	Folder       tools.Folder `json:"folder,omitempty" jsonschema:"where the database is; Lectern's own folder of the source when omitted"`
	Database     tools.Secret `json:"database,omitzero" jsonschema:"URL of a PostgreSQL database, instead of a folder"`
	Welcome      bool         `json:"welcome,omitempty" jsonschema:"true: a new workspace begins with a few notes to try things with"`
	ScriptCalls  ScriptSize   `json:"script_calls,omitempty" jsonschema:"how many calls one script may make; 2000 when omitted"`
	ScriptNotes  ScriptSize   `json:"script_notes,omitempty" jsonschema:"how many notes one script may change; 1000 when omitted"`
	OpenLoopback bool         `json:"open_loopback,omitempty" jsonschema:"true: programs on this machine use the REST API without a token"`
}

// databaseFile is the database in a source's folder.
const databaseFile = "workspaces.db"

// Workspaces is an open source: a store of workspaces, of which one has the
// source's name. Its methods may be called from any goroutine.
type Workspaces struct {
	noteReader
	config    Config
	store     *notestore.Store
	draft     *draftLog // nil: writes are for good
	runs      *scriptRuns
	sandboxes *sharedSandbox
	ids       *workspaceIDs
	owned     *workspaceOwner
	cache     string // folder; empty: none
	privacy   tools.Privacy
	changed   func(uri string)
	calls     tools.ClientCaller // of schedules; nil: there are none
	report    tools.Reporter
	scheduled chan struct{} // cap 1: schedules were changed
	now       func() time.Time
}

// A noteReader reads what agents may see.
type noteReader struct {
	name  string // of the source, and of its own workspace
	api   *notesapi.API
	notes requester // of a draft, with what was written to it
}

// A requester answers requests that read: the API, or what is written on top of it.
type requester interface {
	Serve(ctx context.Context, r notesapi.Request) notesapi.Response
}

// An apiReader answers requests by an API and writes nothing, whatever they ask.
type apiReader struct{ *notesapi.API }

// Serve implements requester.
func (r apiReader) Serve(ctx context.Context, q notesapi.Request) notesapi.Response {
	return r.Begin(notesapi.Caller{}).Serve(ctx, q)
}

// System is workspaces.
func System() tools.Kind { return newSystem(&sharedSandbox{}, &workspaceIDs{}) }

func newSystem(shared *sharedSandbox, ids *workspaceIDs) tools.Kind {
	return tools.Erase(tools.System[*Workspaces, Config]{
		Name:  "workspace",
		Title: "Workspaces",
		Doc: "Notes in Markdown with classes, typed properties, links and a full history, in a database. Good for what agents keep and " +
			"work on, " +
			"and for scripts that read and change many notes at once.",
		Open: func(ctx context.Context, config Config, env tools.Env) (*Workspaces, error) {
			return open(ctx, config, env, shared, ids)
		},
		Detect: func(dir fs.FS) tools.Detection {
			if _, err := fs.Stat(dir, databaseFile); err != nil {
				return tools.Detection{}
			}
			return tools.Detection{Score: 90, Reason: "it has a " + databaseFile}
		},
		ErrorFormat: errorFormat(),
		Tools: append([]tools.Tool[*Workspaces]{
			runScript(), searchNotes(), readNote(), writeNote(), listClasses(), queryNotes(), getLinks(), getHistory(), restoreNote(),
		}, requestTools()...),
		Resources: resources(),
		Prompts:   prompts(),
		Pages:     pages(),
		Problems:  []status.ProblemType{scheduledScriptFailed},
		Checks:    checks(),
		Commands:  commands(),
		Routes:    routes(),
		Folders:   true,
		Sample:    sample(),
	})
}

func open(ctx context.Context, config Config, env tools.Env, shared *sharedSandbox, ids *workspaceIDs) (*Workspaces, error) {
	database, err := env.Reveal(ctx, config.Database)
	if err != nil {
		return nil, err
	}
	switch {
	case strings.HasPrefix(database, "postgres://"), strings.HasPrefix(database, "postgresql://"):
	case database != "":
		return nil, tools.Errorf(tools.Unavailable, "the key database does not refer to a PostgreSQL URL").
			WithHint("Write postgres://USER:PASSWORD@HOST/NAME into what it refers to.")
	default:
		folder := string(config.Folder)
		if folder == "" {
			folder = env.Data
		}
		if folder == "" {
			return nil, tools.Errorf(tools.Unavailable, "there is no folder for the database").WithHint("Set the key folder.")
		}
		database = filepath.Join(folder, databaseFile)
	}
	store, err := notestore.Open(ctx, notestore.Options{Database: database, Now: env.Now})
	if err != nil {
		return nil, tools.Errorf(tools.Unavailable, "open workspaces: %w", err).WithHint("Check the folder or the database.")
	}
	shared.use()
	w := &Workspaces{
		noteReader: noteReader{name: env.Name}, config: config, store: store, runs: newScriptRuns(), sandboxes: shared, ids: ids,
		cache:   env.Cache,
		privacy: env.Privacy, changed: env.ResourceChanged, calls: env.Calls, report: env.Report, scheduled: make(chan struct{}, 1),
		now: env.Now,
	}
	api := notesapi.Options{Store: store, IsTaken: func(id string) bool { return ids.isTaken(w.name, id) }}
	if w.privacy.Any() { // otherwise nothing is read to ask about it
		api.Hides = w.hides
	}
	w.api = notesapi.New(api)
	w.notes = apiReader{w.api}
	if err := w.own(ctx); err != nil {
		_ = w.Close()
		return nil, err
	}
	return w, nil
}

// own has the source own all workspaces in its database, and makes the one with its
// name when it is missing.
func (w *Workspaces) own(ctx context.Context) error {
	docs, err := w.store.Begin(notestore.View{}).Documents(ctx, "", notestore.WorkspaceKind, "", math.MaxInt)
	if err != nil {
		return err
	}
	ids := []string{w.name}
	for _, d := range docs {
		ids = append(ids, d.Workspace)
	}
	if w.owned, err = w.ids.add(w.name, ids); err != nil || slices.Contains(ids[1:], w.name) {
		return err
	}
	if err := w.create(ctx, w.name, w.config.Welcome); err != nil {
		return tools.Errorf(tools.Unavailable, "create the workspace %s: %w", w.name, err).
			WithHint("Give the source another name: letters, digits, - and _.")
	}
	return nil
}

// Close implements [tools.Source].
func (w *Workspaces) Close() error {
	if w.draft != nil {
		return nil // all is the source's own
	}
	w.ids.remove(w.owned)
	err := w.sandboxes.release(context.Background())
	if closed := w.store.Close(); closed != nil {
		return fmt.Errorf("close workspaces: %w", closed)
	}
	return err
}

// Check implements [tools.Source].
func (w *Workspaces) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if a := w.notes.Serve(ctx, notesapi.Request{Method: "GET", Path: "/workspaces"}); a.Status != 200 {
		return tools.Errorf(tools.Unavailable, "the database cannot be read").WithHint("Check the folder or the database.")
	}
	return nil
}

// ErrorObject is an error as the specification writes it.
type ErrorObject struct {
	Error    string            `json:"error" jsonschema:"its name"`
	Message  string            `json:"message" jsonschema:"what is wrong"`
	Hint     string            `json:"hint,omitempty" jsonschema:"what to do next"`
	Line     int               `json:"line,omitempty" jsonschema:"in the script, from 1"`
	Column   int               `json:"column,omitempty" jsonschema:"in the script, from 1"`
	Stack    string            `json:"stack,omitempty" jsonschema:"in the script"`
	Status   int               `json:"status,omitempty" jsonschema:"of the host call that failed"`
	Body     any               `json:"body,omitempty" jsonschema:"answer of that host call"`
	Logs     []sandbox.LogLine `json:"logs,omitempty" jsonschema:"what the console wrote"`
	Usage    *ScriptUsage      `json:"usage,omitempty" jsonschema:"what the script took"`
	Conflict any               `json:"conflict,omitempty" jsonschema:"what an undo found"`
	Applied  any               `json:"applied,omitempty" jsonschema:"of a write without an answer: false, or unknown"`
}

func errorFormat() tools.ErrorFormat {
	words := map[tools.Code]string{
		tools.Invalid: "Invalid", tools.NotFound: "NotFound", tools.Conflict: "Conflict", tools.Denied: "Denied",
		tools.Unavailable: "Unavailable",
		tools.Limited:     "Limited", tools.Timeout: "Timeout", tools.Internal: "Internal",
	}
	return tools.NewErrorFormat(words, func(code string, e *tools.Error) ErrorObject {
		o := ErrorObject{Error: code, Message: e.Message, Hint: e.Hint, Applied: e.Applied}
		if failure, ok := e.Data.(*scriptFailure); ok {
			failure.describe(&o)
		} else {
			o.Conflict = e.Data
		}
		return o
	})
}
