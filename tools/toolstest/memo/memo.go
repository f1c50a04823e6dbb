// Package memo is the template of a System: notes in memory, with every optional
// feature of package tools used once.
//
// It is not part of the product. The suite and the renderers are tested with
// it, so it always works. To add a System, copy this directory to tools/NAME
// and follow CONTRIBUTING.md. To add a tool, write a method on [Memo] and one
// entry in the table below.
//
// Start reading at [SystemWith] and config.go. Then read notes.go for tools that read and
// write, check_links.go for a tool that reports progress, chart_notes.go for one
// that answers with a picture, types.go for arguments with constraints,
// resources.go for resources and prompts, pages.go for browsing on the panel,
// run.go for background work and Problems, checks.go for the doctor,
// commands.go for what a person does from the shell, roles.go for what callers may be, run_steps.go for a tool that calls others and for
// drafts, routes.go for answering HTTP, undo.go for undoing what agents did, and
// privacy.go for what they must not see. [Store] stands for what a real System
// talks to: a folder, another application, a server.
package memo

import (
	"context"
	"io/fs"
	"log/slog"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// Memo is an open source. Its methods are its tools; they may be called from any
// goroutine.
type Memo struct {
	*notebook
	name    string
	key     tools.Secret
	reveal  tools.Reveal
	log     *slog.Logger
	changed func(uri string)
	report  tools.Reporter
	privacy tools.Privacy
}

// System is memo with a store of its own.
func System() tools.Kind { return SystemWith(NewStore()) }

// SystemWith is memo with a given store, which tests inspect from outside. A real
// System has only the function System.
func SystemWith(s *Store) tools.Kind {
	return tools.Erase(tools.System[*Memo, Config]{
		Name:  "memo",
		Title: "Memos",
		Doc:   "Small notes that live as long as the hub does. Good for trying things out, not for keeping them.",
		Open: func(ctx context.Context, config Config, env tools.Env) (*Memo, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := config.check(); err != nil {
				return nil, err
			}
			m := &Memo{
				notebook: s.open(config.notebookName(env.Name), config.Notes), name: env.Name, key: config.Key, reveal: env.Reveal,
				log: env.Log, changed: env.ResourceChanged, report: env.Report, privacy: env.Privacy,
			}
			return m, nil
		},
		CheckConfig: Config.check,
		Detect:      detect,
		ErrorFormat: errorFormat(),
		Tools: []tools.Tool[*Memo]{
			listNotes(), readNote(), writeNote(), deleteNote(), emptyNotebook(), checkLinks(), chartNotes(), runSteps(),
		},
		Resources: resources(),
		Prompts:   prompts(),
		Pages:     pages(),
		Roles:     roles(),
		Checks:    checks(),
		Commands:  commands(),
		Routes:    routes(),
		Problems:  []status.ProblemType{emptyNotes},

		Sample:      sample(),
		Environment: environment(),
	})
}

// Close implements [tools.Source]. There is nothing to release.
func (m *Memo) Close() error { return nil }

// Check implements [tools.Source]. A System of files would check that its folder
// still exists.
func (m *Memo) Check(ctx context.Context) error { return ctx.Err() }

// detect recognises a folder by a file that only memo would have. Usual scores:
// 90 for such a file, 50 for files of the right type, 10 for a guess.
func detect(dir fs.FS) tools.Detection {
	if _, err := fs.Stat(dir, ".memo"); err != nil {
		return tools.Detection{}
	}
	return tools.Detection{Score: 90, Reason: "it has a .memo file"}
}

// ErrorObject is how memo's own specification writes errors.
type ErrorObject struct {
	Code    string `json:"code" jsonschema:"what went wrong, in capitals"`
	Message string `json:"message" jsonschema:"one sentence for a person"`
	Hint    string `json:"hint,omitempty" jsonschema:"what to do next"`
	Applied any    `json:"applied,omitempty" jsonschema:"of a write without an answer: false, or unknown"`
}

// errorFormat translates errors. A System without one answers errors as
// [tools.DefaultErrorObject].
func errorFormat() tools.ErrorFormat {
	words := map[tools.Code]string{
		tools.Invalid: "BAD_ARGUMENT", tools.NotFound: "NO_SUCH_NOTE", tools.Conflict: "NOTE_CHANGED",
		tools.Denied: "NOT_ALLOWED", tools.Unavailable: "NOTEBOOK_CLOSED", tools.Limited: "TOO_MUCH",
		tools.Timeout: "TOO_SLOW", tools.Internal: "INTERNAL_ERROR",
	}
	return tools.NewErrorFormat(words, func(code string, e *tools.Error) ErrorObject {
		return ErrorObject{Code: code, Message: e.Message, Hint: e.Hint, Applied: e.Applied}
	})
}
