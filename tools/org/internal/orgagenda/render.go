package orgagenda

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgedit"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

// tagsColumn is where tags end in a rendered agenda.
const tagsColumn = 80

// Format writes entries that List returned for span as Emacs shows an agenda. At
// now, a time of day, today's time grid has its mark.
func Format(entries []Entry, span Span, now orgtime.Clock) string {
	var out strings.Builder
	out.WriteString(header(span))
	for day := span.First; day < span.First+orgtime.Day(span.Days); day++ {
		n := 0
		for n < len(entries) && entries[n].Day == day {
			n++
		}
		today := entries[:n]
		entries = entries[n:]
		date := day.Date()
		fmt.Fprintf(&out, "%-10s %2d %s %4d", date.Weekday(), date.Day(), date.Month(), date.Year())
		if date.Weekday() == 1 {
			_, week := date.ISOWeek()
			fmt.Fprintf(&out, " W%02d", week)
		}
		out.WriteByte('\n')
		for _, line := range withGrid(today, day == span.Today, span.Days == 1, now) {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

func header(span Span) string {
	name := map[int]string{1: "Day", 7: "Week", 14: "Fortnight"}[span.Days]
	if name == "" {
		name = fmt.Sprintf("%d days", span.Days)
	}
	_, first := span.First.Date().ISOWeek()
	_, last := (span.First + orgtime.Day(span.Days) - 1).Date().ISOWeek()
	switch {
	case span.Days > 350:
		return name + "-agenda:\n"
	case first == last:
		return fmt.Sprintf("%s-agenda (W%02d):\n", name, first)
	}
	return fmt.Sprintf("%s-agenda (W%02d-W%02d):\n", name, first, last)
}

// withGrid returns the lines of a day. Today's, and those of an agenda of one day,
// have a time grid if one of them has a time.
func withGrid(entries []Entry, today, single bool, now orgtime.Clock) []string {
	var lines []Entry
	timed := slices.ContainsFunc(entries, func(e Entry) bool { return e.minutes != untimed })
	if timed && (today || single) {
		if today {
			lines = append(lines, gridLine(100*int(now/60)+int(now%60), "now - - - - - - - - - - - - - - - - - - - - - - - - -"))
		}
		for hour := 20; hour >= 8; hour -= 2 {
			lines = append(lines, gridLine(100*hour, "----------------"))
		}
	}
	lines = append(lines, entries...)
	for i := range lines {
		lines[i].order = i
	}
	slices.SortFunc(lines, compareEntries)
	out := make([]string, len(lines))
	for i := range lines {
		out[i] = lines[i].line()
	}
	return out
}

func gridLine(minutes int, text string) Entry {
	return Entry{minutes: minutes, Time: fmt.Sprintf("%d:%02d", minutes/100, minutes%100), text: text, hasText: true}
}

// bracketLink matches a link of which a screen shows the description, or else the
// target.
var bracketLink = regexp.MustCompile(`\[\[(?:[^\]]*\]\[([^\[]+?)|([^\]]*))\]\]`)

// line writes one entry.
func (e *Entry) line() string {
	category, tags := "", ""
	if e.View != nil {
		category = e.View.File.Category(e.Headline) + ":"
		tags = displayTags(e.View.File, e.Headline)
	}
	text := fmt.Sprintf("  %-12s", category)
	if e.Time != "" {
		from, to, isRange := strings.Cut(e.Time, "-")
		clock := fmt.Sprintf("%5s......", from)
		if isRange {
			clock = fmt.Sprintf("%5s-%s", from, to)
		}
		text += fmt.Sprintf("%-12s", clock)
	}
	if e.Prefix != "" {
		text += e.Prefix + " "
	}
	text += e.Text()
	if tags != "" {
		text += strings.Repeat(" ", max(1, tagsColumn-orgedit.Columns(bracketLink.ReplaceAllString(text, "$1$2")+tags))) + tags
	}
	return text
}

// displayTags writes tags as an agenda does: the inherited ones end in "::".
func displayTags(f *orgfile.File, i int) string {
	own := f.LocalTags(i)
	inherited := slices.DeleteFunc(f.InheritedTags(i), func(t string) bool { return slices.Contains(own, t) })
	switch {
	case len(inherited)+len(own) == 0:
		return ""
	case len(inherited) == 0:
		return ":" + strings.Join(own, ":") + ":"
	case len(own) == 0:
		return ":" + strings.Join(inherited, ":") + "::"
	}
	return ":" + strings.Join(inherited, ":") + "::" + strings.Join(own, ":") + ":"
}
