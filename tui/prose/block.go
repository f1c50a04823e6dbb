package prose

import (
	"context"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// A press lays a document out, block after block.
type press struct {
	ctx    context.Context //nolint:containedctx // a press lives as long as its call
	w      int
	parser parser.Parser
	source []byte
	rows   []Row

	lead Row // what the next row begins with: a bullet, say
	next Row // what those after it do
}

// deepest is how many levels of quotes and lists are indented; those further
// down stay where that one is.
const deepest = 12

// room is what the lead leaves for text.
func (p *press) room() int { return max(p.w-p.next.width(), leastWidth) }

func (p *press) emit(r Row) {
	row := make(Row, 0, len(p.lead)+len(r))
	p.rows = append(p.rows, append(append(row, p.lead...), r...))
	p.lead = p.next
}

func (p *press) blank() {
	if len(p.rows) > 0 {
		p.emit(nil)
	}
}

func (p *press) all(rows []Row) {
	for _, r := range rows {
		p.emit(r)
	}
}

// verbatim lays out one line with its spaces.
func (p *press) verbatim(line string, ink Ink) {
	w := p.room()
	line = theme.Plain(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    "))
	c := &column{w: w}
	for line != "" {
		n := min(asciiRun(line), w-c.used)
		if n <= 0 {
			cluster, _ := ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
			c.fit(Span{brief(cluster), ink})
			line = line[len(cluster):]
			continue
		}
		c.fit(Span{line[:n], ink})
		line = line[n:]
	}
	c.end()
	p.all(c.rows)
}

// blocks lays out what is below a block.
func (p *press) blocks(parent ast.Node, depth int) {
	tight := false
	if l, ok := parent.Parent().(*ast.List); ok {
		tight = l.IsTight
	}
	for n := parent.FirstChild(); n != nil && p.ctx.Err() == nil; n = n.NextSibling() {
		if n.PreviousSibling() != nil && !tight {
			p.blank()
		}
		p.block(n, depth)
	}
}

func (p *press) block(n ast.Node, depth int) {
	switch n := n.(type) {
	case *ast.Heading:
		marks := Span{strings.Repeat("#", n.Level) + " ", Faint}
		p.all(wrap(append([]Span{marks}, p.inline(n, Heading)...), p.room()))
	case *ast.Paragraph, *ast.TextBlock:
		p.paragraph(n)
	case *ast.ThematicBreak:
		p.emit(Row{{strings.Repeat("─", p.room()), Rule}})
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		p.under(Row{{"  ", Body}}, Row{{"  ", Body}}, depth, func() { p.raw(n, Code) })
	case *ast.HTMLBlock:
		p.raw(n, Faint)
		if n.HasClosure() {
			p.verbatim(string(n.ClosureLine.Value(p.source)), Faint)
		}
	case *ast.Blockquote:
		bar := Row{{"│ ", Rule}}
		p.under(bar, bar, depth, func() { p.blocks(n, depth+1) })
	case *ast.List:
		p.list(n, depth)
	default:
		p.blocks(n, depth)
	}
}

// under lays out what inside does behind first, and next on further rows.
func (p *press) under(first, next Row, depth int, inside func()) {
	if depth >= deepest || p.next.width()+next.width()+leastWidth > p.w {
		inside()
		return
	}
	before := p.next
	p.lead, p.next = p.lead.and(first), p.next.and(next)
	rows := len(p.rows)
	inside()
	if len(p.rows) == rows {
		p.emit(nil) // an empty item has its bullet all the same
	}
	p.lead, p.next = before, before
}

func (p *press) list(l *ast.List, depth int) {
	number := l.Start
	for item := l.FirstChild(); item != nil && p.ctx.Err() == nil; item = item.NextSibling() {
		bullet := "• "
		if l.IsOrdered() {
			bullet = fmt.Sprintf("%d%c ", number, l.Marker)
			number++
		}
		if item.PreviousSibling() != nil && !l.IsTight {
			p.blank()
		}
		p.under(Row{{bullet, Faint}}, Row{{theme.Space(theme.Width(bullet)), Body}}, depth, func() { p.blocks(item, depth+1) })
	}
}

// raw lays out the lines of a block as they stand.
func (p *press) raw(n ast.Node, ink Ink) {
	lines := n.Lines()
	for i := range lines.Len() {
		if p.ctx.Err() != nil {
			return
		}
		at := lines.At(i)
		p.verbatim(string(at.Value(p.source)), ink)
	}
}

func (p *press) paragraph(n ast.Node) {
	if t, ok := p.table(n); ok {
		p.all(t.layOut(p.room()))
		return
	}
	p.all(wrap(p.inline(n, Body), p.room()))
}

func (r Row) and(more Row) Row { return append(append(make(Row, 0, len(r)+len(more)), r...), more...) }
