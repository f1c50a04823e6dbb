package org

import (
	"cmp"
	"context"
	"fmt"
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
		Normalize: aliases(map[string]string{"include_scheduled": "includeScheduled", "include_deadlines": "includeDeadlines", "file": "files"}, "files"),
		Redact:    agendaItemsOut.redact,
		Examples: []tools.Example[agendaItemsIn, agendaItemsOut]{
			{Purpose: "see a week", In: agendaItemsIn{Date: "2026-03-01"}, AnyAnswer: true, Want: agendaItemsOut{Items: []agendaItem{exampleAgendaItem()}, Total: 1}},
		},
	}, (*Source).getAgendaItems)
}

func exampleAgendaItem() agendaItem {
	h := exampleHeadline()
	h.Heading, h.ResourceURI, h.OrgID, h.Level, h.Scheduled = "Write plan", "org://projects.org/headline/Alpha/Write%20plan", "", 2, "<2026-03-02 Mon>"
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
	span, err := s.agendaSpan(in.Date, int(cmp.Or(in.Days, 7)))
	if err != nil {
		return agendaItemsOut{}, err
	}
	a, err := s.agenda(ctx, in.Files, span)
	if err != nil {
		return agendaItemsOut{}, err
	}
	var chosen []orgagenda.Entry
	for _, e := range a.entries {
		if wants(in.IncludeScheduled) || e.Kind != orgagenda.Scheduled && e.Kind != orgagenda.OverdueScheduled {
			if wants(in.IncludeDeadlines) || e.Kind != orgagenda.Deadline && e.Kind != orgagenda.UpcomingDeadline {
				chosen = append(chosen, e)
			}
		}
	}
	part, next, err := page(chosen, in.Limit, in.Cursor)
	out := agendaItemsOut{Total: len(chosen), NextCursor: next, Unsupported: a.unsupported}
	again := s.newPageReader()
	for i := range part {
		if f, ok := again.open(a.files[part[i].File]); ok {
			part[i].View = orgfile.NewView(f.File, nil)
			out.Items = append(out.Items, s.describeEntry(&part[i], f, span.Today))
		}
	}
	return out, err
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

// An agenda is the entries of some files over some days. Their View is nil: the
// files are read again for those that are shown.
type agenda struct {
	entries     []orgagenda.Entry
	files       []fileReference // by Entry.File
	unsupported []string
}

// maxUnsupported bounds how many diary expressions are named.
const maxUnsupported = 20

// agenda makes an agenda of the files of these names; of all but archives for none.
func (s *agendaReader) agenda(ctx context.Context, files []string, span orgagenda.Span) (agenda, error) {
	each, err := inEachFile(ctx, s, files, func(f *shownFile) agenda {
		out := agenda{entries: orgagenda.List(f.calendar(), span), files: []fileReference{f.reference()}}
		for i := range out.entries {
			out.entries[i].View = nil
		}
		for _, u := range f.calendar().Unsupported() {
			out.unsupported = append(out.unsupported, fmt.Sprintf("%s:%d %.200s", f.name, f.Line(int(f.Headlines[u.Headline].Begin)), u.Expression))
		}
		return out
	})
	var all agenda
	sum := 0
	for _, a := range each {
		sum += len(a.entries)
	}
	all.entries = make([]orgagenda.Entry, 0, sum)
	for _, a := range each {
		for i := range a.entries {
			a.entries[i].File = len(all.files)
		}
		all.entries, all.files, all.unsupported = append(all.entries, a.entries...), append(all.files, a.files...), append(all.unsupported, a.unsupported...)
	}
	all.unsupported = all.unsupported[:min(len(all.unsupported), maxUnsupported)]
	orgagenda.Merge(all.entries)
	return all, err
}

// inEachFile calls do for the files of these names, all but archives for none, on
// all processors. The results are in the order of the files.
func inEachFile[T any](ctx context.Context, s *agendaReader, files []string, do func(f *shownFile) T) ([]T, error) {
	names, err := s.chosenFiles(ctx, files)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		names = slices.DeleteFunc(names, isArchive)
	}
	each := make([]T, len(names))
	err = s.eachFile(ctx, names, func(n int, f *shownFile) { each[n] = do(f) })
	return each, err
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
