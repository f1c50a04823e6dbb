package entry

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/ast"
)

// emptyValue matches the line of a key with an empty value, and a comment after
// it.
var emptyValue = regexp.MustCompile(`^(.*?:)[ \t]*(?:\{[ \t]*\}|\[[ \t]*\]|null|~)?((?:[ \t]+#.*)?[ \t]*\r?\n?)$`)

func (p Location) setYAML(e *edit, fields Fields) (made int, err error) {
	l := splitLines(e)
	body, err := parseYAML(e.text)
	if err != nil {
		return 0, err
	}
	root := mappingPairs(body)
	if body == nil || len(root) == 0 {
		if body != nil && strings.TrimSpace(string(e.text)) != "{}" {
			return 0, ErrByHand
		}
		if body != nil {
			e.splice(0, len(e.text), p.formatWithParent(fields, e.eol))
			return 1, nil
		}
		l.insertLines(len(l.starts)-1, p.formatWithParent(fields, e.eol))
		return 1, nil
	}
	key := findPair(root, p.Parents[0])
	if key == nil {
		if column(root[0].Key) != 0 {
			return 0, ErrByHand
		}
		l.insertLines(len(l.starts)-1, p.formatWithParent(fields, e.eol))
		return 1, nil
	}
	container := l.block(lineOf(key.Key), column(key.Key), p.List)
	if isFlow(key.Value) || isNull(key.Value) {
		return 0, p.insertFirstYAML(l, container, fields)
	}
	if mine, ok := p.entryBlock(l, key.Value); ok {
		l.splice(l.starts[mine.first], l.starts[mine.end], p.formatYAML(fields, mine.indent, l.eol))
		return 0, nil
	}
	indent, ok := childIndent(key.Value)
	if !ok {
		return 0, ErrByHand
	}
	l.insertLines(container.end, p.formatYAML(fields, indent, l.eol))
	return 0, nil
}

// insertFirstYAML adds the entry to an empty container.
func (p Location) insertFirstYAML(l yamlLines, container block, fields Fields) error {
	if !l.replaceEmptyValue(container.first, "") {
		return ErrByHand
	}
	l.insertLines(container.first+1, p.formatYAML(fields, container.indent+2, l.eol))
	return nil
}

// replaceEmptyValue replaces the empty value of the key on a line; false: there
// is none.
func (l yamlLines) replaceEmptyValue(line int, text string) bool {
	m := emptyValue.FindStringSubmatchIndex(l.line(line))
	if m == nil {
		return false
	}
	at := l.starts[line]
	l.splice(at+m[3], at+m[4], text)
	return true
}

func (p Location) removeYAML(e *edit, made int) error {
	l := splitLines(e)
	body, err := parseYAML(e.text)
	if err != nil {
		return err
	}
	key := findPair(mappingPairs(body), p.Parents[0])
	if key == nil {
		return nil
	}
	mine, ok := p.entryBlock(l, key.Value)
	if !ok {
		return ErrByHand
	}
	if childCount(key.Value) > 1 {
		l.splice(l.starts[mine.first], l.starts[mine.end], "")
		return nil
	}
	first := lineOf(key.Key)
	if made > 0 && mine.first == first+1 {
		l.splice(l.starts[first], l.starts[mine.end], "")
		return nil
	}
	empty := " {}"
	if p.List {
		empty = " []"
	}
	if !l.replaceEmptyValue(first, empty) {
		return ErrByHand
	}
	l.splice(l.starts[mine.first], l.starts[mine.end], "")
	return nil
}

// entryBlock finds the lines of the entry in a container.
func (p Location) entryBlock(l yamlLines, container ast.Node) (block, bool) {
	if !p.List {
		pair := findPair(mappingPairs(container), p.Name)
		if pair == nil || isFlow(container) {
			return block{}, false
		}
		return l.block(lineOf(pair.Key), column(pair.Key), false), true
	}
	seq, ok := container.(*ast.SequenceNode)
	if !ok || seq.IsFlowStyle {
		return block{}, false
	}
	for i, v := range seq.Values {
		name := findPair(mappingPairs(v), "name")
		if name == nil || i >= len(seq.Entries) {
			continue
		}
		if s, ok := name.Value.(ast.ScalarNode); ok && s.GetValue() == p.Name {
			at := seq.Entries[i].Start.Position
			return l.block(at.Line-1, at.Column-1, false), true
		}
	}
	return block{}, false
}

func mappingPairs(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	default:
		return nil
	}
}

func findPair(pairs []*ast.MappingValueNode, key string) *ast.MappingValueNode {
	for _, pair := range pairs {
		if s, ok := pair.Key.(*ast.StringNode); ok && s.Value == key {
			return pair
		}
	}
	return nil
}

func lineOf(n ast.Node) int { return n.GetToken().Position.Line - 1 }
func column(n ast.Node) int { return n.GetToken().Position.Column - 1 }

func isFlow(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.IsFlowStyle
	case *ast.SequenceNode:
		return n.IsFlowStyle
	default:
		return false
	}
}

func isNull(n ast.Node) bool {
	_, null := n.(*ast.NullNode)
	return n == nil || null
}

func childCount(n ast.Node) int {
	if seq, ok := n.(*ast.SequenceNode); ok {
		return len(seq.Values)
	}
	return len(mappingPairs(n))
}

// childIndent is the indentation of the entries of a container.
func childIndent(n ast.Node) (int, bool) {
	if seq, ok := n.(*ast.SequenceNode); ok && len(seq.Entries) > 0 {
		return seq.Entries[0].Start.Position.Column - 1, true
	}
	if pairs := mappingPairs(n); len(pairs) > 0 {
		return column(pairs[0].Key), true
	}
	return 0, false
}

// formatWithParent is the entry in a new container.
func (p Location) formatWithParent(fields Fields, eol string) string {
	return quoteYAML(p.Parents[0]) + ":" + eol + p.formatYAML(fields, 2, eol)
}

// formatYAML is the entry as lines indented by indent.
func (p Location) formatYAML(fields Fields, indent int, eol string) string {
	var b bytes.Buffer
	pad := strings.Repeat(" ", indent)
	if p.List {
		writeYAML(&b, fields, indent+2, eol)
		return pad + "- " + b.String()[indent+2:]
	}
	b.WriteString(pad + quoteYAML(p.Name) + ":" + eol)
	writeYAML(&b, fields, indent+2, eol)
	return b.String()
}

func writeYAML(b *bytes.Buffer, f Fields, indent int, eol string) {
	pad := strings.Repeat(" ", indent)
	for _, field := range f {
		b.WriteString(pad + quoteYAML(field.Key) + ":")
		switch v := sortFields(field.Value).(type) {
		case Fields:
			if len(v) == 0 {
				b.WriteString(" {}" + eol)
				continue
			}
			b.WriteString(eol)
			writeYAML(b, v, indent+2, eol)
		case []string, []any:
			list, _ := normalize(v).([]any)
			if len(list) == 0 {
				b.WriteString(" []" + eol)
				continue
			}
			b.WriteString(eol)
			for _, x := range list {
				b.WriteString(pad + "  - " + formatScalar(x) + eol)
			}
		default:
			b.WriteString(" " + formatScalar(v) + eol)
		}
	}
}

// plainYAML matches strings that need no quotes.
var plainYAML = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./-]*$`)

// formatScalar writes a value on one line; YAML includes JSON.
func formatScalar(v any) string {
	s, ok := v.(string)
	if !ok {
		return style{unit: "  ", flat: true}.format(v, "")
	}
	return quoteYAML(s)
}

func quoteYAML(s string) string {
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return quoteJSON(s)
	}
	if plainYAML.MatchString(s) {
		return s
	}
	if strings.Contains(s, `\`) && !strings.ContainsFunc(s, unicode.IsControl) {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'" // no escapes in single quotes
	}
	return quoteJSON(s)
}
