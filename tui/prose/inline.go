package prose

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// inline is what stands in a block, of the kind of the block where it has no
// other.
func (p *layout) inline(n ast.Node, kind SpanKind) []Span {
	r := &spanCollector{source: p.source}
	r.collectChildren(n, kind)
	return r.spans
}

type spanCollector struct {
	source []byte
	spans  []Span
}

func (r *spanCollector) add(text string, kind SpanKind) { r.spans = append(r.spans, Span{text, kind}) }

func (r *spanCollector) collectChildren(n ast.Node, kind SpanKind) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.collect(c, kind)
	}
}

func (r *spanCollector) collect(n ast.Node, kind SpanKind) {
	switch n := n.(type) {
	case *ast.Text:
		r.collectText(n, kind)
	case *ast.String:
		r.add(string(n.Value), kind)
	case *ast.CodeSpan:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				r.add(strings.ReplaceAll(string(t.Segment.Value(r.source)), "\n", " "), Code)
			}
		}
	case *ast.Emphasis:
		r.collectChildren(n, emphasisKind(kind, n.Level))
	case *ast.Link:
		r.collectLink(n, string(n.Destination))
	case *ast.Image:
		r.add("image: ", Faint)
		r.collectLink(n, string(n.Destination))
	case *ast.AutoLink:
		r.add(string(n.URL(r.source)), Link)
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			at := n.Segments.At(i)
			r.add(string(at.Value(r.source)), Faint)
		}
	default:
		r.collectChildren(n, kind)
	}
}

func emphasisKind(kind SpanKind, level int) SpanKind {
	switch {
	case kind != Body:
		return kind
	case level > 1:
		return Strong
	default:
		return Emphasis
	}
}

func (r *spanCollector) collectText(n *ast.Text, kind SpanKind) {
	value := n.Segment.Value(r.source)
	if !n.IsRaw() && bytes.ContainsAny(value, `\&`) {
		value = unescape(value)
	}
	r.add(string(value), kind)
	switch {
	case n.HardLineBreak():
		r.add("\n", kind)
	case n.SoftLineBreak():
		r.add(" ", kind)
	}
}

// unescape is value without its backslashes and entities.
func unescape(value []byte) []byte {
	if !bytes.Contains(value, []byte(`\&`)) {
		value = util.ResolveEntityNames(util.ResolveNumericReferences(value))
	}
	return util.UnescapePunctuations(value)
}

// collectLink shows the label and, where that is another, the address: no one should
// have to follow a link to see where it leads.
func (r *spanCollector) collectLink(n ast.Node, to string) {
	from := len(r.spans)
	r.collectChildren(n, Link)
	var label strings.Builder
	for _, s := range r.spans[from:] {
		label.WriteString(s.Text)
	}
	if to != "" && label.String() != to {
		r.add(" ("+to+")", Faint)
	}
}
