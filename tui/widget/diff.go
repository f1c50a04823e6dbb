package widget

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// gutterWidth is how wide the numbers beside a diff are, and from what width of a
// text on they are drawn.
const (
	gutterWidth       = 5
	minWidthForGutter = 56
)

// annotateDiffLines makes lines of a unified diff easy to read: it numbers them, says how
// many equal lines are left out in place of each hunk's header, and marks the
// words that changed within a line. Where a person chooses among the hunks, each keeps
// a line above it.
func annotateDiffLines(lines []textLine, hunks []HunkOption) []textLine {
	before, after, known, start := 0, 0, false, -1
	hunk, leftOut := 0, false
	header := "" // of a hunk before which nothing is left out
	shown := lines[:0]
	for i := range lines {
		line := lines[i]
		if a, b, ok := parseHunkHeader(line.text); ok {
			same := a - before
			if !known {
				same, start = a-1, len(shown)
			}
			before, after, known = a, b, true
			if hunk < len(hunks) {
				leftOut = hunks[hunk].LeftOut
				hunk++
				shown = append(shown, hunkHeadingLine(line, hunks[hunk-1], hunk, same))
				continue
			}
			if same <= 0 {
				header = line.text + "\n"
				continue
			}
			line.source = line.text
			line.text = "⋯ " + equalLinesText(same)
			shown = append(shown, line)
			continue
		}
		if header != "" {
			line.source, header = header+line.text, ""
		}
		line.leftOut = leftOut
		switch sign := continuationSign(DiffLine, line.text); {
		case !known || line.continued:
		case sign == "-":
			line.gutter = formatLineNumber(before)
			before++
		case sign == "+":
			line.gutter = formatLineNumber(after)
			after++
		case sign == " ":
			line.gutter = formatLineNumber(after)
			before, after = before+1, after+1
		}
		shown = append(shown, line)
	}
	if start < 0 || len(shown) > 0 && !strings.HasPrefix(shown[0].text, "--- ") {
		start = 0
	}
	markChangedWords(shown[start:]) // the names of the files are no change
	return shown
}

func equalLinesText(n int) string {
	if n == 1 {
		return "1 line is the same"
	}
	return FormatCount(n) + " lines are the same"
}

// hunkHeadingLine is the line above the nth hunk, before which so many lines are the same.
func hunkHeadingLine(header textLine, choice HunkOption, n, same int) textLine {
	header.source, header.text = header.text, choice.Label
	if same > 0 {
		header.text += " ⋯ " + equalLinesText(same)
	}
	header.hunk, header.leftOut = n, choice.LeftOut
	return header
}

// formatLineNumber is n for the gutter; a number that is too long for it is left out.
func formatLineNumber(n int) string {
	if n > 99_999 {
		return theme.Spaces(gutterWidth)
	}
	return fmt.Sprintf("%4d ", n)[:gutterWidth]
}

// parseHunkHeader is where the hunk begins that has this header.
func parseHunkHeader(header string) (before, after int, ok bool) {
	rest, found := strings.CutPrefix(header, "@@ -")
	if !found {
		return 0, 0, false
	}
	old, now, _ := strings.Cut(rest, " +")
	_, err := fmt.Sscanf(old, "%d", &before)
	if _, err2 := fmt.Sscanf(now, "%d", &after); err != nil || err2 != nil {
		return 0, 0, false
	}
	return before, after, true
}

// markChangedWords marks what is new in each added line and gone from each removed one,
// where as many lines follow as were removed.
func markChangedWords(lines []textLine) {
	for i := 0; i < len(lines); {
		removed := countLeadingSignedLines(lines[i:], "-")
		added := countLeadingSignedLines(lines[i+removed:], "+")
		if removed > 0 && removed == added {
			for n := range removed {
				markPairChanges(&lines[i+n], &lines[i+removed+n])
			}
		}
		i += max(1, removed+added)
	}
}

func countLeadingSignedLines(lines []textLine, sign string) int {
	n := 0
	for n < len(lines) && strings.HasPrefix(lines[n].text, sign) {
		n++
	}
	return n
}

// markPairChanges marks the words between what two lines have in common at both ends;
// nothing if they have nothing in common.
func markPairChanges(old, now *textLine) {
	a, b := old.text[1:], now.text[1:]
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	for start > 0 && (!utf8.RuneStart(byteAt(a, start)) || !utf8.RuneStart(byteAt(b, start)) ||
		isInsideWord(a, start) || isInsideWord(b, start)) {
		start--
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for end > 0 && (!utf8.RuneStart(byteAt(a, len(a)-end)) || isInsideWord(a, len(a)-end) || isInsideWord(b, len(b)-end)) {
		end--
	}
	if strings.TrimSpace(a[:start]) == "" && strings.TrimSpace(a[len(a)-end:]) == "" {
		return
	}
	old.mark = [2]int{1 + start, 1 + len(a) - end}
	now.mark = [2]int{1 + start, 1 + len(b) - end}
}

// byteAt is byte i of s, or a character's first one behind its end.
func byteAt(s string, i int) byte {
	if i >= len(s) {
		return 0
	}
	return s[i]
}

// isInsideWord reports whether byte i of s is inside a word.
func isInsideWord(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	return i > 0 && i < len(s) && isWordRune(before) && isWordRune(after)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// draw paints a row: its number, and its text with the marked words.
func (line textLine) draw(t theme.Theme) string {
	style := line.style(t)
	if line.mark[1] <= line.mark[0] || line.leftOut {
		return t.Dim.Text(line.gutter) + style.Text(line.text)
	}
	from, to := line.mark[0], line.mark[1]
	return t.Dim.Text(line.gutter) + style.Text(line.text[:from]) + t.ChangedWordStyle(line.text).Text(line.text[from:to]) +
		style.Text(line.text[to:])
}

// splitMarkAmongRows are the rows of a wrapped diff line with the part of its mark that
// each has. A line that was made harmless is found no more and has none.
func (line textLine) splitMarkAmongRows(rows []textLine) {
	pos := 0
	for i := range rows {
		text := rows[i].text
		if i > 0 {
			text = strings.TrimPrefix(text, continuationSign(DiffLine, line.text))
		}
		j := strings.Index(line.text[pos:], text)
		if j < 0 || text == "" {
			return
		}
		pos += j
		shift := len(rows[i].text) - len(text) - pos
		from, to := max(line.mark[0], pos), min(line.mark[1], pos+len(text))
		if from < to {
			rows[i].mark = [2]int{from + shift, to + shift}
		}
		pos += len(text)
	}
}
