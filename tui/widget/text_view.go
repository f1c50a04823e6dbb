package widget

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// A TextView is a text to scroll through: what an agent wants to write, or
// wrote. Long lines are wrapped and never cut, because a person must be able to
// read all of what they agree to.
type TextView struct {
	lines []textLine
	// wrapCache is shared by copies: the same lines at the same width.
	wrapCache *wrappedText
}

type textLine struct {
	text string
	kind LineKind
	// Of a line of a diff:
	gutter    string // its number, drawn before it
	mark      [2]int // the bytes that changed within it; equal: not marked
	source    string // what is copied in its place; empty: text
	continued bool   // it goes on with the line before
	hunk      int    // the number of the hunk that it is the header of, to choose; 0: of none
	leftOut   bool   // it belongs to a hunk that is not chosen
}

// LineKind is what a line of a [TextView] says, which decides how it is drawn.
type LineKind uint8

// The kinds of lines.
const (
	TextLine LineKind = iota
	DimLine
	RiskLine
	DiffLine
	TitleLine
)

type wrappedText struct {
	w    int
	rows []textLine
}

const (
	maxTextBytes = 512 << 10
	// maxLinePieceBytes splits long lines, because a theme draws only the first few
	// thousand bytes of a text.
	maxLinePieceBytes = 1000
)

// NewTextView returns an empty TextView.
func NewTextView() TextView { return TextView{wrapCache: &wrappedText{}} }

// AppendText returns l with the lines of text at its end; of a text that is very long
// only the beginning.
func (l TextView) AppendText(kind LineKind, text string) TextView {
	if len(text) <= maxTextBytes {
		return l.AppendBlocks(TextBlock{Kind: kind, Text: text})
	}
	return l.AppendBlocks(TextBlock{Kind: kind, Text: theme.TruncateBytes(text, maxTextBytes)},
		TextBlock{Kind: RiskLine, Text: "… the rest is too long to show"})
}

// A TextBlock is lines of one kind.
type TextBlock struct {
	Kind LineKind
	Text string
	// Hunks are those of a diff, where a person chooses among them; nil: there is
	// nothing to choose.
	Hunks []HunkOption
}

// A HunkOption is what stands above a hunk of a diff that a person may leave out.
type HunkOption struct {
	Label   string // "[x] hunk 1 of 3"
	LeftOut bool   // its lines are drawn as of no account
}

// AppendBlocks returns l with parts at its end, however long they are.
func (l TextView) AppendBlocks(parts ...TextBlock) TextView {
	lines := append([]textLine(nil), l.lines...)
	for _, part := range parts {
		first, continued := len(lines), false
		for _, line := range theme.SplitLines(part.Text) {
			for len(line) > maxLinePieceBytes {
				n := maxLinePieceBytes
				for n > maxLinePieceBytes-utf8.UTFMax && !utf8.RuneStart(line[n]) {
					n--
				}
				lines = append(lines, textLine{text: line[:n], kind: part.Kind, continued: continued})
				line, continued = continuationSign(part.Kind, line)+line[n:], true
			}
			lines = append(lines, textLine{text: line, kind: part.Kind, continued: continued})
			continued = false
		}
		if part.Kind == DiffLine {
			lines = lines[:first+len(annotateDiffLines(lines[first:], part.Hunks))]
		}
	}
	return TextView{lines: lines, wrapCache: &wrappedText{}}
}

// FindLine is the first line from one on that match wants; 0: none.
func (l TextView) FindLine(from int, match func(kind LineKind, text string) bool) int {
	for i := from; i < len(l.lines); i++ {
		if match(l.lines[i].kind, l.lines[i].text) {
			return i
		}
	}
	return 0
}

// LineOfHunk is the line above the hunk with this number, from 1, in a part with
// Hunks; -1: there is none.
func (l TextView) LineOfHunk(n int) int {
	for i, line := range l.lines {
		if line.hunk == n {
			return i
		}
	}
	return -1
}

// FirstRowOfLine is the first row of a line in rows of w cells.
func (l TextView) FirstRowOfLine(line, w int) int {
	row := 0
	for _, one := range l.lines[:min(line, len(l.lines))] {
		row += len(one.wrapped(w))
	}
	return row
}

// continuationSign is what further pieces of a line begin with, so that they look like
// the first.
func continuationSign(kind LineKind, line string) string {
	if kind == DiffLine && line != "" && strings.ContainsRune("+- ", rune(line[0])) {
		return line[:1]
	}
	return ""
}

// Len is how many lines the text has.
func (l TextView) Len() int { return len(l.lines) }

// Height is how many rows of w cells the text takes.
func (l TextView) Height(w int) int { return len(l.wrapped(w)) }

// Row is one row of w cells.
func (l TextView) Row(row, w int) (LineKind, string) {
	line := l.wrapped(w)[row]
	return line.kind, line.text
}

// Draw draws h rows from row top on.
func (l TextView) Draw(t theme.Theme, top, w, h int) []string {
	all := l.wrapped(w)
	top = max(0, min(top, len(all)-h))
	rows := make([]string, 0, h)
	for _, line := range all[top:min(len(all), top+h)] {
		rows = append(rows, line.draw(t))
	}
	return rows
}

func (line textLine) style(t theme.Theme) theme.Style {
	switch {
	case line.leftOut:
		return t.Dim
	case line.hunk > 0:
		return t.Strong
	}
	switch line.kind {
	case DimLine:
		return t.Dim
	case RiskLine:
		return t.Warn
	case DiffLine:
		return t.DiffLineStyle(line.text)
	case TitleLine:
		return t.Strong
	default:
		return t.Text
	}
}

// wrapped are the lines broken to w cells.
func (l TextView) wrapped(w int) []textLine {
	if l.wrapCache == nil || len(l.lines) == 0 {
		return nil
	}
	if l.wrapCache.w == w {
		return l.wrapCache.rows
	}
	var rows []textLine
	for _, line := range l.lines {
		rows = append(rows, line.wrapped(w)...)
	}
	*l.wrapCache = wrappedText{w, rows}
	return rows
}

func (line textLine) wrapped(w int) []textLine {
	first, next := "", ""
	switch line.kind {
	case RiskLine:
		first, next = "▲ ", "  "
	case TitleLine:
		first, next = "• ", "  "
	case DiffLine:
		next = continuationSign(line.kind, line.text)
	default:
	}
	gutter := ""
	if line.kind == DiffLine && w >= minWidthForGutter && line.hunk == 0 {
		gutter = theme.Spaces(gutterWidth)
	}
	var rows []textLine
	for i, text := range theme.WrapText(line.text, w-theme.Width(next)-len(gutter)) {
		row := textLine{text: first + text, kind: line.kind, gutter: gutter, hunk: line.hunk, leftOut: line.leftOut}
		switch {
		case i > 0:
			row.text = next + text
		case gutter != "" && line.gutter != "":
			row.gutter = line.gutter
		}
		rows = append(rows, row)
	}
	if line.mark[0] < line.mark[1] {
		line.splitMarkAmongRows(rows)
	}
	return rows
}

// String is the text as it is copied.
func (l TextView) String() string {
	var b strings.Builder
	for _, line := range l.lines {
		b.WriteString(cmp.Or(line.source, line.text))
		b.WriteByte('\n')
	}
	return b.String()
}
