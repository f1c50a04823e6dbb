package pane

import (
	"strings"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// A TextView is a text of some length to scroll through: what an agent wants to
// write, or wrote. Nothing of it is ever cut at the edge of the screen, for
// what a person agrees to must be there to be read.
type TextView struct {
	lines []textLine
	// wrapCache is shared by copies: the same lines at the same width.
	wrapCache *wrappedText
}

type textLine struct {
	text string
	kind LineKind
}

type LineKind uint8

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

// maxPiece is the most bytes of one line; a longer one is several, because a
// theme looks at no more than a few thousand.
const maxPiece = 1000

// maxTextBytes bounds a leaf.
const maxTextBytes = 512 << 10

func NewTextView() TextView { return TextView{wrapCache: &wrappedText{}} }

// Add returns l with text at its end, one line for each line of it.
func (l TextView) Add(kind LineKind, text string) TextView {
	rest := ""
	if len(text) > maxTextBytes {
		text, rest = truncateBytes(text, maxTextBytes), "… what follows is too long for the screen"
	}
	lines := append([]textLine(nil), l.lines...)
	for _, line := range theme.SplitLines(text) {
		for len(line) > maxPiece {
			n := maxPiece
			for n > maxPiece-utf8.UTFMax && !utf8.RuneStart(line[n]) {
				n--
			}
			lines, line = append(lines, textLine{line[:n], kind}), diffSign(kind, line)+line[n:]
		}
		lines = append(lines, textLine{line, kind})
	}
	if rest != "" {
		lines = append(lines, textLine{rest, RiskLine})
	}
	return TextView{lines: lines, wrapCache: &wrappedText{}}
}

// diffSign is what a further piece of line begins with, so that it looks like the
// first.
func diffSign(kind LineKind, line string) string {
	if kind == DiffLine && line != "" && strings.ContainsRune("+- ", rune(line[0])) {
		return line[:1]
	}
	return ""
}

// addPlan returns l with what p would change.
func (l TextView) addPlan(p status.Plan) TextView {
	for _, risk := range p.Risks {
		l = l.Add(RiskLine, risk)
	}
	for _, s := range p.Steps {
		l = l.Add(TitleLine, s.What)
		if s.Diff != "" {
			l = l.Add(DiffLine, s.Diff)
		}
	}
	return l
}

// Height is how many rows of w cells the leaf takes.
func (l TextView) Height(w int) int { return len(l.wrapped(w)) }

// Draw draws h rows from row top on.
func (l TextView) Draw(t theme.Theme, top, w, h int) []string {
	all := l.wrapped(w)
	top = max(0, min(top, len(all)-h))
	rows := make([]string, 0, h)
	for _, line := range all[top:min(len(all), top+h)] {
		rows = append(rows, line.style(t).Text(line.text))
	}
	return rows
}

func (line textLine) style(t theme.Theme) theme.Style {
	switch line.kind {
	case DimLine:
		return t.Dim
	case RiskLine:
		return t.Warn
	case DiffLine:
		return t.Diff(line.text)
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
		next = diffSign(line.kind, line.text)
	default:
	}
	var rows []textLine
	for i, text := range theme.WrapText(line.text, w-theme.Width(next)) {
		if i > 0 {
			first = next
		}
		rows = append(rows, textLine{first + text, line.kind})
	}
	return rows
}

// String is the text as it is copied.
func (l TextView) String() string {
	var b strings.Builder
	for _, line := range l.lines {
		b.WriteString(line.text)
		b.WriteByte('\n')
	}
	return b.String()
}
