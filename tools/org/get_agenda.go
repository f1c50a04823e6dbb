package org

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgagenda"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

// An agendaView is how much an agenda shows.
type agendaView string

// JSONSchema implements [tools.SchemaProvider].
func (agendaView) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"day", "week", "month"}}
}

type getAgendaIn struct {
	View agendaView `json:"view" jsonschema:"how much to show"`
	Date string     `json:"date,omitempty" jsonschema:"a day in it: 2026-03-01, fri, +2d; today when omitted"`
}

// An agendaNode is a headline in the words of the server whose tool this is.
type agendaNode struct {
	Title     string   `json:"title" jsonschema:"title"`
	File      string   `json:"file" jsonschema:"file"`
	Todo      string   `json:"todo,omitempty" jsonschema:"keyword"`
	Priority  string   `json:"priority,omitempty" jsonschema:"priority"`
	Tags      []string `json:"tags,omitempty" jsonschema:"its own"`
	Scheduled string   `json:"scheduled,omitempty" jsonschema:"timestamp"`
	Deadline  string   `json:"deadline,omitempty" jsonschema:"timestamp"`
	URI       string   `json:"uri" jsonschema:"names the headline"`
}

type agendaBlock struct {
	Header string       `json:"header" jsonschema:"the day"`
	Items  []agendaNode `json:"items" jsonschema:"in the order of the agenda"`
}

type getAgendaOut struct {
	View     agendaView    `json:"view" jsonschema:"as asked for"`
	Date     string        `json:"date" jsonschema:"the day it was asked for"`
	StartDay string        `json:"start_day" jsonschema:"the first day"`
	Agenda   string        `json:"agenda" jsonschema:"as Emacs shows it"`
	Days     []agendaBlock `json:"blocks" jsonschema:"by day; days without entries are left out"`
	Note     string        `json:"note,omitempty" jsonschema:"what was left out"`
	dialect
}

func getAgenda() tools.Tool[*Source] {
	return tools.Define(tools.Spec[getAgendaIn, getAgendaOut]{
		Name: "org-get-agenda", Title: "Show the agenda", Effect: tools.Reads, OptIn: true,
		Doc:    "Show the agenda of a day, a week or a month, as text and as headlines by day.",
		Errors: []tools.Code{},
		Redact: getAgendaOut.redact,
		Examples: []tools.Example[getAgendaIn, getAgendaOut]{
			{Purpose: "see a week", In: getAgendaIn{View: "week", Date: "2026-03-02"}, AnyAnswer: true, Want: getAgendaOut{
				View: "week", Date: "2026-03-02", StartDay: "2026-03-02", Agenda: "Week-agenda (W10):\nMonday      2 March 2026 W10\n  projects:   " +
					"Scheduled:  TODO Write plan                                    :work::\n",
				Days: []agendaBlock{{"2026-03-02", []agendaNode{{
					Title: "Write plan", File: "projects.org", Todo: "TODO", Scheduled: "<2026-03-02 Mon>",
					URI: "org://projects.org/headline/Alpha/Write%20plan",
				}}}},
			}},
		},
	}, (*Source).getAgenda)
}

// redact leaves out the entries of covered files, and the text, which has them all.
func (out getAgendaOut) redact(covered func(file string) bool) getAgendaOut {
	var blocks []agendaBlock
	for _, b := range out.Days {
		kept := agendaBlock{Header: b.Header}
		for _, item := range b.Items {
			if covered(item.File) {
				out.Agenda, out.Note = "", redactedNote
				continue
			}
			kept.Items = append(kept.Items, item)
		}
		if len(kept.Items) > 0 {
			blocks = append(blocks, kept)
		}
	}
	out.Days = blocks
	return out
}

// maxAgendaEntries bounds what a whole agenda shows.
const maxAgendaEntries = 400

func (s *agendaReader) getAgenda(ctx context.Context, in getAgendaIn) (getAgendaOut, error) {
	span, err := s.agendaSpan(in.Date, 1)
	if err != nil {
		return getAgendaOut{}, err
	}
	out := getAgendaOut{View: in.View, Date: formatDay(span.First)}
	s.widen(&span, in.View)
	a, err := s.agenda(ctx, nil, agendaRequest{span, pageRange{0, maxAgendaEntries}, func(orgagenda.Kind) bool { return true }})
	if err != nil {
		return out, err
	}
	if a.total > maxAgendaEntries {
		return out, tools.Errorf(tools.Limited, "The agenda has %d entries, more than %d", a.total, maxAgendaEntries).
			WithHint("Ask for a shorter view, or use org-get-agenda-items with limit and cursor.")
	}
	shown := []orgagenda.Entry{}
	said := []dialectNode{}
	for _, e := range a.items {
		f := e.in
		e.View = orgfile.NewView(f.File, nil)
		shown = append(shown, e.Entry)
		if day := formatDay(e.Day); len(out.Days) == 0 || out.Days[len(out.Days)-1].Header != day {
			out.Days = append(out.Days, agendaBlock{Header: day})
		}
		b := &out.Days[len(out.Days)-1]
		b.Items = append(b.Items, s.describeNode(f, e.Headline))
		if s.config.speaksOrgMCP() {
			said = append(said, s.dialects().node(f, e.Headline))
		}
	}
	now := s.now()
	out.StartDay = formatDay(span.First)
	out.Agenda = strings.ToValidUTF8(orgagenda.Format(shown, span, orgtime.Clock(60*now.Hour()+now.Minute())), "\uFFFD")
	out.dialect = s.dialects().answer(func() any {
		header, _, _ := strings.Cut(out.Agenda, "\n")
		seen := map[string]bool{}
		said = slices.DeleteFunc(said, func(n dialectNode) bool { again := seen[n.URI]; seen[n.URI] = true; return again })
		return map[string]any{
			"view": in.View, "date": cmp.Or(in.Date, "today"), "start_day": out.StartDay, "agenda": out.Agenda,
			"blocks": []map[string]any{{"header": header, "items": said}},
		}
	})
	return out, nil
}

// widen makes a span of a day that of the week or month that it is in.
func (s *agendaReader) widen(span *orgagenda.Span, view agendaView) {
	day := span.First.Date()
	switch view {
	case "week":
		span.Days = 7
		if start := s.settings.Agenda.StartWeekday; start >= 0 {
			span.First -= orgtime.Day((int(day.Weekday()) - start + 7) % 7)
		}
	case "month":
		span.First = orgtime.NewDay(day.Year(), day.Month(), 1)
		span.Days = time.Date(day.Year(), day.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
	}
}

func (s *agendaReader) describeNode(f *shownFile, i int) agendaNode {
	h := &f.Headlines[i]
	return agendaNode{
		Title: f.Text(h.Title), File: f.name, Todo: f.Text(h.Keyword), Priority: f.Text(h.Priority), Tags: f.LocalTags(i),
		Scheduled: f.Text(f.PlanningTime(i, orgfile.Scheduled)), Deadline: f.Text(f.PlanningTime(i, orgfile.Deadline)), URI: s.uri(f, i),
	}
}

// label is what Emacs writes in front of an entry, without padding.
func label(prefix string) string {
	return strings.Join(strings.Fields(strings.TrimSuffix(strings.TrimSpace(prefix), ":")), " ")
}
