package pane

import (
	"strings"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// A leaf is a text of some length to scroll through: what an agent wants to
// write, or wrote. Nothing of it is ever cut at the edge of the screen, for
// what a person agrees to must be there to be read.
type leaf struct {
	lines []leafLine
	// broken is shared by copies: the same lines at the same width.
	broken *leafRows
}

type leafLine struct {
	text string
	kind leafKind
}

type leafKind uint8

const (
	leafText leafKind = iota
	leafDim
	leafRisk
	leafDiff
	leafTitle
)

type leafRows struct {
	w    int
	rows []leafLine
}

// leafPiece is the most bytes of one line; a longer one is several, because a
// theme looks at no more than a few thousand.
const leafPiece = 1000

// leafBytes bounds a leaf.
const leafBytes = 512 << 10

func newLeaf() leaf { return leaf{broken: &leafRows{}} }

// with returns l with text at its end, one line for each line of it.
func (l leaf) with(kind leafKind, text string) leaf {
	rest := ""
	if len(text) > leafBytes {
		text, rest = shorten(text, leafBytes), "… what follows is too long for the screen"
	}
	lines := append([]leafLine(nil), l.lines...)
	for _, line := range theme.Lines(text) {
		for len(line) > leafPiece {
			n := leafPiece
			for n > leafPiece-utf8.UTFMax && !utf8.RuneStart(line[n]) {
				n--
			}
			lines, line = append(lines, leafLine{line[:n], kind}), signOf(kind, line)+line[n:]
		}
		lines = append(lines, leafLine{line, kind})
	}
	if rest != "" {
		lines = append(lines, leafLine{rest, leafRisk})
	}
	return leaf{lines: lines, broken: &leafRows{}}
}

// signOf is what a further piece of line begins with, so that it looks like the
// first.
func signOf(kind leafKind, line string) string {
	if kind == leafDiff && line != "" && strings.ContainsRune("+- ", rune(line[0])) {
		return line[:1]
	}
	return ""
}

// plan returns l with what p would change.
func (l leaf) plan(p status.Plan) leaf {
	for _, risk := range p.Risks {
		l = l.with(leafRisk, risk)
	}
	for _, s := range p.Steps {
		l = l.with(leafTitle, s.What)
		if s.Diff != "" {
			l = l.with(leafDiff, s.Diff)
		}
	}
	return l
}

// height is how many rows of w cells the leaf takes.
func (l leaf) height(w int) int { return len(l.wrapped(w)) }

// draw draws h rows from row top on.
func (l leaf) draw(t theme.Theme, top, w, h int) []string {
	all := l.wrapped(w)
	top = max(0, min(top, len(all)-h))
	rows := make([]string, 0, h)
	for _, line := range all[top:min(len(all), top+h)] {
		rows = append(rows, line.style(t).Text(line.text))
	}
	return rows
}

func (line leafLine) style(t theme.Theme) theme.Style {
	switch line.kind {
	case leafDim:
		return t.Dim
	case leafRisk:
		return t.Warn
	case leafDiff:
		return t.Diff(line.text)
	case leafTitle:
		return t.Strong
	default:
		return t.Text
	}
}

// wrapped are the lines broken to w cells.
func (l leaf) wrapped(w int) []leafLine {
	if l.broken == nil || len(l.lines) == 0 {
		return nil
	}
	if l.broken.w == w {
		return l.broken.rows
	}
	var rows []leafLine
	for _, line := range l.lines {
		rows = append(rows, line.wrapped(w)...)
	}
	*l.broken = leafRows{w, rows}
	return rows
}

func (line leafLine) wrapped(w int) []leafLine {
	first, next := "", ""
	switch line.kind {
	case leafRisk:
		first, next = "▲ ", "  "
	case leafTitle:
		first, next = "• ", "  "
	case leafDiff:
		next = signOf(line.kind, line.text)
	default:
	}
	var rows []leafLine
	for i, text := range theme.Broken(line.text, w-theme.Width(next)) {
		if i > 0 {
			first = next
		}
		rows = append(rows, leafLine{first + text, line.kind})
	}
	return rows
}

// String is the text as it is copied.
func (l leaf) String() string {
	var b strings.Builder
	for _, line := range l.lines {
		b.WriteString(line.text)
		b.WriteByte('\n')
	}
	return b.String()
}
