package org

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgedit"
)

type updateTodoStateIn struct {
	ResourceURI  string `json:"resourceUri" jsonschema:"the headline"`
	CurrentState string `json:"currentState" jsonschema:"state now; empty: none"`
	NewState     string `json:"newState" jsonschema:"the new one; empty: none"`
	Note         string `json:"note,omitempty" jsonschema:"why"`
	WriteOptions
}

type updateTodoStateOut struct {
	Success       bool   `json:"success" jsonschema:"true"`
	PreviousState string `json:"previousState" jsonschema:"state before"`
	NewState      string `json:"newState" jsonschema:"state now: a repeated task is open again"`
	headlineLink
	noteHint
	Diff string `json:"diff,omitempty" jsonschema:"of a dry run"`
	dialect
}

// A noteHint says that a record was written without the note that it asks for.
type noteHint struct {
	Hint string `json:"hint,omitempty" jsonschema:"what could be given"`
}

func (e *edit) noteHint() noteHint {
	if slices.ContainsFunc(e.files, func(f *editedFile) bool { return f.LacksNote() }) {
		return noteHint{"A note was asked for, and none given: the time is recorded without one. Pass note to say why."}
	}
	return noteHint{}
}

func updateTodoState() tools.Tool[*Source] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[updateTodoStateIn, updateTodoStateOut]{
		Name: "org-update-todo-state", Title: "Change a task's state", Effect: tools.Writes,
		Selects: []string{"resourceUri"},
		Doc: "Change the TODO state of a headline as Emacs does: CLOSED, notes, repeaters, cookies.\nRefused if currentState is not its " +
			"state.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: uriAliases("current_state currentState", "new_state newState"),
		Examples: []tools.Example[updateTodoStateIn, updateTodoStateOut]{
			{
				Purpose: "complete a task", In: updateTodoStateIn{
					ResourceURI: "org://projects.org/headline/Alpha/Write%20plan", CurrentState: "TODO", NewState: "DONE",
				}, AnyAnswer: true,
				Want: updateTodoStateOut{Success: true, PreviousState: "TODO", NewState: "DONE", headlineLink: exampleLink("Alpha/Write%20plan")},
			},
		},
	}, (*Source).updateTodoState), func(s *Source, ctx context.Context, in updateTodoStateIn) ([]string, error) {
		return s.targetsOf(ctx, in.ResourceURI)
	})
}

func exampleLink(path string) headlineLink {
	return headlineLink{ResourceURI: "org://projects.org/headline/" + path, Etag: "9f86d081884c7d65"}
}

func (s *editor) updateTodoState(ctx context.Context, c tools.CallContext, in updateTodoStateIn) (out updateTodoStateOut, err error) {
	out = updateTodoStateOut{Success: true, PreviousState: in.CurrentState}
	out.Diff, err = s.edit(ctx, c, in.WriteOptions, func(e *edit) error {
		f, i, err := e.headline(in.ResourceURI, in.IfMatch)
		if err != nil {
			return err
		}
		if err := e.setState(f, i, in.CurrentState, in.NewState, in.Note); err != nil {
			return err
		}
		now, shown, err := e.result(f, i)
		if err != nil {
			return err
		}
		out.NewState = now.Text(now.Headlines[shown].Keyword)
		out.headlineLink, out.noteHint = s.link(now, shown), e.noteHint()
		return nil
	})
	out.dialect = s.dialects().write(out.ResourceURI, out.Diff, map[string]any{"previous_state": out.PreviousState, "new_state": out.NewState})
	return out, err
}

// setState changes the state of a headline that has the state current.
func (e *edit) setState(f *editedFile, i int, current, state, note string) error {
	file := f.File()
	if actual := file.Text(file.Headlines[i].Keyword); actual != current {
		name := func(state string) string {
			if state == "" {
				return "(no state)"
			}
			return safetext.Truncate(state, 100)
		}
		now, err := e.present(f)
		if err != nil {
			return err
		}
		shown, _ := now.shownIndex(i)
		return &tools.Error{
			Code: tools.Conflict, SpecCode: "State mismatch",
			Message: "State mismatch: expected '" + name(current) + "', found '" + name(actual) + "'",
			Hint:    "Use the state that the headline has.", Data: errorData{actual: &actual, expected: &current, uri: e.s.uri(now, shown)},
		}
	}
	if err := checkLength("note", note, maxValue); err != nil {
		return err
	}
	if err := e.checkBlocked(f, i, state); err != nil {
		return editError(err)
	}
	if err := f.SetState(i, state, &note); err != nil {
		return editError(err)
	}
	e.touch(f, i)
	return nil
}

// checkBlocked tries a change of state on what is shown of a file, where something is
// hidden: only what agents see may block it.
func (e *edit) checkBlocked(f *editedFile, i int, state string) error {
	if f.shown == nil || f.shown.index == nil || !e.s.settings.EnforceDependency {
		return nil
	}
	now, shown, err := e.result(f, i)
	if err != nil {
		return err
	}
	trial, err := orgedit.NewDraft(now.Source, now.Path, e.s.settings, e.s.readSetup, e.env)
	if err != nil {
		return err
	}
	return trial.SetState(shown, state, nil)
}

// touch gives a headline that is changed an ID, where the configuration says so.
func (e *edit) touch(f *editedFile, i int) {
	if policy := idPolicy(e.s.config.IDs); policy == touchIDs || policy == "" && e.s.config.speaksOrgMCP() {
		f.CreateID(i)
	}
}
