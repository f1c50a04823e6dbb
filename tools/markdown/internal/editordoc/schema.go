package editordoc

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// An attr is an attribute that says something. Others are an editor's own: they are
// not kept.
type attr struct {
	kind  string // string, number, bool or object
	usual any    // what it means if it is missing
}

// plain is a value as it is compared: numbers as float64, objects as their JSON.
func (a attr) plain(value any) any {
	switch v := value.(type) {
	case int:
		return float64(v)
	case map[string]any:
		data, _ := json.Marshal(v)
		return string(data)
	}
	return value
}

// A nodeType is what a node of a type may hold.
type nodeType struct {
	attrs   map[string]attr
	content string // the group of its children: block, inline, item, task, row, cell; empty: none
	group   string // that it is in
	// ownAttrs means that the node is nothing without its attributes. One that has only others is of another
	// editor, and what it says would be lost.
	ownAttrs bool
}

// nodeTypes are the nodes that can be read.
var nodeTypes = sync.OnceValue(func() map[string]nodeType {
	text := attr{"string", ""}
	cell := map[string]attr{"align": text, "colspan": {"number", 1.0}, "rowspan": {"number", 1.0}}
	return map[string]nodeType{
		typeDoc:         {content: "block"},
		typeText:        {group: "inline"},
		typeBreak:       {group: "inline"},
		typeWikilink:    {attrs: map[string]attr{"target": text, "label": text}, group: "inline", ownAttrs: true},
		typeParagraph:   {content: "inline", group: "block"},
		typeHeading:     {attrs: map[string]attr{"level": {"number", 1.0}}, content: "inline", group: "block"},
		typeBulletList:  {content: "item", group: "block"},
		typeOrderedList: {attrs: map[string]attr{"start": {"number", 1.0}}, content: "item", group: "block"},
		typeTaskList:    {content: "task", group: "block"},
		typeListItem:    {content: "block", group: "item"},
		typeTaskItem:    {attrs: map[string]attr{"checked": {"bool", false}}, content: "block", group: "task"},
		typeCode:        {attrs: map[string]attr{"language": text}, content: "inline", group: "block"},
		typeQuote:       {content: "block", group: "block"},
		typeCallout:     {attrs: map[string]attr{"kind": text, "title": text, "fold": text}, content: "block", group: "block", ownAttrs: true},
		typeToggle:      {attrs: map[string]attr{"summary": text, "open": {"bool", false}}, content: "block", group: "block", ownAttrs: true},
		typeRule:        {group: "block"},
		typeImage:       {attrs: map[string]attr{"src": text, "alt": text, "title": text}, group: "block", ownAttrs: true},
		typeTable:       {content: "row", group: "block"},
		typeRow:         {content: "cell", group: "row"},
		typeHeader:      {attrs: cell, content: "block", group: "cell"},
		typeCell:        {attrs: cell, content: "block", group: "cell"},
		typeBookmark:    {attrs: map[string]attr{"data": {"object", nil}}, group: "block", ownAttrs: true},
		typeRaw:         {attrs: map[string]attr{"markdown": text}, group: "block"},
	}
})

// markTypes are the marks that can be read.
var markTypes = sync.OnceValue(func() map[string]map[string]attr {
	text := attr{"string", ""}
	return map[string]map[string]attr{
		"bold": {}, "italic": {}, "strike": {}, "code": {}, typeRaw: {},
		"link": {"href": text, "title": text},
	}
})

// decode reads a document that an application wrote. Its errors name the place.
func decode(data string) (Node, error) {
	var value any
	if len(data) > 16*MaxBytes {
		return Node{}, fmt.Errorf("the document has %d MB; at most %d can be read", len(data)>>20, 16*MaxBytes>>20)
	}
	if err := json.Unmarshal([]byte(data), &value); err != nil {
		return Node{}, fmt.Errorf("it is not JSON: %w", err)
	}
	doc, err := decodeNode(value, "doc", 0)
	if err == nil && doc.Type != typeDoc {
		err = fmt.Errorf("doc: the type is %.40q, not doc", doc.Type)
	}
	return doc, err
}

func decodeNode(value any, place string, depth int) (n Node, err error) {
	fields, ok := value.(map[string]any)
	if !ok {
		return n, fmt.Errorf("%s: it is not a node", place)
	}
	if depth > 3*maxDepth {
		return n, fmt.Errorf("%.200s…: nodes are nested more than %d deep", place, 3*maxDepth)
	}
	n.Type, _ = fields["type"].(string)
	known, ok := nodeTypes()[n.Type]
	if !ok {
		return n, fmt.Errorf("%s: unknown type %.40q", place, n.Type)
	}
	if n.Attrs, err = decodeAttrs(fields["attrs"], known.attrs, place); err == nil {
		err = known.checkAttrs(fields["attrs"], n.Type, place)
	}
	if err != nil {
		return n, err
	}
	if n.Type == typeText {
		if n.Text, ok = fields["text"].(string); !ok || n.Text == "" || !isText(n.Text) {
			return n, fmt.Errorf("%s.text: it is not text", place)
		}
	}
	if n.Marks, err = decodeMarks(fields["marks"], place); err != nil {
		return n, err
	}
	err = n.decodeChildren(fields["content"], known.content, place, depth+1)
	return n, err
}

// decodeChildren reads what is in a node, of one group.
func (n *Node) decodeChildren(content any, group, place string, depth int) error {
	children, ok := content.([]any)
	if !ok && content != nil {
		return fmt.Errorf("%s.content: it is not a list", place)
	}
	for i, child := range children {
		at := fmt.Sprintf("%s.content[%d]", place, i)
		c, err := decodeNode(child, at, depth)
		if err != nil {
			return err
		}
		if nodeTypes()[c.Type].group != group {
			return fmt.Errorf("%s: a node of type %s cannot be in one of type %s", at, c.Type, n.Type)
		}
		if n.Type == typeCode && c.Type != typeText {
			return fmt.Errorf("%s: code holds text only", at)
		}
		n.Content = append(n.Content, c)
	}
	return nil
}

// checkAttrs refuses a node whose attributes are all those of another editor.
func (t nodeType) checkAttrs(attrs any, name, place string) error {
	written, _ := attrs.(map[string]any)
	if !t.ownAttrs || len(written) == 0 && name != typeWikilink {
		return nil
	}
	for name := range t.attrs {
		if _, has := written[name]; has {
			return nil
		}
	}
	return fmt.Errorf("%s.attrs: it has none of %s", place, strings.Join(slices.Sorted(maps.Keys(t.attrs)), ", "))
}

func decodeAttrs(value any, known map[string]attr, place string) (map[string]any, error) {
	fields, ok := value.(map[string]any)
	if !ok && value != nil {
		return nil, fmt.Errorf("%s.attrs: it is not an object", place)
	}
	var attrs map[string]any
	for key, v := range fields {
		a, ok := known[key]
		if key == sourceAttr {
			a, ok = attr{kind: "string"}, true
		}
		if !ok || v == nil {
			continue
		}
		if !a.accepts(v) {
			return nil, fmt.Errorf("%s.attrs.%s: it is not a %s", place, key, a.kind)
		}
		if attrs == nil {
			attrs = map[string]any{}
		}
		attrs[key] = v
	}
	return attrs, nil
}

// accepts reports whether a value is of the kind of the attribute.
func (a attr) accepts(value any) bool {
	switch v := value.(type) {
	case string:
		return a.kind == "string" && isText(v)
	case bool:
		return a.kind == "bool"
	case float64:
		return a.kind == "number" && v == math.Trunc(v) && v >= 0 && v < 1e9
	case map[string]any:
		return a.kind == "object"
	}
	return false
}

func decodeMarks(value any, place string) (marks []Mark, err error) {
	list, ok := value.([]any)
	if !ok && value != nil {
		return nil, fmt.Errorf("%s.marks: it is not a list", place)
	}
	for i, v := range list {
		at := fmt.Sprintf("%s.marks[%d]", place, i)
		fields, _ := v.(map[string]any)
		name, _ := fields["type"].(string)
		known, ok := markTypes()[name]
		if !ok {
			return nil, fmt.Errorf("%s: unknown type %.40q", at, name)
		}
		m := Mark{Type: name}
		if m.Attrs, err = decodeAttrs(fields["attrs"], known, at); err != nil {
			return nil, err
		}
		marks = append(marks, m)
	}
	return marks, nil
}

// isText reports whether a page can hold text.
func isText(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }
