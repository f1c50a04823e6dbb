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
func formatDate(t time.Time, format string) (string, bool) {
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
		text, ok := datePart(t, part)
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

func datePart(t time.Time, part string) (string, bool) {
	year, week := t.ISOWeek()
	switch part {
	case "YYYY":
		return t.Format("2006"), true
	case "YY":
		return t.Format("06"), true
	case "Q":
		return strconv.Itoa((int(t.Month()) + 2) / 3), true
	case "MMMM":
		return t.Format("January"), true
	case "MMM":
		return t.Format("Jan"), true
	case "MM":
		return t.Format("01"), true
	case "M":
		return t.Format("1"), true
	case "DDDD":
		return t.Format("002"), true
	case "DD":
		return t.Format("02"), true
	case "D":
		return t.Format("2"), true
	case "Do":
		return strconv.Itoa(t.Day()) + logseqfile.Ordinal(t.Day()), true
	case "dddd":
		return t.Format("Monday"), true
	case "ddd":
		return t.Format("Mon"), true
	case "GGGG":
		return strconv.Itoa(year), true
	case "WW":
		return fmt.Sprintf("%02d", week), true
	case "W":
		return strconv.Itoa(week), true
	case "HH":
		return t.Format("15"), true
	case "mm":
		return t.Format("04"), true
	case "ss":
		return t.Format("05"), true
	}
	return "", false
}
