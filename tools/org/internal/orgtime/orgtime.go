// Package orgtime says on which days an Org timestamp falls: single dates, ranges,
// repeaters and the diary expressions that need no Lisp to understand. Days are
// those of a calendar without time zones. It computes nothing from the clock and
// changes no file (package orgedit shifts repeaters). Queries about dates and the
// agenda import it. Start reading at [Parse].
package orgtime

import (
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
// a year 365.25 days; hours count as whole days.
func (s Step) Days() int {
	switch s.Unit {
	case 'h':
		return s.N / 24
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

	// Overflow lets an occurrence in a month that is too short fall into the next
	// one, as Org 9.5 does, instead of on the month's last day.
	Overflow bool
}

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
	t.parseCookies(first)
	return t, true
}

// parseDay reads the date behind an opening bracket.
func parseDay(text string) (Day, bool) {
	if len(text) < 11 || text[5] != '-' || text[8] != '-' {
		return 0, false
	}
	year, n := parseDigits(text[1:], 4)
	month, m := parseDigits(text[6:], 2)
	day, d := parseDigits(text[9:], 2)
	return NewDay(year, time.Month(month), day), n == 4 && m == 2 && d == 2
}

// parseClock reads the first time of day, and the one that follows it behind a
// hyphen.
func parseClock(text string) (from, to Clock) {
	for i := 1; i < len(text); i++ {
		if !isBlank(text[i-1]) {
			continue
		}
		if c, n := parseTime(text[i:]); n > 0 {
			to = -1
			if rest := text[i+n:]; rest != "" && rest[0] == '-' {
				if end, n := parseTime(rest[1:]); n > 0 {
					to = end
				}
			}
			return c, to
		}
	}
	return -1, -1
}

// parseTime reads "H:MM" or "HH:MM" and returns how long it is, 0 for none.
func parseTime(text string) (Clock, int) {
	hours, n := parseDigits(text, 2)
	if n == 0 || n >= len(text) || text[n] != ':' {
		return -1, 0
	}
	minutes, m := parseDigits(text[n+1:], 2)
	if m != 2 {
		return -1, 0
	}
	return Clock(60*hours + minutes), n + 3
}

// parseCookies reads the first repeater and the first warning period.
func (t *Timestamp) parseCookies(text string) {
	for i := 11; i < len(text); i++ {
		switch {
		case text[i] == '+' && t.Mark == "":
			if step, ok := ParseStep(text[i+1:]); ok {
				t.Repeat, t.Mark = step, "+"
				if c := text[i-1]; c == '+' || c == '.' {
					t.Mark = text[i-1 : i+1]
				}
			}
		case text[i] == '-' && t.Warning.Unit == 0 && isBlank(text[i-1]):
			rest := strings.TrimPrefix(text[i+1:], "-")
			if step, ok := ParseStep(rest); ok {
				t.Warning, t.FirstOnly = step, len(rest) < len(text[i+1:])
			}
		}
	}
}

// ParseStep reads the number, of at most six digits, and the unit at the start of
// text.
func ParseStep(text string) (Step, bool) {
	value, n := parseDigits(text, 6)
	if n == 0 || n >= len(text) || strings.IndexByte("hdwmy", text[n]) < 0 {
		return Step{}, false
	}
	return Step{value, text[n]}, true
}

// parseDigits reads at most limit digits and returns how many they are.
func parseDigits(text string, limit int) (value, n int) {
	for n < len(text) && n < limit && text[n] >= '0' && text[n] <= '9' {
		value = 10*value + int(text[n]-'0')
		n++
	}
	return value, n
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

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

// previousMonths is Previous for a repeater of n months.
func (t *Timestamp) previousMonths(day Day, n int) Day {
	start, end := t.Start.Date(), day.Date()
	months := 12*(end.Year()-start.Year()) + int(end.Month()-start.Month())
	for months -= months % n; months > 0; months -= n {
		if at := t.addMonths(start, months); at <= day {
			return at
		}
	}
	return t.Start
}

func (t *Timestamp) addMonths(start time.Time, months int) Day {
	if t.Overflow {
		return NewDay(start.Year(), start.Month()+time.Month(months), start.Day())
	}
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
	switch t.Repeat.Unit {
	case 'd':
		return t.Previous(day) + Day(n), true
	case 'w':
		return t.Previous(day) + Day(7*n), true
	case 'y':
		n *= 12
		fallthrough
	case 'm':
		start, now := t.Start.Date(), day.Date()
		months := 12*(now.Year()-start.Year()) + int(now.Month()-start.Month()) - 1
		for months = max(0, months-months%n); ; months += n {
			if at := t.addMonths(start, months); at > day {
				return at, true
			}
		}
	}
	for d := day + 1; ; d++ { // hours: within n days
		if t.Previous(d) == d {
			return d, true
		}
	}
}
