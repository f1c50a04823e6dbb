package orgedit

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

var (
	relativeSign = regexp.MustCompile(`^[-+]+[0-9]`)
	relativeDate = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([-+]{0,2})([0-9]*)([hdwmy]|sunday|monday|tuesday|wednesday|thursday|friday|saturday|sun|mon|tue|wed|thu|fri|sat)?(?:[ \t]+|$)`)
	})
	isoDate = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:([0-9]{2,4})-)?([0-9]{1,2})-([0-9]{1,2})(?:[ \t]+|$)`)
	})
	slashDate = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([0-9]{1,2})/([0-9]{1,2})(?:/([0-9]{2,4}))?(?:[ \t]+|$)`)
	})
	weekDate = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:([0-9]{4})-)?[wW]([0-9]{1,2})(?:-([0-7]))?(?:[ \t]+|$)`)
	})
	dayName     = regexp.MustCompile(`(?i)^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?(?:[ \t]+|$)`)
	clockTime   = regexp.MustCompile(`(?i)^([0-9]{1,2})(?::([0-9]{2}))?(am|pm)?`)
	dateCookies = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[ \t])((?:\.\+|\+\+)[0-9]+[hdwmy](?:/[0-9]+[hdwmy])?|[-+]{1,2}[0-9]+[hdwmy](?:/[0-9]+[hdwmy])?)`)
	})
)

// cutCookies takes repeater and warning period off a date that a caller gave. A
// leading "+2d" is a relative date, not a repeater.
func cutCookies(when string) (date, repeat string) {
	when = strings.Trim(when, " \t<>[]")
	var found []string
	at := 0
	for {
		m := dateCookies().FindStringSubmatchIndex(when[at:])
		if m == nil {
			break
		}
		if at+m[2] > 0 {
			found = append(found, when[at+m[2]:at+m[3]])
			date := strings.TrimRight(when[:at+m[0]], " \t")
			when, at = date+when[at+m[3]:], len(date)
			continue
		}
		at += m[3]
	}
	return when, strings.Join(found, " ")
}

// readDate reads what Org's date prompt takes: an ISO date, a relative one (+2d,
// ++1w, fri, +2fri, "."), an ISO week (w5), a date with slashes (month first), and
// behind or instead of it a time or a range of times. base is the date that "++"
// counts from.
func readDate(text string, now, base time.Time) (stamp, error) {
	fail := func() (stamp, error) {
		return stamp{}, fmt.Errorf("%q is %w; write 2026-02-01, 2026-02-01 14:00-15:00, +2d, fri or today", text, ErrDate)
	}
	rest := strings.ToLower(strings.TrimSpace(text))
	if rest == "" {
		return fail()
	}
	day := now
	switch {
	case rest == ".":
		rest = ""
	case strings.HasPrefix(rest, "today"):
		rest = strings.TrimSpace(rest[len("today"):])
	case strings.HasPrefix(rest, "tomorrow"):
		day, rest = now.AddDate(0, 0, 1), strings.TrimSpace(rest[len("tomorrow"):])
	default:
		var ok bool
		if day, rest, ok = readDay(rest, now, base); !ok {
			return fail()
		}
	}
	s := stamp{year: day.Year(), month: int(day.Month()), day: day.Day()}
	if dayName.MatchString(rest) {
		rest = rest[len(dayName.FindString(rest)):]
	}
	if rest != "" && !s.readTimes(rest) {
		return fail()
	}
	return s, nil
}

// readDay reads the day at the start of text. Only a time leaves it at now.
func readDay(text string, now, base time.Time) (day time.Time, rest string, ok bool) {
	if m := relativeDate().FindStringSubmatch(text); m != nil && (m[1] != "" && (m[2] != "" || m[3] != "") || len(m[3]) > 1) {
		from := now
		if len(m[1]) == 2 {
			from = base
		}
		return relativeDay(m, from), text[len(m[0]):], true
	}
	if m := weekDate().FindStringSubmatch(text); m != nil {
		day, ok := weekDay(m, now)
		return day, text[len(m[0]):], ok
	}
	if m := isoDate().FindStringSubmatch(text); m != nil {
		day, ok := dayOf(m[1], m[2], m[3], now)
		return day, text[len(m[0]):], ok
	}
	if m := slashDate().FindStringSubmatch(text); m != nil {
		day, ok := dayOf(m[3], m[1], m[2], now)
		return day, text[len(m[0]):], ok
	}
	return now, text, true
}

var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

func relativeDay(m []string, from time.Time) time.Time {
	n := 1
	if m[2] != "" {
		n, _ = strconv.Atoi(m[2])
	}
	back := strings.HasSuffix(m[1], "-")
	if len(m[3]) > 1 {
		wanted := slices.Index(weekdays, m[3][:3])
		delta := (7 + wanted - int(from.Weekday())) % 7
		if delta == 0 {
			delta = 7
		}
		step := 7
		if back {
			step = -7
			if delta -= 7; delta == 0 {
				delta = -7
			}
		}
		if n > 1 {
			delta += (n - 1) * step
		}
		return from.AddDate(0, 0, delta)
	}
	if back {
		n = -n
	}
	switch m[3] {
	case "w":
		return from.AddDate(0, 0, 7*n)
	case "m":
		return from.AddDate(0, n, 0)
	case "y":
		return from.AddDate(n, 0, 0)
	case "h":
		return from
	}
	return from.AddDate(0, 0, n)
}

// weekDay is a day of an ISO week; ok is false if the year has no such week.
func weekDay(m []string, now time.Time) (date time.Time, ok bool) {
	year := now.Year()
	if m[1] != "" {
		year, _ = strconv.Atoi(m[1])
	}
	week, _ := strconv.Atoi(m[2])
	day := 1
	if m[3] != "" {
		day, _ = strconv.Atoi(m[3])
	}
	fourth := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC) // is in week 1
	monday := fourth.AddDate(0, 0, -(int(fourth.Weekday())+6)%7)
	date = monday.AddDate(0, 0, 7*(week-1)+(day+6)%7)
	_, is := date.ISOWeek()
	return date, is == week
}

func dayOf(year, month, day string, now time.Time) (time.Time, bool) {
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	y := now.Year()
	if year != "" {
		y, _ = strconv.Atoi(year)
		if y < 100 {
			y += 2000
		}
	} else if m < int(now.Month()) || m == int(now.Month()) && d < now.Day() {
		y++ // the next day of that name
	}
	at := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return at, m >= 1 && m <= 12 && at.Day() == d
}

// readTimes reads "14:00", "14:00-15:30", "2pm" or "14:00+1:30".
func (s *stamp) readTimes(text string) bool {
	hour, minute, n := readClock(text)
	if n == 0 {
		return false
	}
	s.hasTime, s.hour, s.minute = true, hour, minute
	text = text[n:]
	if text == "" {
		return true
	}
	plus := text[0] == '+'
	text = strings.TrimLeft(text, "-+ \t")
	hour, minute, n = readClock(text)
	if n == 0 && plus {
		h, err := strconv.Atoi(text)
		hour, n = h, len(text)
		if err != nil || h > 23 {
			return false
		}
	}
	if n == 0 || n != len(text) {
		return false
	}
	if plus {
		total := (s.hour+hour)*60 + s.minute + minute
		hour, minute = total/60, total%60
	}
	s.hasEnd, s.endHour, s.endMinute = true, hour, minute
	return true
}

func readClock(text string) (hour, minute, length int) {
	m := clockTime.FindStringSubmatch(text)
	if m == nil || m[2] == "" && m[3] == "" {
		return 0, 0, 0
	}
	hour, _ = strconv.Atoi(m[1])
	minute, _ = strconv.Atoi(m[2])
	switch m[3] {
	case "pm":
		if hour < 12 {
			hour += 12
		}
	case "am":
		hour %= 12
	}
	if hour > 23 || minute > 59 {
		return 0, 0, 0
	}
	return hour, minute, len(m[0])
}

var stampPattern = regexp.MustCompile(`([0-9]{4})-([0-9]{2})-([0-9]{2})(?: +[^\]+0-9>\r\n -]+)?(?: +([0-9]{1,2}):([0-9]{2}))?`)

// parseStamp reads the date and the time of a timestamp.
func parseStamp(text string) (stamp, bool) {
	m := stampPattern.FindStringSubmatch(text)
	if m == nil {
		return stamp{}, false
	}
	var s stamp
	for i, field := range []*int{&s.year, &s.month, &s.day, &s.hour, &s.minute} {
		*field, _ = strconv.Atoi(m[i+1])
	}
	s.hasTime = m[4] != ""
	return s, true
}

// ReadDay reads the day that text says, in the forms of Org's date prompt, seen
// from now. A time of day in it does not count.
func ReadDay(text string, now time.Time) (orgtime.Day, error) {
	s, err := readDate(text, now, now)
	return orgtime.NewDay(s.year, time.Month(s.month), s.day), err
}
