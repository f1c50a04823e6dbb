// Package editordoc converts the Markdown of a page to the JSON document of a
// block editor (TipTap's nodes), and back.
//
// The Markdown is the page. What an editor has no node for is a node of raw Markdown,
// and a block whose usual spelling differs from the page's keeps the page's beside it,
// so that a document becomes the text again that it was made of, byte for byte.
// [Update] changes only the bytes of blocks that were edited, also when an editor has
// dropped what it did not know.
//
// It reads no file and no database. Only tools/markdown imports it. Start reading at
// [FromMarkdown], then [Update].
package editordoc

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Limits of a document: a page that is larger or deeper is one node of raw Markdown.
const (
	MaxBytes = 1 << 20
	maxDepth = 24
)

// Node types. Names are those of TipTap's extensions where it has one.
const (
	typeDoc         = "doc"
	typeText        = "text"
	typeParagraph   = "paragraph"
	typeHeading     = "heading"
	typeBulletList  = "bulletList"
	typeOrderedList = "orderedList"
	typeTaskList    = "taskList"
	typeListItem    = "listItem"
	typeTaskItem    = "taskItem"
	typeCode        = "codeBlock"
	typeQuote       = "blockquote"
	typeCallout     = "callout"
	typeToggle      = "toggle"
	typeRule        = "horizontalRule"
	typeImage       = "image"
	typeTable       = "table"
	typeRow         = "tableRow"
	typeHeader      = "tableHeader"
	typeCell        = "tableCell"
	typeBookmark    = "bookmark"
	typeRaw         = "rawMarkdown"
	typeBreak       = "hardBreak"
	typeWikilink    = "wikilink"
)

// A Node is a node of a document, as TipTap writes it.
type Node struct {
	Type    string         `json:"type"`
	Attrs   map[string]any `json:"attrs,omitempty"`
	Content []Node         `json:"content,omitempty"`
	Text    string         `json:"text,omitempty"`
	Marks   []Mark         `json:"marks,omitempty"`

	spans []span // of Content in the text of the block; nil: not known
}

// A Mark is what a run of text is: bold, italic, strike, code, link, or rawMarkdown.
type Mark struct {
	Type  string         `json:"type"`
	Attrs map[string]any `json:"attrs,omitempty"`
}

// A span is a range of bytes.
type span struct{ start, end int }

// sourceAttr is the attribute that keeps the spelling of a block, with the blank lines
// after it.
const sourceAttr = "source"

// FromMarkdown makes a document of a page without its front matter. The text is UTF-8
// whose lines end with LF.
func FromMarkdown(text string) Node {
	doc := Node{Type: typeDoc}
	blocks := splitBlocks(text)
	for i, b := range blocks {
		if source := text[b.start:b.end]; (writer{}).block(b.node)+gapAfter(i == len(blocks)-1) != source {
			b.node = withSource(b.node, source)
		}
		doc.Content = append(doc.Content, b.node)
	}
	if doc.Content == nil {
		doc.Content = []Node{{Type: typeParagraph}}
	}
	return doc
}

// JSON is the document as an editor reads it.
func (n Node) JSON() string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(n) // it holds nothing but text, numbers and booleans
	return strings.TrimSuffix(out.String(), "\n")
}

// gapAfter is what usually follows a block.
func gapAfter(last bool) string {
	if last {
		return "\n"
	}
	return "\n\n"
}

func withSource(n Node, source string) Node {
	n.Attrs = maps.Clone(n.Attrs)
	if n.Attrs == nil {
		n.Attrs = map[string]any{}
	}
	n.Attrs[sourceAttr] = source
	return n
}

// key is equal for nodes that say the same, whatever else an editor keeps of them.
func (n Node) key() string {
	var out strings.Builder
	n.writeKey(&out)
	return out.String()
}

func (n Node) writeKey(out *strings.Builder) {
	known := nodeTypes()[n.Type]
	writeAttrs(out, n.Type, n.Attrs, known.attrs)
	marks := slices.Clone(n.Marks)
	slices.SortFunc(marks, func(a, b Mark) int { return strings.Compare(a.Type, b.Type) })
	for _, m := range marks {
		writeAttrs(out, "+"+m.Type, m.Attrs, markTypes()[m.Type])
	}
	if n.Type == typeText {
		data, _ := json.Marshal(n.Text)
		out.Write(data)
	}
	out.WriteByte('[')
	for _, child := range joinText(withoutEmpty(n)) {
		child.writeKey(out)
	}
	out.WriteByte(']')
}

func writeAttrs(out *strings.Builder, name string, attrs map[string]any, known map[string]attr) {
	out.WriteString(name)
	for _, key := range slices.Sorted(maps.Keys(known)) {
		if value := known[key].plain(attrs[key]); value != nil && value != known[key].usual {
			data, _ := json.Marshal(value)
			out.WriteString(" " + key + "=")
			out.Write(data)
		}
	}
}

// withoutEmpty are the children of a node but for the empty paragraphs that editors
// keep where one can type: Markdown has none.
func withoutEmpty(n Node) []Node {
	if len(n.Content) == 0 || n.Type == typeParagraph || n.Type == typeHeading {
		return n.Content
	}
	var kept []Node
	for _, child := range n.Content {
		if child.Type != typeParagraph || len(child.Content) > 0 || child.Attrs[sourceAttr] != nil {
			kept = append(kept, child)
		}
	}
	return kept
}

// joinText joins neighbouring texts with the same marks.
func joinText(nodes []Node) []Node {
	var joined []Node
	for _, n := range nodes {
		if n.Type == typeText && n.Text == "" {
			continue
		}
		last := len(joined) - 1
		if last >= 0 && n.Type == typeText && joined[last].Type == typeText && sameMarks(n.Marks, joined[last].Marks) {
			joined[last].Text += n.Text
			continue
		}
		joined = append(joined, n)
	}
	return joined
}

func sameMarks(a, b []Mark) bool {
	return len(a) == len(b) && (len(a) == 0 || Node{Type: typeText, Marks: a}.key() == Node{Type: typeText, Marks: b}.key())
}
