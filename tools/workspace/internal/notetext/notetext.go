// Package notetext reads what the Markdown of a note says: its front matter, title,
// tags, links and sections, and the typed properties that these are by a class. It
// changes text only where it is asked to set a section, and then no other byte.
//
// It keeps nothing and knows no database. tools/workspace imports it. Start reading
// at [Parse], then [Text.Properties].
package notetext

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A Text is what the Markdown of a note says.
type Text struct {
	FrontMatter map[string]any // ready for JSON; empty if there is none
	Problem     string         // why the front matter cannot be read; empty: it can
	Title       string         // the first heading of level 1, else title in the front matter; empty: none
	Class       string         // class in the front matter; empty: none
	Tags        []string       // without #, in order, each once
	Sections    []Section      // in order
	Links       []Link         // in order, each once
}

// A Section is a heading of level 2 with what follows it.
type Section struct {
	Name  string
	Value string // up to the next heading of any level, trimmed
	Whole string // with the headings below it: up to the next of level 1 or 2, trimmed

	start, end int // of what follows the heading, up to the next of level 1 or 2
}

// A Link is a place in the text that names another note, or an attachment.
type Link struct {
	Target string // an id, a title, or the name of a file without .md
	Kind   string // wiki, uri, file or attachment
}

// blocks reads Markdown as CommonMark does. What stands in code is no heading, tag or
// link.
var blocks = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300)),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
})

// Parse reads a note. Text that is not what it looks like is text.
func Parse(markdown string) Text {
	var t Text
	block, body := splitFrontMatter(markdown)
	t.FrontMatter, t.Problem = parseFrontMatter(block)
	t.Title, t.Class = scalarText(t.FrontMatter["title"]), scalarText(t.FrontMatter["class"])
	for _, key := range []string{"tags", "tag"} {
		for _, tag := range listOf(t.FrontMatter[key], ", ") {
			t.addTag(strings.TrimPrefix(tag, "#"))
		}
	}
	if blocks, ok := simpleBlocks(markdown[body:]); ok {
		t.addSimple(blocks, markdown[body:], body)
	} else {
		t.addCommonMark(markdown[body:], body)
	}
	return t
}

// addCommonMark reads everything from a text that begins at body in the whole one.
func (t *Text) addCommonMark(markdown string, body int) {
	source := []byte(markdown)
	doc := blocks().Parse(text.NewReader(source))
	t.addSections(headings(doc, source), markdown, body)
	t.addInline(doc, source)
}

func (t *Text) addTag(tag string) {
	if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(t.Tags, tag) {
		t.Tags = append(t.Tags, tag)
	}
}

// A heading has its level, and where its line begins and the next one does.
type heading struct {
	level, start, end int
	name              string
}

// headings are those that no list and no quotation holds.
func headings(doc ast.Node, source []byte) (list []heading) {
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, is := n.(*ast.Heading)
		if !is || h.Lines().Len() == 0 {
			continue
		}
		line := h.Lines().At(0)
		start, end := lineAround(source, line.Start)
		if !bytes.HasPrefix(bytes.TrimLeft(source[start:end], " "), []byte("#")) {
			continue // underlined: not how notes have properties
		}
		list = append(list, heading{h.Level, start, end, strings.TrimSpace(string(line.Value(source)))})
	}
	return list
}

// addSections reads the title and the sections. Its offsets are those of the whole text, in
// which source begins at body.
func (t *Text) addSections(headings []heading, source string, body int) {
	hasTitle := false
	var short, whole *Section // what the next heading ends
	until := func(s *Section, at int) string { return strings.TrimSpace(source[s.start-body : at]) }
	for _, h := range headings {
		if short != nil {
			short.Value, short = until(short, h.start), nil
		}
		if whole != nil && h.level <= 2 {
			whole.Whole, whole.end, whole = until(whole, h.start), body+h.start, nil
		}
		switch {
		case h.level == 1 && !hasTitle:
			t.Title, hasTitle = h.name, true
		case h.level == 2:
			t.Sections = append(t.Sections, Section{Name: h.name, start: body + h.end})
			short = &t.Sections[len(t.Sections)-1]
			whole = short
		}
	}
	if short != nil {
		short.Value = until(short, len(source))
	}
	if whole != nil {
		whole.Whole, whole.end = until(whole, len(source)), body+len(source)
	}
}

// lineAround returns where the line with the byte at begins, and where the next one does.
func lineAround(source []byte, at int) (start, end int) {
	start = bytes.LastIndexByte(source[:at], '\n') + 1
	if i := bytes.IndexByte(source[at:], '\n'); i >= 0 {
		return start, at + i + 1
	}
	return start, len(source)
}

var (
	wikiLink = regexp.MustCompile(`(#?)\[\[([^\[\]\r\n]+)\]\]`)
	noteURI  = regexp.MustCompile(`\b(?:ieapp|workspace)://[^/\s<>()]+/notes/([A-Za-z0-9_-]+)`)
	hashTag  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[\s(,;])#([\pL\pN_/-]*\pL[\pL\pN_/-]*)`) })
)

// addInline reads the tags and links of every line that is not code.
func (t *Text) addInline(doc ast.Node, source []byte) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // no error of ours
		if !entering || n.Type() != ast.TypeBlock || !hasInline(n) {
			return ast.WalkContinue, nil
		}
		lines := n.Lines()
		if lines.Len() == 0 {
			return ast.WalkContinue, nil
		}
		start, end := lines.At(0).Start, lines.At(lines.Len()-1).Stop
		plain := bytes.Clone(source[start:end])
		t.addNodes(n, source, plain, start)
		t.addPlain(string(plain))
		return ast.WalkSkipChildren, nil
	})
}

// addNodes reads where links lead, and blanks code spans in plain, which is source
// from start on.
func (t *Text) addNodes(n ast.Node, source, plain []byte, start int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.CodeSpan:
			blank(plain, c, start)
			continue
		case *ast.Link:
			t.addDestination(string(c.Destination))
		case *ast.Image:
			t.addDestination(string(c.Destination))
		case *ast.AutoLink:
			t.addDestination(string(c.URL(source)))
		}
		t.addNodes(c, source, plain, start)
	}
}

func hasInline(n ast.Node) bool {
	switch n.Kind() {
	case ast.KindParagraph, ast.KindTextBlock, ast.KindHeading:
		return true
	}
	return false
}

// blank writes spaces over the text of a code span.
func blank(plain []byte, code ast.Node, start int) {
	for c := code.FirstChild(); c != nil; c = c.NextSibling() {
		if seg, is := c.(*ast.Text); is {
			for i := seg.Segment.Start; i < seg.Segment.Stop; i++ {
				plain[i-start] = ' '
			}
		}
	}
}

func (t *Text) addPlain(plain string) {
	// Most lines have none of it, and the patterns take their time.
	for _, m := range matches(wikiLink, plain, "[[") {
		target, _, _ := strings.Cut(m[2], "|")
		target, _, _ = strings.Cut(target, "#")
		switch target = strings.TrimSpace(target); {
		case m[1] != "":
			t.addTag(target)
		case target != "":
			t.addLink(target, "wiki")
		}
	}
	for _, m := range matches(noteURI, plain, "://") {
		t.addLink(m[1], "uri")
	}
	for _, m := range matches(hashTag(), plain, "#") {
		t.addTag(strings.Trim(m[1], "/-"))
	}
}

// matches are those of a pattern in a text; has is in each of them.
func matches(pattern *regexp.Regexp, plain, has string) [][]string {
	if !strings.Contains(plain, has) {
		return nil
	}
	return pattern.FindAllStringSubmatch(plain, -1)
}

// addDestination reads where a Markdown link leads: to a note, to an attachment, or
// out of the workspace.
func (t *Text) addDestination(to string) {
	if m := matches(noteURI, to, "://"); m != nil {
		t.addLink(m[0][1], "uri")
		return
	}
	to, _, _ = strings.Cut(to, "#")
	if plain, err := unescapePath(to); err == nil {
		to = plain
	}
	if to == "" || strings.Contains(to, ":") || strings.HasPrefix(to, "//") {
		return
	}
	if name, is := strings.CutSuffix(to, ".md"); is {
		t.addLink(name, "file")
	} else {
		t.addLink(to, "attachment")
	}
}

func (t *Text) addLink(target, kind string) {
	if l := (Link{target, kind}); !slices.Contains(t.Links, l) {
		t.Links = append(t.Links, l)
	}
}
