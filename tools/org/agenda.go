package org

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgagenda"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgedit"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

// A lazyCalendar is made when an agenda first needs it.
type lazyCalendar struct {
	once     sync.Once
	calendar *orgagenda.Calendar
}

func (f *shownFile) calendar() *orgagenda.Calendar {
	f.dates.once.Do(func() { f.dates.calendar = orgagenda.Scan(orgfile.NewView(f.File, nil)) })
	return f.dates.calendar
}

// dayCount is how many days an answer covers.
type dayCount int

// maxAgendaDays is the longest agenda.
const maxAgendaDays = 366

// JSONSchema implements [tools.SchemaProvider].
func (dayCount) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(1.0), Maximum: new(float64(maxAgendaDays))}
}

type agendaItemsIn struct {
	Files            []string    `json:"files,omitempty" jsonschema:"only in these"`
	Days             dayCount    `json:"days,omitempty" jsonschema:"else 7"`
	Date             string      `json:"date,omitempty" jsonschema:"first day, such as fri; else today"`
	IncludeScheduled *bool       `json:"includeScheduled,omitempty" jsonschema:"true when omitted"`
	IncludeDeadlines *bool       `json:"includeDeadlines,omitempty" jsonschema:"true when omitted"`
	Limit            tools.Limit `json:"limit,omitempty" jsonschema:"maximum"`
	Cursor           Cursor      `json:"cursor,omitempty" jsonschema:"nextCursor"`
}

// An agendaItem is an entry of an agenda and its headline.
type agendaItem struct {
	Date     string `json:"date" jsonschema:"the day it is shown on"`
	Kind     string `json:"kind" jsonschema:"scheduled, past-scheduled, deadline, upcoming-deadline, timestamp, block (of a range) or sexp"`
	Time     string `json:"time,omitempty" jsonschema:"10:00, or 10:00-11:30"`
	Days     int    `json:"days,omitempty" jsonschema:"on today: until its date; negative: late by as many"`
	Label    string `json:"label,omitempty" jsonschema:"as Emacs writes it: Sched. 2x, In 3 d., 2 d. ago, (2/3)"`
	Text     string `json:"text,omitempty" jsonschema:"of a diary entry"`
	Headline        // the task
}

type agendaItemsOut struct {
	Items       []agendaItem `json:"items" jsonschema:"by day, in Emacs's order"`
	Total       int          `json:"total" jsonschema:"how many there are"`
	NextCursor  Cursor       `json:"nextCursor,omitempty" jsonschema:"there are more: pass it as cursor"`
	Unsupported []string     `json:"unsupported,omitempty" jsonschema:"diary expressions that only Emacs can evaluate"`
	Note        string       `json:"note,omitempty" jsonschema:"what was left out"`
}

func getAgendaItems() tools.Tool[*Source] {
	return tools.Define(tools.Spec[agendaItemsIn, agendaItemsOut]{
		Name: "org-get-agenda-items", Title: "Read the agenda", Effect: tools.Reads,
		Doc:       "List what is scheduled, due and dated in the next days, as Emacs does.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{"include_scheduled": "includeScheduled", "include_deadlines": "includeDeadlines", "file": "files"}),
		Redact:    agendaItemsOut.redact,
		Examples: []tools.Example[agendaItemsIn, agendaItemsOut]{
			{
				Purpose: "see a week", In: agendaItemsIn{Date: "2026-03-01"}, AnyAnswer: true,
				Want: agendaItemsOut{Items: []agendaItem{exampleAgendaItem()}, Total: 1},
			},
		},
	}, (*Source).getAgendaItems)
}

func exampleAgendaItem() agendaItem {
	h := exampleHeadline()
	h.Heading, h.ResourceURI, h.OrgID = "Write plan", "org://projects.org/headline/Alpha/Write%20plan", ""
	h.Level, h.Scheduled = 2, "<2026-03-02 Mon>"
	return agendaItem{Date: "2026-03-02", Kind: "scheduled", Label: "Scheduled", Headline: h}
}

// redact leaves out the entries of covered files.
func (out agendaItemsOut) redact(covered func(file string) bool) agendaItemsOut {
	shown := out.Items
	out.Items = nil
	for _, item := range shown {
		if !covered(item.File) {
			out.Items = append(out.Items, item)
		}
	}
	if left := len(shown) - len(out.Items); left > 0 {
		out.Total -= left
		out.Unsupported, out.Note = nil, redactedNote
	}
	return out
}

func (s *agendaReader) getAgendaItems(ctx context.Context, in agendaItemsIn) (agendaItemsOut, error) {
	pages, err := newPageRange(in.Limit, in.Cursor)
	if err != nil {
		return agendaItemsOut{}, err
	}
	span, err := s.agendaSpan(in.Date, int(cmp.Or(in.Days, 7)))
	if err != nil {
		return agendaItemsOut{}, err
	}
	a, err := s.agenda(ctx, in.Files, agendaRequest{span, pages, in.wants})
	if err != nil {
		return agendaItemsOut{}, err
	}
	out := agendaItemsOut{Total: a.total, NextCursor: a.next, Unsupported: a.unsupported}
	for i := range a.items {
		e := &a.items[i]
		e.View = orgfile.NewView(e.in.File, nil)
		out.Items = append(out.Items, s.describeEntry(&e.Entry, e.in, span.Today))
	}
	return out, nil
}

// wants reports whether entries of a kind are asked for.
func (in agendaItemsIn) wants(kind orgagenda.Kind) bool {
	switch kind {
	case orgagenda.Scheduled, orgagenda.OverdueScheduled:
		return wants(in.IncludeScheduled)
	case orgagenda.Deadline, orgagenda.UpcomingDeadline:
		return wants(in.IncludeDeadlines)
	case orgagenda.Timestamp, orgagenda.Range, orgagenda.Diary:
	}
	return true
}

// wants reads a boolean that is true when omitted.
func wants(b *bool) bool { return b == nil || *b }

// agendaSpan returns the days from date on, today for "".
func (s *agendaReader) agendaSpan(date string, days int) (orgagenda.Span, error) {
	now := s.now()
	span := orgagenda.Span{Days: days, Today: dayOf(now)}
	span.First = span.Today
	if date == "" {
		return span, nil
	}
	first, err := orgedit.ReadDay(date, now)
	if err != nil {
		return span, tools.Errorf(tools.Invalid, "date: %.200s", err.Error())
	}
	span.First = first
	return span, nil
}

func dayOf(t time.Time) orgtime.Day {
	year, month, day := t.Date()
	return orgtime.NewDay(year, month, day)
}

// agendaFiles are the names of the files that an agenda is made of: those that an
// argument names, or all but archives.
func (s *agendaReader) agendaFiles(ctx context.Context, files []string) ([]string, error) {
	names, err := s.chosenFiles(ctx, files)
	if len(files) == 0 {
		names = slices.DeleteFunc(names, isArchive)
	}
	return names, err
}

func (s *agendaReader) describeEntry(e *orgagenda.Entry, f *shownFile, today orgtime.Day) agendaItem {
	item := agendaItem{
		Date: formatDay(e.Day), Kind: string(e.Kind), Time: e.Time, Label: label(e.Prefix), Headline: s.describe(f, e.Headline),
	}
	if e.Day == today {
		item.Days = int(e.Date - e.Day)
	} else if e.Kind == orgagenda.OverdueScheduled { // Emacs says so of what is on its own day too
		item.Kind = string(orgagenda.Scheduled)
	}
	if e.Kind == orgagenda.Diary {
		item.Text = e.Text()
	}
	return item
}

func formatDay(d orgtime.Day) string { return d.Date().Format("2006-01-02") }
