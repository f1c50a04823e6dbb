package org

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

type scheduleTaskIn struct {
	ResourceURI     string `json:"resourceUri" jsonschema:"the headline"`
	Scheduled       string `json:"scheduled,omitempty" jsonschema:"2026-02-01, 2026-02-01 14:00 ++1w -3d, +2d or fri"`
	Deadline        string `json:"deadline,omitempty" jsonschema:"likewise"`
	RemoveScheduled bool   `json:"removeScheduled,omitempty" jsonschema:"remove it"`
	RemoveDeadline  bool   `json:"removeDeadline,omitempty" jsonschema:"remove it"`
	Note            string `json:"note,omitempty" jsonschema:"why"`
	WriteOptions
}

type scheduleTaskOut struct {
	Success   bool   `json:"success" jsonschema:"true"`
	Scheduled string `json:"scheduled,omitempty" jsonschema:"timestamp now"`
	Deadline  string `json:"deadline,omitempty" jsonschema:"timestamp now"`
	headlineLink
	noteHint
	Diff string `json:"diff,omitempty" jsonschema:"of a dry run"`
	dialect
}

func scheduleTask() tools.Tool[*Source] {
	return defineSchedule("org-schedule-task", "Set or remove scheduled date and deadline of a headline.", false)
}

// setPlanning is org-schedule-task by the name that org-mcp has for it.
func setPlanning() tools.Tool[*Source] {
	return defineSchedule("org-set-planning", "Set or remove scheduled date and deadline of a headline, for clients of org-mcp.", true)
}

func defineSchedule(name, doc string, optIn bool) tools.Tool[*Source] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[scheduleTaskIn, scheduleTaskOut]{
		Name: name, Title: "Schedule a task", Effect: tools.Writes, OptIn: optIn, Selects: []string{"resourceUri"},
		Doc:    doc,
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: uriAliases("clear_scheduled removeScheduled", "clear_deadline removeDeadline", "remove_scheduled removeScheduled",
			"remove_deadline removeDeadline"),
		Examples: []tools.Example[scheduleTaskIn, scheduleTaskOut]{
			{
				Purpose: "schedule a task", In: scheduleTaskIn{ResourceURI: "org://projects.org/headline/Alpha/Write%20plan", Scheduled: "2026-03-09"},
				AnyAnswer: true,
				Want:      scheduleTaskOut{Success: true, Scheduled: "<2026-03-09 Mon>", headlineLink: exampleLink("Alpha/Write%20plan")},
			},
		},
	}, (*Source).scheduleTask), func(s *Source, ctx context.Context, in scheduleTaskIn) ([]string, error) {
		return s.targetsOf(ctx, in.ResourceURI)
	})
}

func (s *editor) scheduleTask(ctx context.Context, c tools.CallContext, in scheduleTaskIn) (out scheduleTaskOut, err error) {
	switch {
	case in.Scheduled != "" && in.RemoveScheduled:
		return out, tools.Errorf(tools.Invalid, "Cannot set and clear scheduled in the same call")
	case in.Deadline != "" && in.RemoveDeadline:
		return out, tools.Errorf(tools.Invalid, "Cannot set and clear deadline in the same call")
	case in.Scheduled == "" && in.Deadline == "" && !in.RemoveScheduled && !in.RemoveDeadline:
		return out, tools.Errorf(tools.Invalid, "Provide at least one of scheduled, deadline, removeScheduled, removeDeadline")
	}
	out.Success = true
	out.Diff, err = s.edit(ctx, c, in.WriteOptions, func(e *edit) error {
		f, i, err := e.headline(in.ResourceURI, in.IfMatch)
		if err != nil {
			return err
		}
		e.touch(f, i)
		if err := e.setDates(f, i, in); err != nil {
			return err
		}
		now, shown, err := e.result(f, i)
		if err != nil {
			return err
		}
		out.Scheduled = now.Text(now.PlanningTime(shown, orgfile.Scheduled))
		out.Deadline = now.Text(now.PlanningTime(shown, orgfile.Deadline))
		out.headlineLink, out.noteHint = s.link(now, shown), e.noteHint()
		return nil
	})
	out.dialect = s.dialects().write(out.ResourceURI, out.Diff, map[string]any{
		"scheduled": optional(out.Scheduled), "deadline": optional(out.Deadline),
	})
	return out, err
}

func (e *edit) setDates(f *editedFile, i int, in scheduleTaskIn) error {
	if err := checkLength("note", in.Note, maxValue); err != nil {
		return err
	}
	if in.RemoveScheduled {
		f.RemoveSchedule(i, &in.Note)
	}
	if in.RemoveDeadline {
		f.RemoveDeadline(i, &in.Note)
	}
	if in.Scheduled != "" {
		if err := f.Schedule(i, in.Scheduled, &in.Note); err != nil {
			return tools.Errorf(tools.Invalid, "scheduled: %.300s", err.Error()).WithHint(dateHint)
		}
	}
	if in.Deadline != "" {
		if err := f.SetDeadline(i, in.Deadline, &in.Note); err != nil {
			return tools.Errorf(tools.Invalid, "deadline: %.300s", err.Error()).WithHint(dateHint)
		}
	}
	return nil
}

const dateHint = "A repeater and a warning may follow: 2026-02-01 ++1w -3d."

// result is a file as it will be, and where headline i of the whole file is shown
// in it.
func (e *edit) result(f *editedFile, i int) (now *shownFile, shown int, err error) {
	if now, err = e.present(f); err != nil {
		return nil, 0, err
	}
	shown, ok := now.shownIndex(i)
	if !ok {
		return nil, 0, hiddenError()
	}
	return now, shown, nil
}
