// Package prose lays out the text of notes in rows of a given width: Markdown
// as it is meant, anything else as it stands.
//
// It paints nothing: a [Row] says what each piece is, and tui/theme how that
// looks, so that a row is laid out once for all colours. It follows no link,
// loads no image and passes no markup on to the terminal. Laying out takes
// time on a long text, so tui does it in an effect; tui/pane draws the rows.
// Start reading at [Markdown], then block.go and wrap.go.
package prose

import (
	"context"
	"strings"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// SpanKind is what a piece of text is.
type SpanKind uint8

// the kinds.
const (
	Body SpanKind = iota
	Strong
	Emphasis
	Code
	Heading
	Link  // what a person would follow
	Faint // marks, addresses, raw HTML, front matter
	Rule  // lines that are drawn
)

// A Span is a piece of a row of one kind, harmless to a terminal.
type Span struct {
	Text string
	Kind SpanKind
}

// A Row is one line of the screen.
type Row []Span

// Paint draws the row in the styles of t.
func (r Row) Paint(t theme.Theme) string {
	var b strings.Builder
	for _, s := range r {
		b.WriteString(s.Kind.style(t).Text(s.Text))
	}
	return b.String()
}

// String is the row without its kinds.
func (r Row) String() string {
	var b strings.Builder
	for _, s := range r {
		b.WriteString(s.Text)
	}
	return b.String()
}

func (i SpanKind) style(t theme.Theme) theme.Style {
	switch i {
	case Strong, Emphasis:
		return t.Strong
	case Code:
		return t.Busy
	case Heading:
		return t.Accent
	case Link:
		return t.Key
	case Faint:
		return t.Dim
	case Rule:
		return t.Line
	default:
		return t.Text
	}
}

// minWidth is the width in cells that text is laid out for at least.
const minWidth = 8

// TextRows lays text out as it stands, its lines broken to w cells. It errs only
// when ctx ends.
func TextRows(ctx context.Context, source string, w int) ([]Row, error) {
	p := &layout{ctx: ctx, w: max(w, minWidth)}
	for _, line := range theme.SplitLines(source) {
		if ctx.Err() != nil {
			break
		}
		p.emitVerbatimLine(line, Body)
	}
	return p.rows, ctx.Err()
}

// Markdown lays source out in rows of at most w cells. What would take a parser
// longer than it is worth, such as ten thousand nested quotes, is laid out as
// [SplitLines] does. It errs only when ctx ends.
func Markdown(ctx context.Context, source string, w int) ([]Row, error) {
	if tooComplex(source) {
		return TextRows(ctx, source, w)
	}
	p := &layout{ctx: ctx, w: max(w, minWidth), parser: parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers([]util.PrioritizedValue{}...),
	)}
	source = strings.ReplaceAll(source, "\r\n", "\n")
	front, body := frontMatter(source)
	for _, line := range front {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p.emitVerbatimLine(line, Faint)
	}
	p.source = []byte(body)
	root := p.parser.Parse(text.NewReader(p.source))
	if len(front) > 0 && root.HasChildren() {
		p.blank()
	}
	p.blocks(root, 0)
	return p.rows, ctx.Err()
}

// frontMatter splits the YAML between two lines of --- at the very beginning
// off.
func frontMatter(source string) (front []string, body string) {
	rest, ok := strings.CutPrefix(source, "---\n")
	if !ok {
		return nil, source
	}
	end := strings.Index("\n"+rest, "\n---\n")
	if end < 0 {
		return nil, source
	}
	return theme.SplitLines("---\n" + rest[:end] + "---"), rest[end+len("---\n"):]
}
