package orgagenda

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/lispdata"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

// expressionText returns the expression at the start of a diary line.
func expressionText(line string) string {
	line = strings.TrimPrefix(line, "&")
	depth, quoted := 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return line[:i+1]
			}
		}
	}
	return line
}

// diaryText returns the text of a diary line on a day. Anniversaries and cycles
// put their number in for %d and its ending for %s.
func diaryText(line string, day orgtime.Day) string {
	expression := expressionText(line)
	text := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(line, "&"), expression))
	if v, err := lispdata.Read(strings.TrimPrefix(expression, "%%")); err == nil {
		if n, ok := occurrence(v, day); ok {
			text = formatNumber(text, n)
		}
	}
	if text == "" {
		return "SEXP entry returned empty string"
	}
	return text
}

// occurrence returns the number of an anniversary or a cycle.
func occurrence(v lispdata.Value, day orgtime.Day) (int, bool) {
	name := v.Items[0].Text
	args := make([]int, len(v.Items)-1)
	for i, item := range v.Items[1:] {
		args[i] = item.Int
	}
	switch {
	case name == "diary-anniversary" && len(args) == 2:
		return 100, true
	case name == "diary-anniversary" && len(args) > 2:
		return day.Date().Year() - args[2], true
	case name == "org-anniversary" && len(args) > 2:
		return day.Date().Year() - args[0], true
	case name == "diary-cyclic" && len(args) > 3:
		return int(day-orgtime.NewDay(args[3], month(args[1]), args[2])) / args[0], true
	case name == "org-cyclic" && len(args) > 3:
		return int(day-orgtime.NewDay(args[1], month(args[2]), args[3])) / args[0], true
	}
	return 0, false
}

// formatNumber replaces the first directive of text by n, the second by n's
// ending: 21 and "st".
func formatNumber(text string, n int) string {
	values := []string{strconv.Itoa(n), ordinalEnding(n)}
	var out strings.Builder
	for {
		before, after, ok := strings.Cut(text, "%")
		out.WriteString(before)
		switch {
		case !ok:
			return out.String()
		case after != "" && after[0] == '%':
			out.WriteByte('%')
			after = after[1:]
		case len(values) > 0 && after != "" && (after[0] == 'd' || after[0] == 's'):
			out.WriteString(values[0])
			values, after = values[1:], after[1:]
		default:
			fmt.Fprint(&out, "%")
		}
		text = after
	}
}

func ordinalEnding(n int) string {
	if n%100 >= 11 && n%100 <= 13 || n%10 == 0 || n%10 > 3 {
		return "th"
	}
	return []string{"", "st", "nd", "rd"}[n%10]
}
