package org

import (
	"context"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgedit"
)

// A position is where among its siblings a headline goes: the end when omitted.
type position string

const (
	atStart    position = "start"
	atEnd      position = "end"
	inDateTree position = "datetree"
)

// JSONSchema implements [tools.SchemaProvider].
func (position) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{string(atStart), string(atEnd), string(inDateTree)}}
}

type addTodoIn struct {
	Title     string   `json:"title" jsonschema:"title"`
	TodoState string   `json:"todoState,omitempty" jsonschema:"its state, if any"`
	Tags      []string `json:"tags,omitempty" jsonschema:"tags"`
	Body      string   `json:"body,omitempty" jsonschema:"text"`
	Priority  string   `json:"priority,omitempty" jsonschema:"such as A"`
	Scheduled string   `json:"scheduled,omitempty" jsonschema:"date"`
	Deadline  string   `json:"deadline,omitempty" jsonschema:"date"`
	ParentURI string   `json:"parentUri,omitempty" jsonschema:"headline or file; else the inbox"`
	AfterURI  string   `json:"afterUri,omitempty" jsonschema:"the sibling before it"`
	Position  position `json:"position,omitempty" jsonschema:"among siblings, or in a date tree"`
	DryRun    bool     `json:"dryRun,omitempty" jsonschema:"show the diff"`
}

type addTodoOut struct {
	Success bool   `json:"success" jsonschema:"true"`
	File    string `json:"file" jsonschema:"its file"`
	Title   string `json:"title" jsonschema:"its title"`
	headlineLink
	Diff string `json:"diff,omitempty" jsonschema:"of a dry run"`
	dialect
}

func addTodo() tools.Tool[*Source] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[addTodoIn, addTodoOut]{
		Name: "org-add-todo", Title: "Add a headline", Effect: tools.Writes, Additive: true,
		Selects: []string{"title", "parentUri", "afterUri"},
		Doc:     "Add a headline, with an ID.",
		Errors:  []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{
			"todo_state": "todoState", "parent_uri": "parentUri", "parentURI": "parentUri", "after_uri": "afterUri", "afterURI": "afterUri",
		}),
		Examples: []tools.Example[addTodoIn, addTodoOut]{
			{
				Purpose: "add a task to a project", In: addTodoIn{
					Title: "Call Ines", TodoState: "TODO", Tags: []string{"phone"}, ParentURI: "org://projects.org/headline/Alpha",
				}, AnyAnswer: true,
				Want: addTodoOut{
					Success: true, File: "projects.org", Title: "Call Ines", headlineLink: headlineLink{
						ResourceURI: "org://projects.org/headline/Alpha/Call%20Ines", OrgID: "5f1b2c3d-0000-4000-8000-000000000003", Etag: "9f86d081884c7d65",
					},
				},
			},
			{
				Purpose: "note something in the inbox", In: addTodoIn{Title: "Read about élan", Body: "In the library."}, AnyAnswer: true,
				Want: addTodoOut{Success: true, File: "inbox.org", Title: "Read about élan", headlineLink: exampleLink("")},
			},
		},
	}, (*Source).addTodo), func(s *Source, ctx context.Context, in addTodoIn) ([]string, error) {
		if in.ParentURI == "" && in.AfterURI == "" {
			return []string{s.inbox()}, nil
		}
		return s.targetsOf(ctx, in.ParentURI, in.AfterURI)
	})
}

// inbox is the name of the file for new entries.
func (s *catalog) inbox() string {
	if name, ok := s.nameAt(s.config.Inbox); ok {
		return name
	}
	return s.roots()[0].prefix + s.config.Inbox
}

func (s *editor) addTodo(ctx context.Context, c tools.CallContext, in addTodoIn) (out addTodoOut, err error) {
	if err := checkTitle(in.Title); err != nil {
		return out, err
	}
	if err := checkTags(in.Tags); err != nil {
		return out, err
	}
	out.Success = true
	out.Diff, err = s.edit(ctx, c, WriteOptions{DryRun: in.DryRun}, func(e *edit) error {
		f, place, err := e.place(in.ParentURI, in.AfterURI, in.Position)
		if err != nil {
			return err
		}
		if in.TodoState != "" && !f.File().Settings.Todo.Contains(in.TodoState) {
			return editError(&orgedit.UnknownStateError{State: in.TodoState, Known: f.States()})
		}
		heading := func(title string) string { return "* " + strings.TrimSpace(in.TodoState+" "+title) + "\n" }
		line := heading(strings.TrimSpace(in.Title))
		if err := checkReading(line, heading(plainTitle), &f.File().Settings); err != nil {
			return err
		}
		i, err := f.AddEntry(line, place)
		if err != nil {
			return editError(err)
		}
		if err := e.fill(f, i, in); err != nil {
			return err
		}
		now, shown, err := e.result(f, i)
		if err != nil {
			return err
		}
		out.File, out.Title, out.headlineLink = f.name, now.Text(now.Headlines[shown].Title), s.link(now, shown)
		return nil
	})
	out.dialect = s.dialects().write(out.ResourceURI, out.Diff, map[string]any{"file": baseName(out.File), "title": out.Title})
	return out, err
}

// fill gives a new headline all but its title and state.
func (e *edit) fill(f *editedFile, i int, in addTodoIn) error {
	begin := int(f.File().Headlines[i].Begin)
	e.createIDs(f, begin, begin+1)
	if body := strings.TrimRight(strings.ReplaceAll(in.Body, "\r\n", "\n"), "\n"); body != "" {
		if err := checkBody(body, int(f.File().Headlines[i].Level)); err != nil {
			return err
		}
		end := f.File().EntryEnd(i)
		f.ReplaceText(end, end, body+"\n")
		e.createIDs(f, end, end+len(body))
	}
	if in.Priority != "" {
		if err := f.SetPriority(i, in.Priority); err != nil {
			return editError(err)
		}
	}
	if len(in.Tags) > 0 {
		if err := f.SetTags(i, in.Tags); err != nil {
			return editError(err)
		}
	}
	return e.setDates(f, i, scheduleTaskIn{Scheduled: in.Scheduled, Deadline: in.Deadline})
}

// place finds out where a headline goes: below parent, after a sibling of it, or
// into the inbox.
func (e *edit) place(parentURI, afterURI string, where position) (*editedFile, orgedit.EntryPlace, error) {
	place := orgedit.EntryPlace{Parent: -1, After: -1, First: where == atStart}
	if where == inDateTree {
		place.Day = e.env.Now
	}
	if afterURI != "" && where != "" {
		return nil, place, tools.Errorf(tools.Invalid, "Fields position and %s are mutually exclusive", e.s.config.argument("afterUri"))
	}
	if parentURI == "" && afterURI == "" {
		f, err := e.open(e.s.inbox())
		return f, place, err
	}
	var f *editedFile
	var err error
	if parentURI != "" {
		if f, place.Parent, err = e.at(parentURI, ""); err != nil || afterURI == "" {
			return f, place, err
		}
		if !strings.Contains(afterURI, ":") { // an ID
			afterURI = "org://id/" + afterURI
		}
	}
	sibling, i, err := e.headline(afterURI, "")
	if err != nil {
		return nil, place, err
	}
	if parent := int(sibling.File().Headlines[i].Parent); f != nil && (sibling != f || parent != place.Parent) {
		return nil, place, tools.Errorf(tools.Invalid, "afterUri: that headline is not a child of the parent").
			WithHint("Leave out parentUri, or name one of its children.")
	}
	place.Parent, place.After = -1, i
	return sibling, place, nil
}
