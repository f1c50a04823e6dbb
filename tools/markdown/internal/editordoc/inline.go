package editordoc

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// inline are the nodes of what stands in a paragraph.
func (r reader) inline(n ast.Node) []Node {
	w := &inlineReader{source: []byte(r.source)}
	w.children(n, nil)
	return joinText(w.nodes)
}

// plainText is the text of a node without marks.
func (r reader) plainText(n ast.Node) string {
	var all strings.Builder
	for _, c := range r.inline(n) {
		all.WriteString(c.Text)
	}
	return all.String()
}

type inlineReader struct {
	source []byte
	nodes  []Node
}

func (w *inlineReader) add(value string, marks []Mark) {
	if value != "" {
		w.nodes = append(w.nodes, Node{Type: typeText, Text: value, Marks: slices.Clone(marks)})
	}
}

func (w *inlineReader) children(n ast.Node, marks []Mark) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, marks)
	}
}

func (w *inlineReader) node(n ast.Node, marks []Mark) {
	with := func(m Mark) []Mark { return append(slices.Clone(marks), m) }
	switch n := n.(type) {
	case *ast.Text:
		value := n.Segment.Value(w.source)
		w.add(unescape(value), marks)
		switch {
		case n.HardLineBreak():
			w.nodes = append(w.nodes, Node{Type: typeBreak})
		case n.SoftLineBreak():
			w.add("\n", marks)
		}
	case *ast.String:
		w.add(string(n.Value), marks)
	case *ast.CodeSpan:
		w.add(w.code(n), with(Mark{Type: "code"}))
	case *ast.Emphasis:
		name := "italic"
		if n.Level == 2 {
			name = "bold"
		}
		w.children(n, with(Mark{Type: name}))
	case *extast.Strikethrough:
		w.children(n, with(Mark{Type: "strike"}))
	case *ast.Link:
		w.children(n, with(linkMark(string(n.Destination), string(n.Title))))
	case *ast.AutoLink:
		w.add(string(n.Label(w.source)), with(linkMark(string(n.URL(w.source)), "")))
	case *ast.RawHTML:
		var raw strings.Builder
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			raw.Write(segment.Value(w.source))
		}
		w.add(raw.String(), with(Mark{Type: typeRaw}))
	case *ast.Image:
		w.add(renderImage(w.alt(n), string(n.Destination), string(n.Title)), with(Mark{Type: typeRaw}))
	case *wikilinkNode:
		if n.embed {
			w.add(n.markdown(), with(Mark{Type: typeRaw}))
			return
		}
		attrs := map[string]any{"target": n.target}
		if n.label != "" {
			attrs["label"] = n.label
		}
		w.nodes = append(w.nodes, Node{Type: typeWikilink, Attrs: attrs, Marks: slices.Clone(marks)})
	default:
		w.children(n, marks)
	}
}

func (w *inlineReader) alt(n ast.Node) string { return reader{string(w.source)}.plainText(n) }

func (w *inlineReader) code(n *ast.CodeSpan) string {
	var code strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			code.Write(t.Segment.Value(w.source))
		}
	}
	return strings.ReplaceAll(code.String(), "\n", " ")
}

func linkMark(href, title string) Mark {
	m := Mark{Type: "link", Attrs: map[string]any{"href": href}}
	if title != "" {
		m.Attrs["title"] = title
	}
	return m
}

// unescape resolves backslashes and character references.
func unescape(value []byte) string {
	var out strings.Builder
	for i := 0; i < len(value); i++ {
		c := value[i]
		if c == '\\' && i+1 < len(value) && util.IsPunct(value[i+1]) {
			i++
			out.WriteByte(value[i])
			continue
		}
		if plain, length := resolveReference(value[i:]); length > 0 {
			out.Write(plain)
			i += length - 1
			continue
		}
		out.WriteByte(c)
	}
	return out.String()
}

// maxReference is how long a character reference can be.
const maxReference = 40

// resolveReference is the text of the character reference that value begins with,
// and the length of that; 0: there is none.
func resolveReference(value []byte) (plain []byte, length int) {
	if value[0] != '&' {
		return nil, 0
	}
	length = slices.Index(value[:min(maxReference, len(value))], ';') + 1
	if length < 3 {
		return nil, 0
	}
	reference := value[:length]
	plain = util.ResolveEntityNames(util.ResolveNumericReferences(reference))
	if string(plain) == string(reference) || !isText(string(plain)) {
		return nil, 0
	}
	return plain, length
}

// A wikilinkNode is [[target|label]], or ![[target|label]], which embeds it.
type wikilinkNode struct {
	ast.BaseInline
	target, label string
	embed         bool
}

// Kind and Dump implement [ast.Node].
func (*wikilinkNode) Kind() ast.NodeKind { return ast.KindLink }

func (n *wikilinkNode) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, nil, nil)
}

func (n *wikilinkNode) markdown() string {
	link := renderWikilink(n.target, n.label)
	if n.embed {
		link = "!" + link
	}
	return link
}

type wikilinkParser struct{}

// Trigger implements [parser.InlineParser].
func (wikilinkParser) Trigger() []byte { return []byte{'[', '!'} }

// Parse implements [parser.InlineParser].
func (wikilinkParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	rest := string(line)
	n := &wikilinkNode{}
	if rest[0] == '!' {
		n.embed, rest = true, rest[1:]
	}
	inner, ok := strings.CutPrefix(rest, "[[")
	if !ok {
		return nil
	}
	inner, _, ok = strings.Cut(inner, "]]")
	if !ok || strings.ContainsAny(inner, "[]\\") || strings.TrimSpace(inner) == "" {
		return nil
	}
	n.target, n.label, _ = strings.Cut(inner, "|")
	if renderWikilink(n.target, n.label) != "[["+inner+"]]" || n.target == "" {
		return nil
	}
	length := len("[[]]") + len(inner)
	if n.embed {
		length++
	}
	block.Advance(length)
	return n
}
