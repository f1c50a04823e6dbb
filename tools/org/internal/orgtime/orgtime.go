// Package orgtime says on which days an Org timestamp falls: single dates, ranges,
// repeaters and the diary expressions that need no Lisp to understand. Days are
// those of a calendar without time zones. It computes nothing from the clock and
// changes no file (package orgedit shifts repeaters). Queries about dates and the
// agenda import it. Start reading at [Parse].
package orgtime

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools/org/internal/lispdata"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A Day counts days since 1970-01-01 and may be negative.
type Day int

// NewDay returns the day of a date. A month or day out of range counts on.
func NewDay(year int, month time.Month, day int) Day {
	return Day(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// Date returns the date of a day at midnight, UTC.
func (d Day) Date() time.Time { return time.Unix(int64(d)*86400, 0).UTC() }

// A Step is a length of time as repeaters and warning periods have it.
type Step struct {
	N    int
	Unit byte // h, d, w, m or y; 0 for none
}

// Days returns the step in days, as a warning period counts: a month has 30.4 and
// a year 365.25 days, hours count as none.
func (s Step) Days() int {
	switch s.Unit {
	case 'd':
		return s.N
	case 'w':
		return 7 * s.N
	case 'm':
		return s.N * 304 / 10
	case 'y':
		return s.N * 36525 / 100
	}
	return 0
}

// A Clock is a time of day in minutes, -1 for none.
type Clock int

// A Timestamp is one timestamp or a range of them.
type Timestamp struct {
	Active     bool
	Start, End Day // the same but for a range
	From, To   Clock
	Repeat     Step
	Mark       string // of the repeater: "+", "++" or ".+"
	Warning    Step
	FirstOnly  bool // the warning or delay is for the first occurrence ("--")
	Expression *lispdata.Value
	Length     int // bytes of the text that it took
}

var (
	datePattern    = regexp.MustCompile(`^[<\[]([0-9]{4})-([0-9]{2})-([0-9]{2})`)
	timePattern    = regexp.MustCompile(`[ \t]([0-9]{1,2}):([0-9]{2})(?:-([0-9]{1,2}):([0-9]{2}))?`)
	repeatPattern  = regexp.MustCompile(`(\+\+|\.\+|\+)([0-9]{1,6})([hdwmy])`)
	warningPattern = regexp.MustCompile(`[ \t](--?)([0-9]{1,6})([hdwmy])`)
)

// Parse reads the timestamp at the start of text. ok is false if there is none.
func Parse(text string) (t Timestamp, ok bool) {
	n := orgfile.TimestampLength([]byte(text))
	if n == 0 {
		return t, false
	}
	t = Timestamp{Active: text[0] == '<', From: -1, To: -1, Length: n}
	if sexp, isExpression := strings.CutPrefix(text[:n], "<%%"); isExpression {
		v, err := lispdata.Read(strings.TrimSuffix(sexp, ">"))
		t.Expression = &v
		return t, err == nil
	}
	first, second, isRange := strings.Cut(text[:n], "--"+text[:1])
	if t.Start, ok = parseDay(first); !ok {
		return t, false
	}
	t.End = t.Start
	t.From, t.To = parseClock(first)
	if isRange {
		if t.End, ok = parseDay(text[:1] + second); !ok {
			return t, false
		}
		t.To, _ = parseClock(second)
	}
	if m := repeatPattern.FindStringSubmatch(first); m != nil {
		t.Mark, t.Repeat = m[1], parseStep(m[2:])
	}
	if m := warningPattern.FindStringSubmatch(first); m != nil {
		t.FirstOnly, t.Warning = m[1] == "--", parseStep(m[2:])
	}
	return t, true
}

func parseDay(text string) (Day, bool) {
	m := datePattern.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	n := numbers(m[1:])
	return NewDay(n[0], time.Month(n[1]), n[2]), true
}

func parseClock(text string) (from, to Clock) {
	m := timePattern.FindStringSubmatch(text)
	if m == nil {
		return -1, -1
	}
	n := numbers(m[1:])
	if m[3] == "" {
		return Clock(60*n[0] + n[1]), -1
	}
	return Clock(60*n[0] + n[1]), Clock(60*n[2] + n[3])
}

func parseStep(m []string) Step { return Step{numbers(m[:1])[0], m[1][0]} }

// numbers reads digits; other text is 0.
func numbers(texts []string) []int {
	out := make([]int, len(texts))
	for i, t := range texts {
		out[i], _ = strconv.Atoi(t)
	}
	return out
}

// Falls says whether the timestamp falls on a day: it, a day of its range, or an
// occurrence of its repeater at or after its date. known is false for a diary
// expression that would need Lisp.
func (t *Timestamp) Falls(day Day) (yes, known bool) {
	if t.Expression != nil {
		return expressionFalls(*t.Expression, day)
	}
	if day >= t.Start && day <= t.End {
		return true, true
	}
	return t.Repeat.Unit != 0 && day > t.Start && t.Previous(day) == day, true
}

// Previous returns the last occurrence of a repeating timestamp at or before day,
// or its date if that is later. Without a repeater it is its date.
func (t *Timestamp) Previous(day Day) Day {
	n := t.Repeat.N
	if n <= 0 || day <= t.Start {
		return t.Start
	}
	switch t.Repeat.Unit {
	case 'w':
		n *= 7
		fallthrough
	case 'd':
		return t.Start + (day-t.Start)/Day(n)*Day(n)
	case 'h':
		return t.previousHours(day, n)
	case 'm':
		return t.previousMonths(day, n)
	case 'y':
		return t.previousMonths(day, 12*n)
	}
	return t.Start
}

// previousHours is Previous for a repeater of n hours.
func (t *Timestamp) previousHours(day Day, n int) Day {
	start := 60 * int(max(t.From, 0))
	last := int(day-t.Start)*1440 + 1439 // the last minute of the day
	steps := (last - start/60) / (60 * n)
	return t.Start + Day((start/60+steps*60*n)/1440)
}

// previousMonths is Previous for a repeater of n months. A month that is too short
// has its occurrence on its last day.
func (t *Timestamp) previousMonths(day Day, n int) Day {
	start, end := t.Start.Date(), day.Date()
	months := 12*(end.Year()-start.Year()) + int(end.Month()-start.Month())
	for months -= months % n; months > 0; months -= n {
		if at := addMonths(start, months); at <= day {
			return at
		}
	}
	return t.Start
}

func addMonths(start time.Time, months int) Day {
	first := time.Date(start.Year(), start.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1)
	return NewDay(first.Year(), first.Month(), min(start.Day(), last.Day()))
}

// Next returns the first occurrence after day, and false if there is none.
func (t *Timestamp) Next(day Day) (Day, bool) {
	if day < t.Start {
		return t.Start, true
	}
	n := t.Repeat.N
	if n <= 0 {
		return 0, false
	}
	at := t.Previous(day)
	switch t.Repeat.Unit {
	case 'd':
		return at + Day(n), true
	case 'w':
		return at + Day(7*n), true
	case 'y':
		n *= 12
		fallthrough
	case 'm':
		start, now := t.Start.Date(), at.Date()
		months := 12*(now.Year()-start.Year()) + int(now.Month()-start.Month())
		return addMonths(start, months+n), true
	}
	for d := day + 1; ; d++ { // hours: within n days
		if t.Previous(d) == d {
			return d, true
		}
	}
}
