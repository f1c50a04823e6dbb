package org

import (
	"context"
	"fmt"

	"github.com/lectern-mcp/lectern/tools"
)

// A bulkEdit changes one headline. What is omitted stays.
type bulkEdit struct {
	ResourceURI     string             `json:"resourceUri" jsonschema:"the headline"`
	IfMatch         string             `json:"ifMatch,omitempty" jsonschema:"etag"`
	CurrentState    string             `json:"currentState,omitempty" jsonschema:"its state now, with newState"`
	NewState        string             `json:"newState,omitempty" jsonschema:"the new one"`
	Note            string             `json:"note,omitempty" jsonschema:"why"`
	Scheduled       string             `json:"scheduled,omitempty" jsonschema:"date"`
	Deadline        string             `json:"deadline,omitempty" jsonschema:"date"`
	RemoveScheduled bool               `json:"removeScheduled,omitempty" jsonschema:"remove it"`
	RemoveDeadline  bool               `json:"removeDeadline,omitempty" jsonschema:"remove it"`
	Priority        string             `json:"priority,omitempty" jsonschema:"such as A"`
	AddTags         []string           `json:"addTags,omitempty" jsonschema:"tags to add"`
	RemoveTags      []string           `json:"removeTags,omitempty" jsonschema:"tags to remove"`
	Properties      map[string]*string `json:"properties,omitempty" jsonschema:"new values by key"`
}

// bulkUpdateIn are the arguments of org-bulk-update.
type bulkUpdateIn struct {
	Edits  []bulkEdit `json:"edits" jsonschema:"in their order, at most 200"`
	DryRun bool       `json:"dryRun,omitempty" jsonschema:"show the diff"`
}

type bulkUpdateOut struct {
	Success bool           `json:"success" jsonschema:"true"`
	Items   []headlineLink `json:"items" jsonschema:"the headlines, in the order of the edits"`
	noteHint
	Diff string `json:"diff,omitempty" jsonschema:"of a dry run"`
}

const maxEdits = 200

func bulkUpdate() tools.Tool[*Source] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[bulkUpdateIn, bulkUpdateOut]{
		Name: "org-bulk-update", Title: "Change many headlines", Effect: tools.Writes, OptIn: true,
		Selects:   []string{"edits.resourceUri"},
		Doc:       "Change states, dates, tags, priorities and properties of many headlines, all or none.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(nil),
		Examples: []tools.Example[bulkUpdateIn, bulkUpdateOut]{
			{
				Purpose: "complete a task and tag another", In: bulkUpdateIn{Edits: []bulkEdit{
					{ResourceURI: "org://projects.org/headline/Beta/Paint%20the%20door", CurrentState: "TODO", NewState: "DONE"},
					{ResourceURI: "org://projects.org/headline/Alpha", AddTags: []string{"urgent"}},
				}}, AnyAnswer: true,
				Want: bulkUpdateOut{Success: true, Items: []headlineLink{exampleLink("Alpha")}},
			},
		},
	}, (*Source).bulkUpdate), func(s *Source, ctx context.Context, in bulkUpdateIn) ([]string, error) {
		var uris []string
		for _, edit := range in.Edits {
			uris = append(uris, edit.ResourceURI)
		}
		return s.targetsOf(ctx, uris...)
	})
}

func (s *editor) bulkUpdate(ctx context.Context, c tools.CallContext, in bulkUpdateIn) (out bulkUpdateOut, err error) {
	if len(in.Edits) == 0 || len(in.Edits) > maxEdits {
		return out, tools.Errorf(tools.Invalid, "edits: 1 to %d, got %d", maxEdits, len(in.Edits))
	}
	out.Success = true
	out.Diff, err = s.edit(ctx, c, WriteOptions{DryRun: in.DryRun}, func(e *edit) error {
		type changed struct {
			file *editedFile
			i    int
		}
		var all []changed
		for n, one := range in.Edits { // each URI and etag is of before the call
			f, i, err := e.headline(one.ResourceURI, one.IfMatch)
			if err != nil {
				return prefixError(fmt.Sprintf("edits[%d]: ", n), err)
			}
			all = append(all, changed{f, i})
		}
		for n, at := range all {
			if err := e.apply(at.file, at.i, in.Edits[n]); err != nil {
				return prefixError(fmt.Sprintf("edits[%d]: ", n), err)
			}
		}
		for _, at := range all {
			now, shown, err := e.result(at.file, at.i)
			if err != nil {
				return err
			}
			out.Items = append(out.Items, s.link(now, shown))
		}
		out.noteHint = e.noteHint()
		return nil
	})
	return out, err
}

// prefixError says which of several edits an error is about.
func prefixError(prefix string, err error) error {
	e := tools.AsError(err)
	if e.Code == tools.Internal || tools.IsHidden(err) {
		return err
	}
	told := *e
	told.Message = prefix + e.Message
	return &told
}

// apply makes one of several edits. None of them adds or moves headlines.
func (e *edit) apply(f *editedFile, i int, one bulkEdit) error {
	if one.NewState != "" {
		if err := e.setState(f, i, one.CurrentState, one.NewState, one.Note); err != nil {
			return err
		}
	}
	dates := scheduleTaskIn{
		Scheduled: one.Scheduled, Deadline: one.Deadline, RemoveScheduled: one.RemoveScheduled, RemoveDeadline: one.RemoveDeadline,
		Note: one.Note,
	}
	if err := e.setDates(f, i, dates); err != nil {
		return err
	}
	if one.Priority != "" {
		if err := f.SetPriority(i, one.Priority); err != nil {
			return editError(err)
		}
	}
	if err := e.changeTags(f, i, one.AddTags, one.RemoveTags); err != nil {
		return err
	}
	e.touch(f, i)
	set, remove := splitProperties(one.Properties)
	return e.setProperties(f, i, set, remove, one.Note)
}
