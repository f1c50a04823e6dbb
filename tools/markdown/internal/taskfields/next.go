package taskfields

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A Rule says when a task recurs.
type Rule struct {
	Every    int
	Unit     string // day, week, month or year
	WhenDone bool   // counted from the day on which it is done
}

var everyRule = regexp.MustCompile(`(?i)^every (?:(\d{1,4}) )?(day|week|month|year)s?( when done)?$`)

// ReadRule reads the simple rules: every N days, weeks, months or years.
func ReadRule(text string) (r Rule, ok bool) {
	m := everyRule.FindStringSubmatch(strings.Join(strings.Fields(text), " "))
	if m == nil {
		return r, false
	}
	r = Rule{1, strings.ToLower(m[2]), m[3] != ""}
	if m[1] != "" {
		r.Every, _ = strconv.Atoi(m[1]) // digits
	}
	return r, r.Every > 0
}

// after is a day as much later. A month that is too short has its last day.
func (r Rule) after(day time.Time) time.Time {
	months := 0
	switch r.Unit {
	case "day":
		return day.AddDate(0, 0, r.Every)
	case "week":
		return day.AddDate(0, 0, 7*r.Every)
	case "month":
		months = r.Every
	case "year":
		months = 12 * r.Every
	}
	first := time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, day.Location()).AddDate(0, months, 0)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(day.Day(), last)-1)
}

// ended is what is said of a task that the next one does not have: when it was made and ended, and its id.
var ended = regexp.MustCompile(`(?: *[✅➕❌]\x{fe0f}? *\d{4}-\d\d-\d\d| *[\[(](?:completion|created|cancelled):: *[^\])]*[\])]| +\^[A-Za-z0-9-]+$)`)

// Next is the text of the task that follows one which is done today: its dates are as far
// from each other as they were. The due date is moved by the rule, or else the scheduled or
// the start date.
func Next(text string, f Fields, r Rule, today string) string {
	text = ended.ReplaceAllString(text, "")
	reference := cmp.Or(f.Due, f.Scheduled, f.Start)
	from, err := time.Parse(time.DateOnly, reference)
	if err != nil {
		return text
	}
	base := from
	if r.WhenDone {
		if base, err = time.Parse(time.DateOnly, today); err != nil {
			return text
		}
	}
	to := r.after(base)
	move := func(written string) string {
		return anyDate.ReplaceAllStringFunc(written, func(date string) string {
			old, err := time.Parse(time.DateOnly, date)
			if err != nil {
				return date
			}
			return to.Add(old.Sub(from)).Format(time.DateOnly)
		})
	}
	return moved.ReplaceAllStringFunc(text, move)
}

var (
	anyDate = regexp.MustCompile(`\d{4}-\d\d-\d\d`)
	moved   = regexp.MustCompile(`[📅📆🗓⏳⌛🛫]\x{fe0f}? *\d{4}-\d\d-\d\d|[\[(](?:due|scheduled|start):: *\d{4}-\d\d-\d\d`)
)

// WithDone is the text with the day on which it is done, before a block id at its end.
func WithDone(text, today string, dataview bool) string {
	id := blockID.FindString(text)
	text = strings.TrimRight(strings.TrimSuffix(text, id), " ")
	if dataview {
		return text + " [completion:: " + today + "]" + id
	}
	return text + " ✅ " + today + id
}

// WithoutDone is the text without that day.
func WithoutDone(text string) string { return doneDate.ReplaceAllString(text, "") }

var (
	blockID  = regexp.MustCompile(` +\^[A-Za-z0-9-]+ *$`)
	doneDate = regexp.MustCompile(` *✅\x{fe0f}? *\d{4}-\d\d-\d\d| *[\[(]completion:: *[^\])]*[\])]`)
)
