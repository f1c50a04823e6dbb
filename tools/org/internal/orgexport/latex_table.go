package orgexport

import (
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
	format := values["align"]
	if format == "" {
		var columns []byte
		for i, a := range g.align {
			if i > 0 && g.starts[i] {
				columns = append(columns, '|')
			}
			columns = append(columns, a)
		}
		format = string(columns)
	}
	name := "tabular"
	if v := values["environment"]; v != "" {
		name = v
	}
	var b strings.Builder
	b.WriteString("\\begin{" + name + "}{" + format + "}\n")
	for i, group := range g.groups {
		if g.rules[i] {
			b.WriteString("\\hline\n")
		}
		for _, cells := range group {
			var row []string
			for c := range g.align {
				text := ""
				if c < len(cells) {
					text = l.objects(l.text, cells[c].Contents, orgelement.InLine)
				}
				row = append(row, text)
			}
			b.WriteString(strings.Join(row, " & ") + "\\\\\n")
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
	placement := values["placement"]
	if placement == "" {
		placement = "[htbp]"
	}
	return "\\begin{table}" + placement + "\n" + l.captionText(n, c) + "\\centering\n" + b.String() + "\\end{table}"
}
