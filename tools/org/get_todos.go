package org

import (
	"context"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

type getTodosIn struct {
	Files     []string    `json:"files,omitempty" jsonschema:"only in these"`
	States    []string    `json:"states,omitempty" jsonschema:"one of these; else open ones"`
	Tags      []string    `json:"tags,omitempty" jsonschema:"all of them"`
	Scheduled *dateRange  `json:"scheduled,omitempty" jsonschema:"scheduled then"`
	Deadline  *dateRange  `json:"deadline,omitempty" jsonschema:"due then"`
	Repeats   bool        `json:"expandRepeats,omitempty" jsonschema:"repetitions too"`
	Limit     tools.Limit `json:"limit,omitempty" jsonschema:"maximum"`
	Cursor    Cursor      `json:"cursor,omitempty" jsonschema:"nextCursor"`
}

// A dateRange is days, the first and last included.
type dateRange struct {
	From string `json:"from,omitempty" jsonschema:"YYYY-MM-DD"`
	To   string `json:"to,omitempty" jsonschema:"YYYY-MM-DD"`
}

func getTodos() tools.Tool[*Source] {
	return tools.Define(tools.Spec[getTodosIn, headlineList]{
		Name: "org-get-todos", Title: "List tasks", Effect: tools.Reads,
		Doc:       "List tasks by state, tags and dates.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{"expand_repeats": "expandRepeats"}),
		Redact:    headlineList.redact,
		Examples: []tools.Example[getTodosIn, headlineList]{
			{
				Purpose: "list what is open", In: getTodosIn{Tags: []string{"work"}}, AnyAnswer: true,
				Want: headlineList{Items: []Headline{exampleHeadline()}, Total: 1},
			},
			{
				Purpose: "list what is due in a month", In: getTodosIn{Deadline: &dateRange{"2026-03-01", "2026-03-31"}}, AnyAnswer: true,
				Want: headlineList{Items: []Headline{exampleHeadline()}, Total: 1},
			},
		},
	}, (*Source).getTodos)
}

func (s *reader) getTodos(ctx context.Context, in getTodosIn) (headlineList, error) {
	scheduled, err := in.Scheduled.parse("scheduled")
	if err != nil {
		return headlineList{}, err
	}
	deadline, err := in.Deadline.parse("deadline")
	if err != nil {
		return headlineList{}, err
	}
	if err := s.checkStates(ctx, in.Files, "states", in.States); err != nil {
		return headlineList{}, err
	}
	return s.list(ctx, in.Files, in.Limit, in.Cursor, func(f *shownFile) []int {
		chosen := f.Select(orgfile.Selection{States: in.States, Open: len(in.States) == 0, Tags: in.Tags, Archived: f.archived})
		return slices.DeleteFunc(chosen, func(i int) bool {
			return f.Headlines[i].Keyword.Empty() || !scheduled.includes(f, i, orgfile.Scheduled, in.Repeats) ||
				!deadline.includes(f, i, orgfile.Deadline, in.Repeats)
		})
	})
}

// checkStates refuses states that filter, if none of the files knows them.
func (s *reader) checkStates(ctx context.Context, files []string, argument string, states []string) error {
	unknown := slices.DeleteFunc(slices.Clone(states), s.settings.Todo.Contains)
	if len(unknown) == 0 && len(files) == 0 {
		return nil
	}
	names, err := s.chosenFiles(ctx, files)
	if err != nil {
		return err
	}
	settings := make([]*orgfile.TodoKeywords, len(names)) // of files that could be read
	if err := s.eachFile(ctx, names, func(n int, f *shownFile) { settings[n] = &f.Settings.Todo }); err != nil {
		return err
	}
	var known []string
	if len(files) == 0 {
		settings = append(settings, &s.settings.Todo)
	}
	for _, todo := range settings {
		if todo != nil {
			known = append(known, slices.Concat(todo.Names(false), todo.Names(true))...)
		}
	}
	for _, state := range states {
		if !slices.Contains(known, state) {
			slices.Sort(known)
			return tools.Errorf(tools.Invalid, "%s: %.40q is not a TODO state of these files", argument, state).
				WithHint("They have %q.", slices.Compact(known))
		}
	}
	return nil
}

// daySpan is a parsed dateRange; nil: every headline, with or without a date.
type daySpan struct{ from, to orgtime.Day }

const (
	firstDay orgtime.Day = -1 << 30
	lastDay  orgtime.Day = 1 << 30
)

func (r *dateRange) parse(name string) (*daySpan, error) {
	if r == nil {
		return nil, nil //nolint:nilnil // no range was given
	}
	span := daySpan{firstDay, lastDay}
	for _, end := range []struct {
		text, name string
		day        *orgtime.Day
	}{{r.From, ".from", &span.from}, {r.To, ".to", &span.to}} {
		if end.text == "" {
			continue
		}
		t, err := time.Parse(time.DateOnly, end.text)
		if err != nil {
			return nil, tools.Errorf(tools.Invalid, "%s%s: %.40q is not a date such as 2026-03-01", name, end.name, end.text)
		}
		*end.day = dayOf(t)
	}
	if span.from > span.to {
		return nil, tools.Errorf(tools.Invalid, "%s: from is later than to", name)
	}
	return &span, nil
}

// maxExpanded is how many days behind a date, or the first day of a range, repetitions
// are looked for.
const maxExpanded = 3660

// includes reports whether a headline's date of a kind lies in the range, or with
// repeats one of its repetitions.
func (s *daySpan) includes(f *shownFile, i int, kind orgfile.PlanningKind, repeats bool) bool {
	if s == nil {
		return true
	}
	t, ok := orgtime.Parse(f.Text(f.PlanningTime(i, kind)))
	if !ok || t.Expression != nil || t.Start > s.to {
		return false
	}
	if t.Start >= s.from {
		return true
	}
	for day := s.from; repeats && day <= min(s.to, s.from+maxExpanded); day++ {
		if yes, _ := t.Falls(day); yes {
			return true
		}
	}
	return false
}
