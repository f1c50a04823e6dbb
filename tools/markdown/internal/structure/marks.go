package structure

import "strings"

// EndsParagraph reports whether a line cannot belong to the paragraph above it.
func EndsParagraph(line string) bool {
	rest := strings.TrimSpace(line)
	return rest == "" || isHeading(rest) || isRule(rest) || fenceOf(rest) != "" || itemMarker(rest) > 0
}

// column is the width of leading blanks, of which a tab reaches to the next multiple
// of four.
func column(blanks string) (n int) {
	for _, c := range blanks {
		n++
		if c == '\t' {
			n += (4 - n%4) % 4
		}
	}
	return n
}

// itemMarker is the length of the list marker that line begins with; 0: none.
func itemMarker(line string) int {
	digits := 0
	for digits < len(line) && digits < 9 && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	switch {
	case line == "" || isRule(line):
		return 0
	case digits > 0 && digits < len(line) && (line[digits] == '.' || line[digits] == ')'):
		digits++
	case digits == 0 && strings.IndexByte("-*+", line[0]) >= 0:
		digits = 1
	default:
		return 0
	}
	if digits < len(line) && line[digits] != ' ' && line[digits] != '\t' {
		return 0
	}
	return digits
}

// fenceOf is the run of backticks or tildes that opens fenced code; empty: none.
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		run := len(line) - len(strings.TrimLeft(line, mark))
		if run >= 3 && (mark == "~" || !strings.Contains(line[run:], "`")) {
			return line[:run]
		}
	}
	return ""
}

// isRule reports a thematic break, such as "---" or "* * *".
func isRule(line string) bool {
	for _, mark := range []string{"-", "*", "_"} {
		if strings.Count(line, mark) >= 3 && strings.Trim(line, mark+" \t") == "" {
			return true
		}
	}
	return false
}

func isHeading(line string) bool { level, _ := atxHeading(line); return level > 0 }
