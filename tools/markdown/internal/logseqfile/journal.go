package logseqfile

import (
	"strconv"
	"strings"
	"time"
)

// Day is the day that a page with this title is the journal of, if it is one.
func (g *Graph) Day(title string) (time.Time, bool) {
	if !strings.ContainsAny(title, "0123456789") || len(title) > 100 {
		return time.Time{}, false
	}
	for _, format := range []string{g.TitleFormat, "MMM do, yyyy", "yyyy-MM-dd", "yyyy_MM_dd"} {
		if day, ok := parseDate(title, format); ok {
			return day, true
		}
	}
	return time.Time{}, false
}

// JournalFile is the path of the journal of a day, without extension; not ok: the
// form of dates in the settings is not known.
func (g *Graph) JournalFile(day time.Time) (string, bool) {
	name, ok := formatDate(day, g.NameFormat)
	return g.Journals + "/" + name, ok
}

// nextPart cuts the next part off a form of dates: a run of one letter, with an "o"
// behind a d, or a text in quotes, which is literal.
func nextPart(format string) (part, rest string, literal bool) {
	c := format[0]
	if c == '\'' {
		text, rest, _ := strings.Cut(format[1:], "'")
		return text, rest, true
	}
	n := 1
	for n < len(format) && format[n] == c {
		n++
	}
	if c == 'd' && n == 1 && strings.HasPrefix(format, "do") {
		n = 2
	}
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	return format[:n], format[n:], !letter
}

// formatDate writes a day as Logseq's settings have it, such as EEE, MMM do, yyyy.
// Names are English. It is not ok for a letter whose meaning is not known.
func formatDate(day time.Time, format string) (string, bool) {
	var b strings.Builder
	for format != "" {
		part, rest, literal := nextPart(format)
		format = rest
		if literal {
			b.WriteString(part)
			continue
		}
		text, ok := datePart(day, part)
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

func datePart(day time.Time, part string) (string, bool) {
	layouts := map[string]string{
		"yyyy": "2006", "YYYY": "2006", "yy": "06", "MMMM": "January", "MMM": "Jan", "MM": "01", "M": "1", "dd": "02", "d": "2",
		"EEEE": "Monday", "EEE": "Mon", "EE": "Mon", "E": "Mon",
	}
	if part == "do" {
		return strconv.Itoa(day.Day()) + Ordinal(day.Day()), true
	}
	layout, ok := layouts[part]
	return day.Format(layout), ok
}

// Ordinal is what follows the number of a day: st, nd, rd or th.
func Ordinal(day int) string {
	switch {
	case day/10 == 1:
		return "th"
	case day%10 == 1:
		return "st"
	case day%10 == 2:
		return "nd"
	case day%10 == 3:
		return "rd"
	}
	return "th"
}

// parseDate reads a day that is written in a form, in any letter case.
func parseDate(text, format string) (time.Time, bool) {
	var read dateParts
	rest := text
	for f := format; f != ""; {
		part, after, literal := nextPart(f)
		f = after
		var ok bool
		if literal {
			rest, ok = strings.CutPrefix(rest, part)
		} else {
			rest, ok = read.take(part, rest)
		}
		if !ok {
			return time.Time{}, false
		}
	}
	if rest != "" || read.year < 1 || read.month < 1 || read.month > 12 || read.day < 1 || read.day > 31 {
		return time.Time{}, false
	}
	day := time.Date(read.year, time.Month(read.month), read.day, 0, 0, 0, 0, time.UTC)
	written, ok := formatDate(day, format)
	return day, ok && strings.EqualFold(written, text)
}

// dateParts are the parts of a date that were read.
type dateParts struct{ year, month, day int }

// take reads one part from the beginning of text; false: the form has no such part.
func (d *dateParts) take(part, text string) (rest string, ok bool) {
	switch part[0] {
	case 'y', 'Y':
		d.year, rest = number(text, len(part))
		if len(part) == 2 {
			d.year += 2000
		}
	case 'M':
		if len(part) < 3 {
			d.month, rest = number(text, 2)
		} else {
			d.month, rest = monthOf(text)
		}
	case 'd':
		if d.day, rest = number(text, 2); part == "do" && len(rest) >= 2 {
			rest = rest[2:]
		}
	case 'E':
		rest = strings.TrimLeft(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	default:
		return text, false
	}
	return rest, true
}

// number reads up to so many digits.
func number(text string, most int) (n int, rest string) {
	end := 0
	for end < min(most, len(text)) && text[end] >= '0' && text[end] <= '9' {
		n = n*10 + int(text[end]-'0')
		end++
	}
	return n, text[end:]
}

// monthOf reads the name of a month, whole or its first three letters; 0: there is
// none.
func monthOf(text string) (month int, rest string) {
	for m := time.January; m <= time.December; m++ {
		for _, name := range []string{m.String(), m.String()[:3]} {
			if len(text) >= len(name) && strings.EqualFold(text[:len(name)], name) {
				return int(m), text[len(name):]
			}
		}
	}
	return 0, text
}
