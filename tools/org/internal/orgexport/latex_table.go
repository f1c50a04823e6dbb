package orgexport

import (
	"cmp"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgelement"
)

func (l *latexWriter) writeTable(n *node) string {
	if !l.set.tables {
		return ""
	}
	if n.Key == "table.el" {
		return "\\begin{verbatim}\n" + string(l.text[n.Contents.Start:n.Contents.End]) + "\\end{verbatim}"
	}
	g := l.grid(n)
	if len(g.align) == 0 {
		return ""
	}
	l.inTable, l.below = true, ""
	text := l.tabular(n, g)
	l.inTable = false
	return strings.TrimRight(text, "\n") + l.below
}

func (l *latexWriter) tabular(n *node, g *tableGrid) string {
	_, values := attributes(n, "ATTR_LATEX")
	format := cmp.Or(values["align"], columnFormat(g))
	name := cmp.Or(values["environment"], "tabular")
	var b strings.Builder
	b.WriteString("\\begin{" + name + "}{" + format + "}\n")
	for i, group := range g.groups {
		if g.rules[i] {
			b.WriteString("\\hline\n")
		}
		for _, cells := range group {
			b.WriteString(l.tableRow(g, cells))
		}
	}
	if g.bottom {
		b.WriteString("\\hline\n")
	}
	b.WriteString("\\end{" + name + "}\n")
	c := caption(n)
	if name == "longtable" {
		return b.String()
	}
	if c == "" && values["float"] == "" && n.Last("NAME") == "" {
		if values["center"] == "nil" {
			return b.String()
		}
		return "\\begin{center}\n" + l.nameLabel(n) + b.String() + "\\end{center}"
	}
	placement := cmp.Or(values["placement"], "[htbp]")
	return "\\begin{table}" + placement + "\n" + l.captionText(n, c) + "\\centering\n" + b.String() + "\\end{table}"
}

// columnFormat describes the columns as LaTeX asks for: their alignment, and a line
// where a group of them starts.
func columnFormat(g *tableGrid) string {
	var columns []byte
	for i, a := range g.align {
		if i > 0 && g.starts[i] {
			columns = append(columns, '|')
		}
		columns = append(columns, a)
	}
	return string(columns)
}

// tableRow writes a row with as many cells as the table has columns.
func (l *latexWriter) tableRow(g *tableGrid, cells []*node) string {
	row := make([]string, len(g.align))
	for c, cell := range cells {
		row[c] = l.objects(l.text, cell.Contents, orgelement.InLine)
	}
	return strings.Join(row, " & ") + "\\\\\n"
}
