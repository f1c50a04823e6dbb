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

// parseTable reads a paragraph as one.
func (p *layout) parseTable(n ast.Node) (t table, ok bool) {
	lines := n.Lines()
	texts := make([]string, 0, lines.Len())
	for i := range lines.Len() {
		at := lines.At(i)
		texts = append(texts, strings.TrimSpace(string(at.Value(p.source))))
	}
	at := -1
	for i := 1; i < len(texts) && at < 0; i++ {
		if isDelimiterRow(texts[i]) && len(splitTableCells(texts[i])) == len(splitTableCells(texts[i-1])) {
			at = i
		}
	}
	if at < 0 {
		return t, false
	}
	if at > 1 {
		t.above = p.parseInlineText(strings.Join(texts[:at-1], "\n"))
	}
	for _, c := range splitTableCells(texts[at]) {
		t.right = append(t.right, strings.HasSuffix(c, ":") && !strings.HasPrefix(c, ":"))
	}
	t.head = p.parseTableRow(texts[at-1], len(t.right))
	for _, line := range texts[at+1:] {
		if p.ctx.Err() != nil {
			break
		}
		t.rows = append(t.rows, p.parseTableRow(line, len(t.right)))
	}
	return t, true
}

// isDelimiterRow reports whether a line is the one below a table's head.
func isDelimiterRow(line string) bool {
	if !strings.Contains(line, "|") || !strings.Contains(line, "-") || strings.Trim(line, "|-: \t") != "" {
		return false
	}
	for _, c := range splitTableCells(line) {
		if strings.Trim(c, ":") == "" || strings.Trim(strings.Trim(c, ":"), "-") != "" {
			return false
		}
	}
	return true
}

// splitTableCells splits a line at its bars; `\|` is no bar.
func splitTableCells(line string) []string {
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

// parseTableRow is a line's cells, which may be fewer than columns: what is not there
// takes no room.
func (p *layout) parseTableRow(line string, columns int) [][]Span {
	texts := splitTableCells(line)
	row := make([][]Span, min(len(texts), columns))
	for i := range row {
		row[i] = p.parseInlineText(texts[i])
	}
	return row
}

// parseInlineText reads text that is part of a paragraph, such as a cell.
func (p *layout) parseInlineText(source string) []Span {
	if !strings.ContainsAny(source, "*_`[<\\&!") {
		return []Span{{source, Body}}
	}
	inner := &layout{ctx: p.ctx, parser: p.parser, source: []byte(source)}
	root := p.parser.Parse(text.NewReader(inner.source))
	if one, ok := root.FirstChild().(*ast.Paragraph); ok && one.NextSibling() == nil {
		return inner.inline(one, Body)
	}
	return []Span{{source, Body}}
}

// minColumnWidth is how narrow a column may become.
const minColumnWidth = 3

const columnSeparator = " │ "

// render draws the table in w cells; where it has too many columns for that,
// as a list of its cells.
func (t table) render(w int) []Row {
	var rows []Row
	if len(t.above) > 0 {
		rows = wrap(t.above, w)
	}
	widths := t.widths(w)
	if widths == nil {
		return append(rows, t.asList(w)...)
	}
	rows = append(rows, t.drawRow(boldRow(t.head), widths)...)
	var rule strings.Builder
	for i, n := range widths {
		if i > 0 {
			rule.WriteString("─┼─")
		}
		rule.WriteString(strings.Repeat("─", n))
	}
	rows = append(rows, Row{{rule.String(), Rule}})
	for _, r := range t.rows {
		rows = append(rows, t.drawRow(r, widths)...)
	}
	return rows
}

func boldRow(row [][]Span) [][]Span {
	all := make([][]Span, len(row))
	for i, c := range row {
		all[i] = withKind(c, Strong)
	}
	return all
}

func withKind(spans []Span, kind SpanKind) []Span {
	all := make([]Span, len(spans))
	for i, s := range spans {
		if all[i] = s; s.Kind == Body {
			all[i].Kind = kind
		}
	}
	return all
}

// widths are the widths of the columns: what their cells want, and where that
// is too much the widest give way. Nil: there is no room for all.
func (t table) widths(w int) []int {
	room := w - theme.Width(columnSeparator)*(len(t.right)-1)
	if room < minColumnWidth*len(t.right) {
		return nil
	}
	widths := make([]int, len(t.right))
	for _, row := range append([][][]Span{t.head}, t.rows...) {
		for i, c := range row {
			n := 0
			for _, s := range c {
				n += theme.Width(theme.Sanitize(s.Text))
			}
			widths[i] = max(widths[i], minColumnWidth, min(n, room))
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

// drawRow is one row of the table, as high as its highest cell.
func (t table) drawRow(row [][]Span, widths []int) []Row {
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
				rows[y] = append(rows[y], Span{columnSeparator, Rule})
			}
			var cell Row
			if y < len(columns[i]) {
				cell = columns[i][y]
			}
			space := Span{theme.Spaces(widths[i] - cell.width()), Body}
			if t.right[i] {
				rows[y] = append(append(rows[y], space), cell...)
			} else {
				rows[y] = append(append(rows[y], cell...), space)
			}
		}
	}
	return rows
}

// asList is the table with one cell a row.
func (t table) asList(w int) []Row {
	var rows []Row
	for i, row := range t.rows {
		if i > 0 {
			rows = append(rows, nil)
		}
		for j, c := range row {
			if len(c) == 0 {
				continue
			}
			cell := append(withKind(t.head[j], Strong), Span{": ", Faint})
			rows = append(rows, wrap(append(cell, c...), w)...)
		}
	}
	return rows
}
