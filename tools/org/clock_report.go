package org

import (
	"context"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgagenda"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgedit"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

// A clockGroup is what the rows of a clock report stand for.
type clockGroup string

// The groups of a clock report.
const (
	byHeadline clockGroup = "headline"
	byFile     clockGroup = "file"
	byTag      clockGroup = "tag"
)

// JSONSchema implements [tools.SchemaProvider].
func (clockGroup) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{string(byHeadline), string(byFile), string(byTag)}}
}

type clockReportIn struct {
	From    string      `json:"from,omitempty" jsonschema:"first day: 2026-03-01, -7d; all time when from and to are omitted"`
	To      string      `json:"to,omitempty" jsonschema:"last day"`
	Files   []string    `json:"files,omitempty" jsonschema:"only in these"`
	GroupBy clockGroup  `json:"groupBy,omitempty" jsonschema:"what a row is; headline when omitted"`
	Limit   tools.Limit `json:"limit,omitempty" jsonschema:"maximum"`
	Cursor  Cursor      `json:"cursor,omitempty" jsonschema:"nextCursor"`
}

type clockRow struct {
	Name        string `json:"name" jsonschema:"title, file or tag"`
	File        string `json:"file,omitempty" jsonschema:"of a headline or file"`
	Level       int    `json:"level,omitempty" jsonschema:"of a headline"`
	Minutes     int    `json:"minutes" jsonschema:"with all below it"`
	Time        string `json:"time" jsonschema:"the same as H:MM"`
	OwnMinutes  int    `json:"ownMinutes,omitempty" jsonschema:"of a headline, without those below it"`
	Running     bool   `json:"running,omitempty" jsonschema:"its clock runs; that time is not counted"`
	ResourceURI string `json:"resourceUri,omitempty" jsonschema:"names the headline, or the file"`
	OrgID       string `json:"orgId,omitempty" jsonschema:"its ID"`
}

type clockReportOut struct {
	Items      []clockRow `json:"items" jsonschema:"headlines and files in their order, tags by time"`
	Total      int        `json:"total" jsonschema:"how many rows there are"`
	Minutes    int        `json:"minutes" jsonschema:"of all"`
	Time       string     `json:"time" jsonschema:"the same as H:MM"`
	NextCursor Cursor     `json:"nextCursor,omitempty" jsonschema:"there are more: pass it as cursor"`
	Note       string     `json:"note,omitempty" jsonschema:"what was left out"`
}

func clockReport() tools.Tool[*Source] {
	return tools.Define(tools.Spec[clockReportIn, clockReportOut]{
		Name: "org-clock-report", Title: "Report clocked time", Effect: tools.Reads, OptIn: true,
		Doc:       "Add up the time that clocks recorded, by headline, file or tag. The time of an entry counts for each of its tags.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{"group_by": "groupBy", "file": "files"}),
		Redact:    clockReportOut.redact,
		Examples: []tools.Example[clockReportIn, clockReportOut]{
			{
				Purpose: "add up a week by file", In: clockReportIn{From: "2026-03-02", To: "2026-03-08", GroupBy: byFile}, AnyAnswer: true,
				Want: clockReportOut{
					Items: []clockRow{{Name: "projects.org", File: "projects.org", Minutes: 90, Time: "1:30", ResourceURI: "org://projects.org"}},
					Total: 1, Minutes: 90, Time: "1:30",
				},
			},
		},
	}, (*Source).clockReport)
}

// redact leaves out the rows of covered files, and all that was added up over them.
func (out clockReportOut) redact(covered func(file string) bool) clockReportOut {
	shown := len(out.Items)
	out.Items = slices.DeleteFunc(out.Items, func(r clockRow) bool { return r.File != "" && covered(r.File) })
	if left := shown - len(out.Items); left > 0 {
		out.Total, out.Minutes, out.Time, out.Note = out.Total-left, 0, "", redactedNote
	}
	return out
}

func (s *agendaReader) clockReport(ctx context.Context, in clockReportIn) (clockReportOut, error) {
	days, err := s.clockRange(in.From, in.To)
	if err != nil {
		return clockReportOut{}, err
	}
	pages, err := newPageRange(in.Limit, in.Cursor)
	if err != nil {
		return clockReportOut{}, err
	}
	names, err := s.agendaFiles(ctx, in.Files)
	if err != nil {
		return clockReportOut{}, err
	}
	sum := clockSum{tags: map[string]int{}}
	rows, err := findInFiles(ctx, s.catalog, names, pages, func(f *shownFile) []foundClock { return sum.add(readClock(f, days, in.GroupBy)) })
	if err != nil {
		return clockReportOut{}, err
	}
	if in.GroupBy == byTag {
		rows = cut(tagRows(sum.tags), pages)
	}
	out := clockReportOut{Total: rows.total, NextCursor: rows.next, Minutes: sum.minutes, Time: orgtime.FormatDuration(sum.minutes)}
	for _, row := range rows.items {
		out.Items = append(out.Items, s.describeClock(row))
	}
	return out, nil
}

// A fileClock is the time recorded in one file.
type fileClock struct {
	minutes int
	tags    map[string]int
	rows    []foundClock
}

// A clockSum is the time recorded in several files.
type clockSum struct {
	mu      sync.Mutex
	minutes int
	tags    map[string]int
}

// add adds the time of a file and returns its rows.
func (s *clockSum) add(c fileClock) []foundClock {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.minutes += c.minutes
	for tag, minutes := range c.tags {
		s.tags[tag] += minutes
	}
	return c.rows
}

// A foundClock is a row of a report; in is nil if it is of a tag.
type foundClock struct {
	found
	clockRow
}

func readClock(f *shownFile, days *orgagenda.DayRange, group clockGroup) fileClock {
	out := fileClock{tags: map[string]int{}}
	for _, c := range orgagenda.ReportClock(orgfile.NewView(f.File, nil), days) {
		out.minutes += c.Own
		switch group {
		case byFile:
		case byTag:
			for _, tag := range f.AllTags(c.Headline) {
				out.tags[tag] += c.Own
			}
		default:
			out.rows = append(out.rows, foundClock{found{f, c.Headline}, clockRow{Minutes: c.Total, OwnMinutes: c.Own, Running: c.Running}})
		}
	}
	if group == byFile && out.minutes > 0 {
		out.rows = []foundClock{{found{f, -1}, clockRow{Name: f.name, Minutes: out.minutes}}}
	}
	return out
}

// describeClock fills in the row of a headline, or of a file.
func (s *agendaReader) describeClock(row foundClock) clockRow {
	out, f := row.clockRow, row.in
	if f == nil {
		return out
	}
	out.Time, out.File, out.ResourceURI = orgtime.FormatDuration(out.Minutes), f.name, s.uri(f, row.i)
	if row.i >= 0 {
		out.Name, out.Level = f.Text(f.Headlines[row.i].Title), f.ReducedLevel(row.i)
		out.OrgID, _ = f.Property(row.i, "ID")
	}
	return out
}

// tagRows are the tags with time, the longest first.
func tagRows(tags map[string]int) []foundClock {
	var rows []foundClock
	for tag, minutes := range tags {
		if minutes > 0 {
			rows = append(rows, foundClock{clockRow: clockRow{Name: tag, Minutes: minutes, Time: orgtime.FormatDuration(minutes)}})
		}
	}
	slices.SortFunc(rows, func(a, b foundClock) int {
		if a.Minutes != b.Minutes {
			return b.Minutes - a.Minutes
		}
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return rows
}

// clockRange returns the days from one date to another; nil, all time, without any.
func (s *agendaReader) clockRange(from, to string) (*orgagenda.DayRange, error) {
	if from == "" && to == "" {
		return nil, nil //nolint:nilnil // no range was given
	}
	r := orgagenda.DayRange{First: firstDay, Last: lastDay}
	for _, end := range []struct {
		name, text string
		day        *orgtime.Day
	}{{"from", from, &r.First}, {"to", to, &r.Last}} {
		if end.text == "" {
			continue
		}
		day, err := orgedit.ReadDay(end.text, s.now())
		if err != nil {
			return nil, tools.Errorf(tools.Invalid, "%s: %.200s", end.name, err.Error())
		}
		*end.day = day
	}
	return &r, nil
}
