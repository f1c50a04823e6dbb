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

// A layout lays a document out, block after block.
type layout struct {
	ctx    context.Context //nolint:containedctx // a layout lives as long as its call
	w      int
	parser parser.Parser
	source []byte
	rows   []Row

	firstPrefix Row // what the next row begins with: a bullet, say
	nextPrefix  Row // what those after it do
}

// maxIndentDepth is how many levels of quotes and lists are indented; those further
// down stay where that one is.
const maxIndentDepth = 12

// textWidth is what the lead leaves for text.
func (p *layout) textWidth() int { return max(p.w-p.nextPrefix.width(), minWidth) }

func (p *layout) emit(r Row) {
	row := make(Row, 0, len(p.firstPrefix)+len(r))
	p.rows = append(p.rows, append(append(row, p.firstPrefix...), r...))
	p.firstPrefix = p.nextPrefix
}

func (p *layout) blank() {
	if len(p.rows) > 0 {
		p.emit(nil)
	}
}

func (p *layout) emitAll(rows []Row) {
	for _, r := range rows {
		p.emit(r)
	}
}

// emitVerbatimLine lays out one line with its spaces.
func (p *layout) emitVerbatimLine(line string, kind SpanKind) {
	w := p.textWidth()
	line = theme.Sanitize(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    "))
	c := &rowBuilder{w: w}
	for line != "" {
		n := min(asciiTextPrefixLen(line), w-c.used)
		if n <= 0 {
			cluster, _ := ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
			c.addPiece(Span{limitClusterBytes(cluster), kind})
			line = line[len(cluster):]
			continue
		}
		c.addPiece(Span{line[:n], kind})
		line = line[n:]
	}
	c.endRow()
	p.emitAll(c.rows)
}

// blocks lays out what is below a block.
func (p *layout) blocks(parent ast.Node, depth int) {
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

func (p *layout) block(n ast.Node, depth int) {
	switch n := n.(type) {
	case *ast.Heading:
		marks := Span{strings.Repeat("#", n.Level) + " ", Faint}
		p.emitAll(wrap(append([]Span{marks}, p.inline(n, Heading)...), p.textWidth()))
	case *ast.Paragraph, *ast.TextBlock:
		p.paragraph(n)
	case *ast.ThematicBreak:
		p.emit(Row{{strings.Repeat("─", p.textWidth()), Rule}})
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		p.indent(Row{{"  ", Body}}, Row{{"  ", Body}}, depth, func() { p.emitVerbatimLines(n, Code) })
	case *ast.HTMLBlock:
		p.emitVerbatimLines(n, Faint)
		if n.HasClosure() {
			p.emitVerbatimLine(string(n.ClosureLine.Value(p.source)), Faint)
		}
	case *ast.Blockquote:
		bar := Row{{"│ ", Rule}}
		p.indent(bar, bar, depth, func() { p.blocks(n, depth+1) })
	case *ast.List:
		p.list(n, depth)
	default:
		p.blocks(n, depth)
	}
}

// indent lays out what inside does behind first, and next on further rows.
func (p *layout) indent(first, next Row, depth int, inside func()) {
	if depth >= maxIndentDepth || p.nextPrefix.width()+next.width()+minWidth > p.w {
		inside()
		return
	}
	before := p.nextPrefix
	p.firstPrefix, p.nextPrefix = p.firstPrefix.concat(first), p.nextPrefix.concat(next)
	rows := len(p.rows)
	inside()
	if len(p.rows) == rows {
		p.emit(nil) // an empty item has its bullet all the same
	}
	p.firstPrefix, p.nextPrefix = before, before
}

func (p *layout) list(l *ast.List, depth int) {
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
		p.indent(Row{{bullet, Faint}}, Row{{theme.Spaces(theme.Width(bullet)), Body}}, depth, func() { p.blocks(item, depth+1) })
	}
}

// emitVerbatimLines lays out the lines of a block as they stand.
func (p *layout) emitVerbatimLines(n ast.Node, kind SpanKind) {
	lines := n.Lines()
	for i := range lines.Len() {
		if p.ctx.Err() != nil {
			return
		}
		at := lines.At(i)
		p.emitVerbatimLine(string(at.Value(p.source)), kind)
	}
}

func (p *layout) paragraph(n ast.Node) {
	if t, ok := p.parseTable(n); ok {
		p.emitAll(t.render(p.textWidth()))
		return
	}
	p.emitAll(wrap(p.inline(n, Body), p.textWidth()))
}

func (r Row) concat(more Row) Row {
	return append(append(make(Row, 0, len(r)+len(more)), r...), more...)
}
