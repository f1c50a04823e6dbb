package org

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgagenda"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

type getHabitsIn struct {
	Files  []string    `json:"files,omitempty" jsonschema:"only in these"`
	Days   dayCount    `json:"days,omitempty" jsonschema:"of history, today included; 21 when omitted"`
	Limit  tools.Limit `json:"limit,omitempty" jsonschema:"maximum"`
	Cursor Cursor      `json:"cursor,omitempty" jsonschema:"nextCursor"`
}

type habitItem struct {
	Status      string   `json:"status" jsonschema:"waiting, ready, due (the last day) or overdue"`
	Due         string   `json:"due" jsonschema:"first day to do it again"`
	Latest      string   `json:"latest" jsonschema:"last day before it is overdue"`
	EveryDays   int      `json:"everyDays" jsonschema:"period"`
	AtMostDays  int      `json:"atMostDays,omitempty" jsonschema:"longest period, of .+2d/4d"`
	Done        []string `json:"done,omitempty" jsonschema:"days on which it was done, in the history"`
	OverdueDays int      `json:"overdueDays" jsonschema:"days of the history on which it was overdue"`
	Consistency int      `json:"consistency" jsonschema:"percent of the days of the history on which it was not overdue"`
	Problem     string   `json:"problem,omitempty" jsonschema:"why it cannot be followed; the figures are empty then"`
	Headline             // the task
}

type getHabitsOut struct {
	Items      []habitItem `json:"items" jsonschema:"the most pressing first"`
	Total      int         `json:"total" jsonschema:"how many there are"`
	NextCursor Cursor      `json:"nextCursor,omitempty" jsonschema:"there are more: pass it as cursor"`
	Note       string      `json:"note,omitempty" jsonschema:"what was left out"`
}

func getHabits() tools.Tool[*Source] {
	return tools.Define(tools.Spec[getHabitsIn, getHabitsOut]{
		Name: "org-get-habits", Title: "Read habits", Effect: tools.Reads, OptIn: true,
		Doc: "List habits (STYLE habit, SCHEDULED with a repeater such as .+2d/4d): which are due or overdue, and how regularly they " +
			"were done.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{"file": "files"}),
		Redact:    getHabitsOut.redact,
		Examples: []tools.Example[getHabitsIn, getHabitsOut]{
			{Purpose: "see how habits go", In: getHabitsIn{}, AnyAnswer: true, Want: getHabitsOut{Items: []habitItem{{
				Status: "due", Due: "2026-03-01", Latest: "2026-03-02", EveryDays: 1, AtMostDays: 2, Done: []string{"2026-02-28"}, OverdueDays: 2,
				Consistency: 90, Headline: exampleHeadline(),
			}}, Total: 1}},
		},
	}, (*Source).getHabits)
}

// redact leaves out the habits in covered files.
func (out getHabitsOut) redact(covered func(file string) bool) getHabitsOut {
	shown := len(out.Items)
	out.Items = slices.DeleteFunc(out.Items, func(h habitItem) bool { return covered(h.File) })
	if left := shown - len(out.Items); left > 0 {
		out.Total, out.Note = out.Total-left, redactedNote
	}
	return out
}

// A foundHabit is a headline with the style of a habit.
type foundHabit struct {
	found
	habit *orgagenda.Habit
	err   error
}

func (s *agendaReader) getHabits(ctx context.Context, in getHabitsIn) (getHabitsOut, error) {
	today := dayOf(s.now())
	pages, err := newPageRange(in.Limit, in.Cursor)
	if err != nil {
		return getHabitsOut{}, err
	}
	names, err := s.agendaFiles(ctx, in.Files)
	if err != nil {
		return getHabitsOut{}, err
	}
	all, err := findInFiles(ctx, s.catalog, names, pageRange{0, math.MaxInt}, func(f *shownFile) (list []foundHabit) {
		view := orgfile.NewView(f.File, nil)
		for _, i := range f.Select(orgfile.Selection{Open: true}) {
			if style, _ := f.SelectiveProperty(i, "STYLE"); style == "habit" {
				h, err := orgagenda.ParseHabit(view, i)
				list = append(list, foundHabit{found{f, i}, h, err})
			}
		}
		return list
	})
	if err != nil {
		return getHabitsOut{}, err
	}
	slices.SortStableFunc(all.items, func(a, b foundHabit) int { return cmp.Compare(b.urgency(today), a.urgency(today)) })
	page := cut(all.items, pages)
	out := getHabitsOut{Total: page.total, NextCursor: page.next}
	for _, h := range page.items {
		out.Items = append(out.Items, s.describeHabit(h, today, int(cmp.Or(in.Days, 21))))
	}
	return out, nil
}

func (h foundHabit) urgency(today orgtime.Day) int {
	if h.err != nil {
		return -1 << 30
	}
	return h.habit.Priority(today)
}

func (s *agendaReader) describeHabit(h foundHabit, today orgtime.Day, days int) habitItem {
	item := habitItem{Headline: s.describe(h.in, h.i)}
	if h.err != nil {
		item.Problem = h.err.Error()
		return item
	}
	item.Status, item.EveryDays, item.AtMostDays = string(h.habit.State(today)), h.habit.Every, h.habit.Limit
	item.Due, item.Latest = formatDay(h.habit.Scheduled), formatDay(h.habit.Deadline())
	for n, day := range h.habit.History(today, days) {
		if day.Done {
			item.Done = append(item.Done, formatDay(today-orgtime.Day(days-1-n)))
		}
		if day.State == orgagenda.HabitOverdue {
			item.OverdueDays++
		}
	}
	item.Consistency = 100 * (days - item.OverdueDays) / days
	return item
}
