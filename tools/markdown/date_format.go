package markdown

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/logseqfile"
)

// formatDate writes a time in the notation of Obsidian's settings, such as
// YYYY/MM-MMMM/YYYY-MM-DD-dddd; text in brackets stands for itself. Names are
// English. It reports false for a letter whose meaning it does not know.
func formatDate(t time.Time, format string, w weekStart) (string, bool) {
	var b strings.Builder
	for format != "" {
		if text, rest, ok := strings.Cut(format, "]"); ok && format[0] == '[' {
			b.WriteString(text[1:])
			format = rest
			continue
		}
		size := 1
		for size < len(format) && format[size] == format[0] {
			size++
		}
		if format[0] == 'D' && strings.HasPrefix(format, "Do") {
			size = 2
		}
		part := format[:size]
		format = format[size:]
		if c := part[0]; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			b.WriteString(part)
			continue
		}
		text, ok := datePart(t, part, w)
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

// dateLayouts are the parts of a date that package time writes.
func dateLayouts(part string) (layout string, ok bool) {
	layouts := map[string]string{
		"YYYY": "2006", "YY": "06", "MMMM": "January", "MMM": "Jan", "MM": "01", "M": "1", "DDDD": "002", "DD": "02", "D": "2",
		"dddd": "Monday", "ddd": "Mon", "HH": "15", "hh": "03", "h": "3", "mm": "04", "m": "4", "ss": "05", "s": "5", "A": "PM", "a": "pm",
	}
	layout, ok = layouts[part]
	return layout, ok
}

func datePart(t time.Time, part string, w weekStart) (string, bool) {
	if layout, ok := dateLayouts(part); ok {
		return t.Format(layout), true
	}
	isoYear, isoWeek := t.ISOWeek()
	year, week := w.number(t)
	switch part {
	case "Q":
		return strconv.Itoa((int(t.Month()) + 2) / 3), true
	case "DDD":
		return strconv.Itoa(t.YearDay()), true
	case "Do":
		return strconv.Itoa(t.Day()) + logseqfile.Ordinal(t.Day()), true
	case "dd":
		return t.Format("Mon")[:2], true
	case "d":
		return strconv.Itoa(int(t.Weekday())), true
	case "E":
		return strconv.Itoa((int(t.Weekday())+6)%7 + 1), true
	case "GGGG":
		return strconv.Itoa(isoYear), true
	case "GG":
		return fmt.Sprintf("%02d", isoYear%100), true
	case "WW":
		return fmt.Sprintf("%02d", isoWeek), true
	case "W":
		return strconv.Itoa(isoWeek), true
	case "gggg":
		return strconv.Itoa(year), true
	case "gg":
		return fmt.Sprintf("%02d", year%100), true
	case "ww":
		return fmt.Sprintf("%02d", week), true
	case "w":
		return strconv.Itoa(week), true
	case "H":
		return strconv.Itoa(t.Hour()), true
	}
	return "", false
}
