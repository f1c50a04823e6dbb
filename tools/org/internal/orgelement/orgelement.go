// Package orgelement reads what stands below a heading of an Org file: paragraphs,
// lists, tables, blocks and drawers, and in their text markup, links, timestamps
// and the other objects. It reads as Org 9.5's own parser does, where the file is
// asked about and no further: elements and the objects of an element are parsed
// on demand, in time linear in their length whatever the bytes are. It knows no
// headings (package orgfile finds those) and writes nothing. Package orgexport and
// whatever looks for links import it. Start reading at [Elements] and [Objects].
package orgelement

import (
	"slices"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A Kind says what a Node is.
type Kind uint8

// The kinds of elements.
const (
	Paragraph Kind = iota + 1
	PlainList
	Item
	Table // Key is "table.el" for a table of that package
	TableRow
	SourceBlock  // Key is the language, Arguments what follows it
	ExampleBlock // Arguments are its switches
	ExportBlock  // Key is the back end in upper case
	CommentBlock
	VerseBlock
	QuoteBlock
	CenterBlock
	SpecialBlock // Key is its name as written
	DynamicBlock // Key is its name
	Drawer       // Key is its name
	KeywordLine  // Key in upper case, Value
	BabelCall
	Comment
	FixedWidth
	HorizontalRule
	LatexEnvironment
	FootnoteDefinition // Key is its label
	ClockLine
	DiaryLine
	InlineTask // Arguments is its heading line without stars
)

// The kinds of objects.
const (
	Text Kind = iota + 64
	Bold
	Italic
	Underline
	StrikeThrough
	Code     // Value
	Verbatim // Value
	Subscript
	Superscript
	Link
	Timestamp
	FootnoteReference // Key is the label, "" for an anonymous one; Contents its definition if it is inline
	StatisticsCookie
	Target      // Value
	RadioTarget // Value
	Macro       // Key, Arguments
	Entity      // Key
	LatexFragment
	LineBreak
	ExportSnippet // Key is the back end, Value
	InlineSource  // Key is the language, Value
	InlineCall
	Citation // Key is the style with its slash
	TableCell
)

// A Node is an element or an object. Its spans are ranges of the text that was
// parsed.
type Node struct {
	Kind       Kind
	Span       orgfile.Span // an element's lines with those that belong to it above; an object without the blanks behind it
	Contents   orgfile.Span // what is parsed further, or a block's text; empty if there is none
	Blank      int          // blank lines behind an element, blanks behind an object
	Key, Value string       // see the kinds
	Arguments  string
	Affiliated []Affiliated
	Children   []*Node // elements in an element; rows, items
	Item       ItemParts
	Link       LinkParts
}

// Affiliated is a keyword line that belongs to the element below it, "#+NAME: x".
type Affiliated struct {
	Key    string // upper case, the present spelling of Org ("LABEL" is NAME)
	Option string // between brackets, as in "#+CAPTION[short]: long"
	Value  string
}

// ItemParts are the parts of an item in front of its text. For a PlainList they
// are those of its first item.
type ItemParts struct {
	Bullet   string
	Counter  string // of "[@5]"
	Checkbox byte   // ' ', 'X' or '-', 0 for none
	Tag      orgfile.Span
	HasTag   bool
}

// LinkParts are the parts of a link.
type LinkParts struct {
	Form   byte   // '[' with brackets, '<' with angles, 'p' a plain one
	Type   string // "https", "file", "id"; "fuzzy" for a heading or target, "custom-id", "coderef"
	Path   string // without the type
	Search string // of a file link, behind "::"
	Raw    string // as written
}

// Ordered says whether a list or item is numbered.
func (n *Node) Ordered() bool {
	return n.Item.Bullet != "" && n.Item.Bullet[0] >= '0' && n.Item.Bullet[0] <= '9'
}

// Last returns the last value of an affiliated keyword, "" if there is none.
func (n *Node) Last(key string) string {
	for _, v := range slices.Backward(n.Affiliated) {
		if v.Key == key {
			return v.Value
		}
	}
	return ""
}

// maxDepth bounds how deep elements and objects are nested; what is deeper is text.
const maxDepth = 100

// Elements parses the elements of a range of text in which no line is a heading,
// but for inline tasks. text has LF as line breaks; use an entry without its
// planning line and property drawer. A nested element is in its parent's Children.
// inlineTasks is the number of stars from which on a heading line is an inline
// task, 0 for none.
func Elements(text []byte, s orgfile.Span, inlineTasks int) []*Node {
	p := newParser(text, int(s.Start), int(s.End), inlineTasks)
	return p.elements(int(s.Start), int(s.End), nil)
}
