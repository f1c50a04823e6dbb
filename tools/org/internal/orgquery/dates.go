package orgquery

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgedit"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

// dateBounds reads dates: "2026-01-07" or "on=today", "from=…", "to=…", or one with
// an operator. Bare numbers count days from today.
func (c *compiler) dateBounds(values []value) ([]bound, error) {
	bounds := make([]bound, len(values))
	for i, v := range values {
		operator := v.operator
		switch {
		case v.key == "from":
			operator = ">="
		case v.key == "to":
			operator = "<="
		case v.key != "" && v.key != "on":
			return nil, c.fault(v.column, "%s: takes a date, or on=, from= and to= with one, not %s=", c.name, v.key)
		}
		text := v.text
		if _, err := strconv.Atoi(text); err == nil && len(text) < 6 {
			if text[0] != '-' && text[0] != '+' {
				text = "+" + text
			}
			text += "d"
		}
		day, err := orgedit.ReadDay(text, c.now)
		if err != nil {
			return nil, c.fault(v.column, "%v", err)
		}
		bounds[i] = bound{operator, int(day)}
	}
	return bounds, nil
}

// compilePlanning looks at SCHEDULED, DEADLINE and CLOSED. "deadline:auto" takes
// what an agenda of today warns of.
func compilePlanning(c *compiler, values []value) (condition, error) {
	kinds := []orgfile.PlanningKind{orgfile.PlanningKind(strings.ToUpper(c.name))}
	if c.name == "planning" {
		kinds = []orgfile.PlanningKind{orgfile.Scheduled, orgfile.Deadline, orgfile.Closed}
	}
	if c.name == "deadline" && len(values) == 1 && values[0].text == "auto" {
		today := c.today
		return func(e *entry) bool { return isNear(e, today) }, nil
	}
	bounds, err := c.dateBounds(values)
	return func(e *entry) bool {
		if e.headline().Planning.Empty() {
			return false
		}
		return slices.ContainsFunc(kinds, func(kind orgfile.PlanningKind) bool {
			t, ok := orgtime.Parse(e.file().Text(e.file().PlanningTime(e.i, kind)))
			return ok && t.Expression == nil && meets(bounds, int(t.Start))
		})
	}, err
}

// isNear says whether the entry is open and its deadline within its warning
// period or over.
func isNear(e *entry, today orgtime.Day) bool {
	t, ok := orgtime.Parse(e.file().Text(e.file().PlanningTime(e.i, orgfile.Deadline)))
	days := e.file().Settings.Agenda.WarningDays
	if t.Warning.Unit != 0 {
		days = t.Warning.Days()
	}
	return ok && t.Expression == nil && !e.headline().Done && int(t.Start-today) <= days
}

// compileStamps looks at all timestamps of the entry, or at its clock lines. Of a
// range each day counts.
func compileStamps(c *compiler, values []value) (condition, error) {
	bounds, err := c.dateBounds(values)
	open := map[string]string{"ts": "<[", "ts-active": "<", "ts-inactive": "[", "clocked": "["}[c.name]
	clocks := c.name == "clocked"
	return func(e *entry) bool {
		text := e.text()
		for at := 0; at < len(text); at++ {
			n := bytes.IndexAny(text[at:], open)
			if n < 0 {
				return false
			}
			at += n
			if clocks && !isClockLine(text[:at]) {
				continue
			}
			if t, ok := orgtime.Parse(lineText(text, at)); ok && t.Expression == nil {
				if rangeMeets(bounds, t.Start, t.End) {
					return true
				}
				at += t.Length - 1
			}
		}
		return false
	}, err
}

// rangeMeets says whether a day of a range meets the bounds.
func rangeMeets(bounds []bound, start, end orgtime.Day) bool {
	if meets(bounds, int(start)) || meets(bounds, int(end)) {
		return true
	}
	return slices.ContainsFunc(bounds, func(b bound) bool {
		return b.n > int(start) && b.n < int(end) && (meets(bounds, b.n) || meets(bounds, b.n+1) || meets(bounds, b.n-1))
	})
}

// isClockLine says whether text ends behind "CLOCK:" at the start of a line.
func isClockLine(text []byte) bool {
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	return strings.TrimSpace(string(line)) == "CLOCK:"
}

// lineText returns the rest of the line at at, bounded by what a timestamp takes.
func lineText(text []byte, at int) string {
	line := text[at:min(len(text), at+200)]
	if n := bytes.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	return string(line)
}
