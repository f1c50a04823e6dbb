package workspace

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// scheduleDays are the days on which a script runs, as they are kept: days of the week
// such as "mon,wed", or days of the month such as "1,15" and "last". Empty: every day.
type scheduleDays string

const (
	lastOfMonth = "last"
	// longestWait is within how many days every schedule has one: not every month has a
	// 31st, but of two that follow each other one does.
	longestWait = 63
)

// parseDays reads "mon-fri", "sat,sun", "weekdays", "1,15" or "last".
func parseDays(text string) (scheduleDays, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	switch text {
	case "weekdays":
		text = "mon-fri"
	case "weekend":
		text = "sat,sun"
	}
	var weekdays, monthDays []int
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		from, to, isRange := strings.Cut(part, "-")
		first, last := weekdayOf(from), weekdayOf(to)
		day, notNumber := strconv.Atoi(part)
		switch {
		case part == lastOfMonth:
			monthDays = append(monthDays, 32)
		case notNumber == nil && day >= 1 && day <= 31:
			monthDays = append(monthDays, day)
		case first >= 0 && !isRange:
			weekdays = append(weekdays, first)
		case first >= 0 && last >= 0:
			for d := first; ; d = (d + 1) % 7 {
				if weekdays = append(weekdays, d); d == last {
					break
				}
			}
		default:
			return "", wrongDays(text)
		}
	}
	if len(weekdays) > 0 && len(monthDays) > 0 {
		return "", wrongDays(text)
	}
	return newScheduleDays(weekdays, monthDays), nil
}

func wrongDays(text string) error {
	return tools.Errorf(tools.Invalid, "%.40q are not days for a schedule", text).
		WithHint("Write days of the week, such as mon, mon-fri or sat,sun, or days of the month, such as 1, 1,15 or last.")
}

// newScheduleDays writes days in order and once. Monday is the first of a week.
func newScheduleDays(weekdays, monthDays []int) scheduleDays {
	slices.SortFunc(weekdays, func(a, b int) int { return (a+6)%7 - (b+6)%7 })
	slices.Sort(monthDays)
	var names []string
	for _, d := range slices.Compact(weekdays) {
		names = append(names, shortName(time.Weekday(d)))
	}
	for _, d := range slices.Compact(monthDays) {
		if d > 31 {
			names = append(names, lastOfMonth)
		} else {
			names = append(names, strconv.Itoa(d))
		}
	}
	return scheduleDays(strings.Join(names, ","))
}

// weekdayOf is the number of a day of the week, by its name or the beginning of that;
// -1: there is none.
func weekdayOf(name string) int {
	for d := time.Sunday; d <= time.Saturday && len(name) >= 3; d++ {
		if strings.HasPrefix(strings.ToLower(d.String()), name) {
			return int(d)
		}
	}
	return -1
}

// shortName is sun for [time.Sunday].
func shortName(d time.Weekday) string { return strings.ToLower(d.String()[:3]) }

// includes reports whether a script runs on a day.
func (d scheduleDays) includes(day time.Time) bool {
	if d == "" {
		return true
	}
	for name := range strings.SplitSeq(string(d), ",") {
		isLast := day.AddDate(0, 0, 1).Day() == 1
		if name == shortName(day.Weekday()) || name == strconv.Itoa(day.Day()) || name == lastOfMonth && isLast {
			return true
		}
	}
	return false
}

// String is the days as a person reads them: three days of the week that follow each
// other, or more, by the first and the last.
func (d scheduleDays) String() string {
	names := strings.Split(string(d), ",")
	if weekdayOf(names[0]) < 0 {
		return "on day " + strings.Join(names, ", ") + " of the month"
	}
	var parts []string
	for i := 0; i < len(names); {
		end := i
		for end+1 < len(names) && weekdayOf(names[end+1]) == (weekdayOf(names[end])+1)%7 {
			end++
		}
		if end-i < 2 {
			end = i
			parts = append(parts, names[i])
		} else {
			parts = append(parts, names[i]+"-"+names[end])
		}
		i = end + 1
	}
	return strings.Join(parts, ", ")
}
