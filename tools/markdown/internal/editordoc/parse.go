package editordoc

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads blocks as GitHub does, and wikilinks.
var markdown = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(append(parser.DefaultInlineParsers(),
			util.Prioritized(wikilinkParser{}, 150), util.Prioritized(extension.NewStrikethroughParser(), 500))...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200))...),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
})

// A block is a node with its bytes, the blank lines after it included.
type block struct {
	span
	node Node
}

// splitBlocks are the blocks of a text. Together they are all of it.
func splitBlocks(source string) []block {
	if source == "" {
		return nil
	}
	if len(source) > MaxBytes {
		return []block{{span{0, len(source)}, rawNode(source)}}
	}
	var blocks []block
	for _, s := range splitText(source) {
		blocks = append(blocks, block{s, blockNode(source[s.start:s.end])})
	}
	return joinToggles(source, blocks)
}

// splitText cuts a text where the parser sees blocks begin.
func splitText(source string) (spans []span) {
	doc := markdown().Parse(text.NewReader([]byte(source)))
	start := 0
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		at := lineStart(source, n.Pos())
		if n.PreviousSibling() == nil || at <= start {
			continue
		}
		spans = append(spans, span{start, at})
		start = at
	}
	return append(spans, span{start, len(source)})
}

// lineStart is the offset of the line with an offset.
func lineStart(source string, at int) int {
	return strings.LastIndexByte(source[:min(max(at, 0), len(source))], '\n') + 1
}

// blockNode is the node of a text that is one block; raw Markdown if it cannot be
// told.
func blockNode(source string) Node {
	context := parser.NewContext()
	doc := markdown().Parse(text.NewReader([]byte(source)), parser.WithContext(context))
	only := doc.FirstChild()
	if only == nil || only.NextSibling() != nil || len(context.References()) > 0 || strings.ContainsAny(source, "\x00\r") {
		return rawNode(source)
	}
	r := reader{source: source}
	if n, ok := r.block(only, 0); ok {
		return n
	}
	return rawNode(source)
}

func rawNode(source string) Node {
	return Node{Type: typeRaw, Attrs: map[string]any{"markdown": strings.TrimRight(source, "\n")}}
}

// A reader makes nodes of what the parser found.
type reader struct{ source string }

// block makes a node; false if there is none for it.
func (r reader) block(n ast.Node, depth int) (Node, bool) {
	if depth > maxDepth {
		return Node{}, false
	}
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		return r.paragraph(n), true
	case *ast.Heading:
		return Node{Type: typeHeading, Attrs: map[string]any{"level": n.Level}, Content: r.inline(n)}, true
	case *ast.ThematicBreak:
		return Node{Type: typeRule}, true
	case *ast.CodeBlock:
		return codeNode("", r.lines(n)), true
	case *ast.FencedCodeBlock:
		language := ""
		if n.Info != nil {
			language = string(n.Info.Segment.Value([]byte(r.source)))
		}
		return codeNode(strings.TrimSpace(language), r.lines(n)), true
	case *ast.Blockquote:
		return r.quote(n, depth)
	case *ast.List:
		return r.list(n, depth)
	case *extast.Table:
		return r.table(n), true
	case *ast.HTMLBlock:
		return bookmarkNode(r.lines(n))
	}
	return Node{}, false
}

func codeNode(language, code string) Node {
	n := Node{Type: typeCode, Attrs: map[string]any{"language": language}}
	if code = strings.TrimSuffix(code, "\n"); code != "" {
		n.Content = []Node{{Type: typeText, Text: code}}
	}
	return n
}

// lines are the lines of a block as they stand in the text.
func (r reader) lines(n ast.Node) string {
	var all strings.Builder
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		all.Write(segment.Value([]byte(r.source)))
	}
	return all.String()
}

// paragraph is an image if it holds nothing else.
func (r reader) paragraph(n ast.Node) Node {
	if image, ok := n.FirstChild().(*ast.Image); ok && image.NextSibling() == nil {
		alt := r.plainText(image)
		return Node{Type: typeImage, Attrs: map[string]any{"src": string(image.Destination), "alt": alt, "title": string(image.Title)}}
	}
	return Node{Type: typeParagraph, Content: r.inline(n)}
}

// children are the nodes of what stands in a block, and where they begin.
func (r reader) children(n ast.Node, depth int) (nodes []Node, ok bool) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		child, ok := r.block(c, depth+1)
		if !ok {
			return nil, false
		}
		nodes = append(nodes, child)
	}
	return nodes, true
}

var calloutLine = regexp.MustCompile(`^\[!([A-Za-z0-9_-]+)\]([+-]?)(?:[ \t]+([^\n]*?))?[ \t]*(?:\n|$)`)

// quote is a block quote, or a callout: > [!note] Title.
func (r reader) quote(n *ast.Blockquote, depth int) (Node, bool) {
	first, isText := n.FirstChild().(*ast.Paragraph)
	var m []string
	if isText {
		m = calloutLine.FindStringSubmatch(r.lines(first))
	}
	content, ok := r.children(n, depth)
	if m == nil || !ok {
		return Node{Type: typeQuote, Content: content}, ok
	}
	callout := Node{Type: typeCallout, Attrs: map[string]any{"kind": m[1], "fold": m[2], "title": m[3]}}
	if first.Lines().Len() > 1 { // the text goes on below the title
		rest := strings.TrimPrefix(r.lines(first), m[0])
		inner := blockNode(rest)
		if inner.Type == typeRaw {
			return Node{}, false
		}
		callout.Content = append(callout.Content, inner)
	}
	callout.Content = append(callout.Content, content[1:]...)
	return callout, true
}

var taskBox = regexp.MustCompile(`^\[([ xX])\](?:[ \t]+|\n|$)`)

// list is a list; of tasks if each item has a box.
func (r reader) list(n *ast.List, depth int) (Node, bool) {
	list := Node{Type: typeBulletList}
	if n.IsOrdered() {
		list = Node{Type: typeOrderedList, Attrs: map[string]any{"start": n.Start}}
	} else if r.isTaskList(n) {
		list.Type = typeTaskList
	}
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		node := Node{Type: typeListItem}
		content, ok := r.children(item, depth+1)
		if !ok {
			return Node{}, false
		}
		if list.Type == typeTaskList {
			node.Type = typeTaskItem
			box := taskBox.FindStringSubmatch(r.lines(item.FirstChild()))
			node.Attrs = map[string]any{"checked": box[1] != " "}
			content[0].Content = withoutBox(content[0].Content, len(box[0]))
		}
		node.Content = content
		list.Content = append(list.Content, node)
		if at := lineStart(r.source, item.Pos()); len(list.spans) > 0 {
			list.spans[len(list.spans)-1].end = at
			list.spans = append(list.spans, span{at, len(r.source)})
		} else {
			list.spans = []span{{at, len(r.source)}}
		}
	}
	if depth > 0 {
		list.spans = nil // where it ends is not known
	}
	return list, true
}

// isTaskList reports whether every item begins with a box and a word.
func (r reader) isTaskList(n *ast.List) bool {
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		first := item.FirstChild()
		if first == nil || first.Kind() != ast.KindParagraph && first.Kind() != ast.KindTextBlock || !taskBox.MatchString(r.lines(first)) {
			return false
		}
		if content := r.paragraph(first).Content; len(content) == 0 || content[0].Type != typeText || len(content[0].Marks) > 0 ||
			!strings.HasPrefix(content[0].Text, taskBox.FindString(r.lines(first))) {
			return false
		}
	}
	return true
}

// withoutBox takes the box from the text of a task.
func withoutBox(content []Node, box int) []Node {
	content[0].Text = content[0].Text[min(box, len(content[0].Text)):]
	if content[0].Text == "" {
		return content[1:]
	}
	return content
}

func (r reader) table(n *extast.Table) Node {
	table := Node{Type: typeTable}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		kind := typeCell
		if row.Kind() == extast.KindTableHeader {
			kind = typeHeader
		}
		node := Node{Type: typeRow}
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cell := Node{Type: kind, Content: []Node{{Type: typeParagraph, Content: r.inline(c)}}}
			if a, ok := c.(*extast.TableCell); ok && a.Alignment != extast.AlignNone {
				cell.Attrs = map[string]any{"align": a.Alignment.String()}
			}
			node.Content = append(node.Content, cell)
		}
		table.Content = append(table.Content, node)
	}
	return table
}

var bookmark = regexp.MustCompile(`^<!-- bookmark: (\{.*\}) -->\s*$`)

func bookmarkNode(source string) (Node, bool) {
	m := bookmark.FindStringSubmatch(source)
	data := map[string]any{}
	if m == nil || json.Unmarshal([]byte(m[1]), &data) != nil || strings.Contains(m[1], `\u0000`) { // which JSON in PostgreSQL cannot have
		return Node{}, false
	}
	return Node{Type: typeBookmark, Attrs: map[string]any{"data": data}}, true
}

var (
	toggleStart = regexp.MustCompile(`^<details( open)?>\s*<summary>([^<>\n]*)</summary>\s*$`)
	toggleEnd   = regexp.MustCompile(`^</details>\s*$`)
)

// joinToggles makes toggles of the blocks between <details> and </details>.
func joinToggles(source string, blocks []block) []block {
	var joined []block
	for i := 0; i < len(blocks); i++ {
		b := blocks[i]
		m := toggleStart.FindStringSubmatch(source[b.start:b.end])
		end := i + 1
		for m != nil && end < len(blocks) && !toggleEnd.MatchString(source[blocks[end].start:blocks[end].end]) {
			if toggleStart.MatchString(source[blocks[end].start:blocks[end].end]) {
				m = nil // one in another stays raw
			}
			end++
		}
		if m != nil && end < len(blocks) {
			toggle := Node{Type: typeToggle, Attrs: map[string]any{"summary": m[2], "open": m[1] != ""}}
			whole := span{b.start, blocks[end].end}
			for _, inner := range blocks[i+1 : end] {
				toggle.Content = append(toggle.Content, inner.node)
				toggle.spans = append(toggle.spans, span{inner.start - b.start, inner.end - b.start})
			}
			if len(splitText(source[whole.start:whole.end])) == end-i+1 { // else it is read otherwise by itself
				b, i = block{whole, toggle}, end
			}
		}
		joined = append(joined, b)
	}
	return joined
}
