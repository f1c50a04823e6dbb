package cardtext

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	htmlparser "golang.org/x/net/html"
)

// Some elements hold text in which no tag counts, up to their own end tag. One that is not
// closed would take everything behind it: it is text, and what follows stays what it is.

// rawTextElements are those, as HTML has them.
var rawTextElements = map[string]bool{
	"script": true, "style": true, "title": true, "textarea": true, "xmp": true, "plaintext": true, "iframe": true, "noembed": true,
	"noframes": true, "noscript": true,
}

// A rawTextEnds knows where the last end tag of each of them is in a text.
type rawTextEnds struct {
	lower string
	last  map[string]int
}

func newRawTextEnds(text string) rawTextEnds { return rawTextEnds{lowerASCII(text), map[string]int{}} }

// lowerASCII keeps the length of a text.
func lowerASCII(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// closes reports whether an end that is spelled so follows a place.
func (e rawTextEnds) closes(end string, at int) bool {
	last, known := e.last[end]
	if !known {
		last = strings.LastIndex(e.lower, end)
		e.last[end] = last
	}
	return last >= at
}

// A tagReader is a tokenizer of HTML for which what is not closed holds no raw text.
type tagReader struct {
	*htmlparser.Tokenizer
	ends rawTextEnds
	read int
}

func newTagReader(text string) *tagReader {
	return &tagReader{Tokenizer: htmlparser.NewTokenizer(strings.NewReader(text)), ends: newRawTextEnds(text)}
}

// next reads a token; open says that it begins an element of raw text that is not closed.
func (r *tagReader) next() (kind htmlparser.TokenType, raw, name string, open bool) {
	kind = r.Next()
	raw = string(r.Raw())
	r.read += len(raw)
	switch kind {
	case htmlparser.StartTagToken, htmlparser.EndTagToken, htmlparser.SelfClosingTagToken:
		b, _ := r.TagName()
		name = string(b)
		if kind == htmlparser.StartTagToken && rawTextElements[name] && !r.ends.closes("</"+name, r.read) {
			r.NextIsNotRawText()
			open = true
		}
	case htmlparser.ErrorToken, htmlparser.TextToken, htmlparser.CommentToken, htmlparser.DoctypeToken:
	}
	return kind, raw, name, open
}

// closedComments is HTML in which a comment that is not closed is text.
func closedComments(text string) string {
	end := strings.LastIndex(text, "-->") + 1
	return text[:end] + strings.ReplaceAll(text[end:], "<!--", "&lt;!--")
}

// closedBlocks opens no block of HTML that would go to the end of the text because it is not
// closed.
type closedBlocks struct{ parser.BlockParser }

// Open implements [parser.BlockParser].
func (p closedBlocks) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	if end := neededEnd(line); end != "" {
		ends, _ := pc.Get(rawTextEndsKey).(rawTextEnds)
		if ends.last == nil {
			ends = newRawTextEnds(string(reader.Source()))
			pc.Set(rawTextEndsKey, ends)
		}
		if !ends.closes(end, segment.Start) {
			return nil, parser.NoChildren
		}
	}
	return p.BlockParser.Open(parent, reader, pc)
}

var (
	rawTextEndsKey = parser.NewContextKey()
	trustedKey     = parser.NewContextKey() // set where nothing is made text
)

var blockStart = regexp.MustCompile(`^<(!--|\?|!\[CDATA\[|![A-Za-z]|[A-Za-z]+)`)

// neededEnd is what ends the raw text that a line begins; empty: it begins none.
func neededEnd(line []byte) string {
	m := blockStart.FindSubmatch(bytes.TrimLeft(line, " "))
	if m == nil {
		return ""
	}
	switch name := lowerASCII(string(m[1])); {
	case name == "!--":
		return "-->"
	case name == "?":
		return "?>"
	case name == "![cdata[":
		return "]]>"
	case name[0] == '!':
		return ">"
	case rawTextElements[name]:
		return "</" + name
	}
	return ""
}

// A textTransformer makes text of tags within a line that hold raw text or are stray, and of
// the boxes of tasks: rich text has neither.
type textTransformer struct{}

// Transform implements [parser.ASTTransformer].
func (textTransformer) Transform(doc *ast.Document, reader text.Reader, pc parser.Context) {
	if pc.Get(trustedKey) != nil {
		return
	}
	replaced := replacedTags{source: reader.Source(), by: map[ast.Node]string{}}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Type() == ast.TypeBlock { // its lines are its own
			replaced.open = nil
		}
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *extension.TaskCheckBox:
			replaced.by[n] = map[bool]string{true: "[x] ", false: "[ ] "}[n.IsChecked]
		case *ast.RawHTML:
			replaced.add(n)
		}
		return ast.WalkContinue, nil
	})
	for n, literal := range replaced.by {
		shown := ast.NewString([]byte(html.EscapeString(literal)))
		shown.SetCode(true) // it is written as it is
		n.Parent().ReplaceChild(n.Parent(), n, shown)
	}
}

// replacedTags are the tags of a text that are text, and what stands in the place of each.
type replacedTags struct {
	source []byte
	by     map[ast.Node]string
	open   []*ast.RawHTML // of the present block
}

func (r *replacedTags) add(n *ast.RawHTML) {
	tag := string(n.Segments.Value(r.source))
	name, isEnd := tagName(tag)
	switch {
	case !rawTextElements[name]:
		return
	case !isEnd:
		r.open = append(r.open, n)
	}
	r.by[n] = tag
	if !isEnd {
		return
	}
	for i, begin := range slices.Backward(r.open) {
		if other, _ := tagName(string(begin.Segments.Value(r.source))); other == name {
			r.by[n], r.by[begin] = "", "" // what is between them is shown
			r.open = r.open[:i]
			return
		}
	}
}

var tagStart = regexp.MustCompile(`^<(/?)([A-Za-z][A-Za-z0-9-]*)`)

func tagName(tag string) (name string, isEnd bool) {
	m := tagStart.FindStringSubmatch(tag)
	if m == nil {
		return "", false
	}
	return strings.ToLower(m[2]), m[1] != ""
}

// newMarkdown reads GitHub's Markdown so.
func newMarkdown(options ...goldmark.Option) goldmark.Markdown {
	blocks := parser.DefaultBlockParsers()
	for i, one := range blocks {
		if one.Value == parser.NewHTMLBlockParser() {
			blocks[i].Value = closedBlocks{parser.NewHTMLBlockParser()}
		}
	}
	return goldmark.New(append([]goldmark.Option{goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(blocks...), parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithASTTransformers(util.Prioritized(textTransformer{}, 1000)),
	))}, options...)...)
}
