package prose

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// A table is what GitHub's Markdown has beyond the common one: a paragraph
// whose second line is made of dashes between bars.
type table struct {
	above []Span // lines of the paragraph before it
	head  [][]Span
	rows  [][][]Span
	right []bool // the column's text stands at its right end
}

// table reads a paragraph as one.
func (p *press) table(n ast.Node) (t table, ok bool) {
	lines := n.Lines()
	texts := make([]string, 0, lines.Len())
	for i := range lines.Len() {
		at := lines.At(i)
		texts = append(texts, strings.TrimSpace(string(at.Value(p.source))))
	}
	at := -1
	for i := 1; i < len(texts) && at < 0; i++ {
		if delimits(texts[i]) && len(cells(texts[i])) == len(cells(texts[i-1])) {
			at = i
		}
	}
	if at < 0 {
		return t, false
	}
	if at > 1 {
		t.above = p.phrase(strings.Join(texts[:at-1], "\n"))
	}
	for _, c := range cells(texts[at]) {
		t.right = append(t.right, strings.HasSuffix(c, ":") && !strings.HasPrefix(c, ":"))
	}
	t.head = p.row(texts[at-1], len(t.right))
	for _, line := range texts[at+1:] {
		if p.ctx.Err() != nil {
			break
		}
		t.rows = append(t.rows, p.row(line, len(t.right)))
	}
	return t, true
}

// delimits reports whether a line is the one below a table's head.
func delimits(line string) bool {
	if !strings.Contains(line, "|") || !strings.Contains(line, "-") || strings.Trim(line, "|-: \t") != "" {
		return false
	}
	for _, c := range cells(line) {
		if strings.Trim(c, ":") == "" || strings.Trim(strings.Trim(c, ":"), "-") != "" {
			return false
		}
	}
	return true
}

// cells splits a line at its bars; `\|` is no bar.
func cells(line string) []string {
	line = strings.TrimPrefix(line, "|")
	if !strings.HasSuffix(line, `\|`) {
		line = strings.TrimSuffix(line, "|")
	}
	var all []string
	var one strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line) && line[i+1] == '|':
			one.WriteByte('|')
			i++
		case line[i] == '|':
			all = append(all, strings.TrimSpace(one.String()))
			one.Reset()
		default:
			one.WriteByte(line[i])
		}
	}
	return append(all, strings.TrimSpace(one.String()))
}

// row is a line's cells, which may be fewer than columns: what is not there
// takes no room.
func (p *press) row(line string, columns int) [][]Span {
	texts := cells(line)
	row := make([][]Span, min(len(texts), columns))
	for i := range row {
		row[i] = p.phrase(texts[i])
	}
	return row
}

// phrase reads text that is part of a paragraph, such as a cell.
func (p *press) phrase(source string) []Span {
	if !strings.ContainsAny(source, "*_`[<\\&!") {
		return []Span{{source, Body}}
	}
	inner := &press{ctx: p.ctx, parser: p.parser, source: []byte(source)}
	root := p.parser.Parse(text.NewReader(inner.source))
	if one, ok := root.FirstChild().(*ast.Paragraph); ok && one.NextSibling() == nil {
		return inner.inline(one, Body)
	}
	return []Span{{source, Body}}
}

// leastColumn is how narrow a column may become.
const leastColumn = 3

const bar = " │ "

// layOut draws the table in w cells; where it has too many columns for that,
// as a list of its cells.
func (t table) layOut(w int) []Row {
	var rows []Row
	if len(t.above) > 0 {
		rows = wrap(t.above, w)
	}
	widths := t.widths(w)
	if widths == nil {
		return append(rows, t.listed(w)...)
	}
	rows = append(rows, t.drawn(heavy(t.head), widths)...)
	var rule strings.Builder
	for i, n := range widths {
		if i > 0 {
			rule.WriteString("─┼─")
		}
		rule.WriteString(strings.Repeat("─", n))
	}
	rows = append(rows, Row{{rule.String(), Rule}})
	for _, r := range t.rows {
		rows = append(rows, t.drawn(r, widths)...)
	}
	return rows
}

func heavy(row [][]Span) [][]Span {
	all := make([][]Span, len(row))
	for i, c := range row {
		all[i] = inked(c, Strong)
	}
	return all
}

func inked(spans []Span, ink Ink) []Span {
	all := make([]Span, len(spans))
	for i, s := range spans {
		if all[i] = s; s.Ink == Body {
			all[i].Ink = ink
		}
	}
	return all
}

// widths are the widths of the columns: what their cells want, and where that
// is too much the widest give way. Nil: there is no room for all.
func (t table) widths(w int) []int {
	room := w - theme.Width(bar)*(len(t.right)-1)
	if room < leastColumn*len(t.right) {
		return nil
	}
	widths := make([]int, len(t.right))
	for _, row := range append([][][]Span{t.head}, t.rows...) {
		for i, c := range row {
			n := 0
			for _, s := range c {
				n += theme.Width(theme.Plain(s.Text))
			}
			widths[i] = max(widths[i], leastColumn, min(n, room))
		}
	}
	for {
		total, widest := 0, 0
		for i, n := range widths {
			total += n
			if n > widths[widest] {
				widest = i
			}
		}
		if total <= room {
			return widths
		}
		widths[widest]--
	}
}

// drawn is one row of the table, as high as its highest cell.
func (t table) drawn(row [][]Span, widths []int) []Row {
	columns := make([][]Row, len(widths))
	high := 1
	for i, c := range row {
		columns[i] = wrap(c, widths[i])
		high = max(high, len(columns[i]))
	}
	rows := make([]Row, high)
	for y := range rows {
		for i := range columns {
			if i > 0 {
				rows[y] = append(rows[y], Span{bar, Rule})
			}
			var cell Row
			if y < len(columns[i]) {
				cell = columns[i][y]
			}
			space := Span{theme.Space(widths[i] - cell.width()), Body}
			if t.right[i] {
				rows[y] = append(append(rows[y], space), cell...)
			} else {
				rows[y] = append(append(rows[y], cell...), space)
			}
		}
	}
	return rows
}

// listed is the table with one cell a row.
func (t table) listed(w int) []Row {
	var rows []Row
	for i, row := range t.rows {
		if i > 0 {
			rows = append(rows, nil)
		}
		for j, c := range row {
			if len(c) == 0 {
				continue
			}
			cell := append(inked(t.head[j], Strong), Span{": ", Faint})
			rows = append(rows, wrap(append(cell, c...), w)...)
		}
	}
	return rows
}
