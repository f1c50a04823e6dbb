// Package memo is the living template of a System: a map of notes in memory
// that uses every optional feature of package tools once.
//
// It is not served to anybody: it is what hub, tui and the suite itself are
// tested with, so it cannot rot. To add a knowledge system, copy this
// directory to tools/NAME and follow CONTRIBUTING.md; to add a tool, write a
// method on [Memo] and one entry in the table below.
//
// Start reading at [SystemWith]; then note.go for tools that read and write, check.go
// for one that reports progress, chart.go for one that answers a picture,
// published.go for resources and prompts, pages.go for the person who looks
// through the notes, keep.go for taking back what agents
// did, and hide.go for what they must not see. [Store] stands for whatever a
// real System talks to: a folder, another application, a server.
package memo

import (
	"context"
	"io/fs"
	"log/slog"

	"github.com/lectern-mcp/lectern/tools"
)

// Config is the keys of a [[source]] table with kind "memo", besides those
// that every source has.
type Config struct {
	Notebook string            `json:"drawer,omitempty" jsonschema:"which drawer of the cupboard to open; the source's name when omitted"`
	Notes    map[string]string `json:"notes,omitempty" jsonschema:"texts by title, to put into a drawer that is new"`
}

// Memo is an opened source. Its methods are its tools; they may be called from
// any goroutine.
type Memo struct {
	*notebook
	name    string
	log     *slog.Logger
	changed func(uri string)
	privacy tools.Privacy
}

// System is memo on a cupboard of its own.
func System() tools.Kind { return SystemWith(NewStore()) }

// SystemWith is memo on a given cupboard, which tests look into from outside. A real
// System has only System.
func SystemWith(c *Store) tools.Kind {
	return tools.Erase(tools.System[*Memo, Config]{
		Name:  "memo",
		Title: "Memos",
		Doc:   "Small notes that live as long as the hub does. Good for trying things out, not for keeping them.",
		Open: func(ctx context.Context, config Config, env tools.Env) (*Memo, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			name := config.Notebook
			if name == "" {
				name = env.Name
			}
			return &Memo{c.open(name, config.Notes), env.Name, env.Log, env.ResourceChanged, env.Privacy}, nil
		},
		Detect:      detect,
		ErrorFormat: errorFormat(),
		Tools: []tools.Tool[*Memo]{
			listNotes(), readNote(), writeNote(), deleteNote(), checkLinks(), chartNotes(),
		},
		Resources: resources(),
		Prompts:   prompts(),
		Pages:     pages(),
	})
}

// Close implements [tools.Source]. There is nothing to let go of.
func (m *Memo) Close() error { return nil }

// Check implements [tools.Source]. A System of files would look whether its
// folder is still there.
func (m *Memo) Check(ctx context.Context) error { return ctx.Err() }

// detect claims a folder by a file that only memo would have. Scores: 90 for
// such a mark, 50 for files of the right kind, 10 for "could be".
func detect(dir fs.FS) tools.Detection {
	if _, err := fs.Stat(dir, ".memo"); err != nil {
		return tools.Detection{}
	}
	return tools.Detection{Score: 90, Reason: "it has a .memo file"}
}

// ErrorObject is the error object of memo's own specification.
type ErrorObject struct {
	Code    string `json:"failed" jsonschema:"what went wrong, in capitals"`
	Message string `json:"says" jsonschema:"one sentence for a person"`
	Hint    string `json:"try,omitempty" jsonschema:"what to do next"`
}

// errorFormat says how memo writes errors. Leave it out, and errors have the
// shape of tools.PlainError.
func errorFormat() tools.ErrorFormat {
	words := map[tools.Code]string{
		tools.Invalid: "BAD_ARGUMENT", tools.NotFound: "NO_SUCH_NOTE", tools.Conflict: "NOTE_CHANGED",
		tools.Denied: "NOT_ALLOWED", tools.Unavailable: "DRAWER_CLOSED", tools.Limited: "TOO_MUCH",
		tools.Timeout: "TOO_SLOW", tools.Internal: "OUR_FAULT",
	}
	return tools.NewErrorFormat(words, func(code string, e *tools.Error) ErrorObject {
		return ErrorObject{Code: code, Message: e.Message, Hint: e.Hint}
	})
}
