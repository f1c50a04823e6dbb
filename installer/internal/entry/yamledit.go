package entry

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/ast"
)

// emptyValue matches the line of a key whose value is nothing yet, and what
// may follow that.
var emptyValue = regexp.MustCompile(`^(.*?:)[ \t]*(?:\{[ \t]*\}|\[[ \t]*\]|null|~)?((?:[ \t]+#.*)?[ \t]*\r?\n?)$`)

func (p Place) setYAML(e *edit, fields Fields) (made int, err error) {
	l := linesOf(e)
	body, err := parseYAML(e.text)
	if err != nil {
		return 0, err
	}
	root := pairsOf(body)
	if body == nil || len(root) == 0 {
		if body != nil && strings.TrimSpace(string(e.text)) != "{}" {
			return 0, ErrByHand
		}
		if body != nil {
			e.splice(0, len(e.text), p.wrapped(fields, e.eol))
			return 1, nil
		}
		l.put(len(l.starts)-1, p.wrapped(fields, e.eol))
		return 1, nil
	}
	key := find(root, p.In[0])
	if key == nil {
		if column(root[0].Key) != 0 {
			return 0, ErrByHand
		}
		l.put(len(l.starts)-1, p.wrapped(fields, e.eol))
		return 1, nil
	}
	within := l.block(lineOf(key.Key), column(key.Key), p.List)
	if isFlow(key.Value) || isNothing(key.Value) {
		return 0, p.fillYAML(l, within, fields)
	}
	if mine, ok := p.blockOf(l, key.Value); ok {
		l.splice(l.starts[mine.first], l.starts[mine.end], p.yaml(fields, mine.indent, l.eol))
		return 0, nil
	}
	indent, ok := childIndent(key.Value)
	if !ok {
		return 0, ErrByHand
	}
	l.put(within.end, p.yaml(fields, indent, l.eol))
	return 0, nil
}

// fillYAML gives a container that holds nothing its first entry.
func (p Place) fillYAML(l yamlLines, within block, fields Fields) error {
	if !l.revalue(within.first, "") {
		return ErrByHand
	}
	l.put(within.first+1, p.yaml(fields, within.indent+2, l.eol))
	return nil
}

// revalue puts a text in the place of the empty value that a key has on its
// line. False: the line is not so.
func (l yamlLines) revalue(line int, put string) bool {
	m := emptyValue.FindStringSubmatchIndex(l.line(line))
	if m == nil {
		return false
	}
	at := l.starts[line]
	l.splice(at+m[3], at+m[4], put)
	return true
}

func (p Place) removeYAML(e *edit, made int) error {
	l := linesOf(e)
	body, err := parseYAML(e.text)
	if err != nil {
		return err
	}
	key := find(pairsOf(body), p.In[0])
	if key == nil {
		return nil
	}
	mine, ok := p.blockOf(l, key.Value)
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
	if !l.revalue(first, empty) {
		return ErrByHand
	}
	l.splice(l.starts[mine.first], l.starts[mine.end], "")
	return nil
}

// blockOf finds the lines of the entry in a container.
func (p Place) blockOf(l yamlLines, within ast.Node) (block, bool) {
	if !p.List {
		pair := find(pairsOf(within), p.Name)
		if pair == nil || isFlow(within) {
			return block{}, false
		}
		return l.block(lineOf(pair.Key), column(pair.Key), false), true
	}
	seq, ok := within.(*ast.SequenceNode)
	if !ok || seq.IsFlowStyle {
		return block{}, false
	}
	for i, v := range seq.Values {
		name := find(pairsOf(v), "name")
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

func pairsOf(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	default:
		return nil
	}
}

func find(pairs []*ast.MappingValueNode, key string) *ast.MappingValueNode {
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

func isNothing(n ast.Node) bool {
	_, null := n.(*ast.NullNode)
	return n == nil || null
}

func childCount(n ast.Node) int {
	if seq, ok := n.(*ast.SequenceNode); ok {
		return len(seq.Values)
	}
	return len(pairsOf(n))
}

// childIndent is how far the entries of a container are indented.
func childIndent(n ast.Node) (int, bool) {
	if seq, ok := n.(*ast.SequenceNode); ok && len(seq.Entries) > 0 {
		return seq.Entries[0].Start.Position.Column - 1, true
	}
	if pairs := pairsOf(n); len(pairs) > 0 {
		return column(pairs[0].Key), true
	}
	return 0, false
}

// wrapped is the entry in a container of its own.
func (p Place) wrapped(fields Fields, eol string) string {
	return writeKey(p.In[0]) + ":" + eol + p.yaml(fields, 2, eol)
}

// yaml is the entry as lines that are indented by indent.
func (p Place) yaml(fields Fields, indent int, eol string) string {
	var b bytes.Buffer
	pad := strings.Repeat(" ", indent)
	if p.List {
		writeYAML(&b, fields, indent+2, eol)
		return pad + "- " + b.String()[indent+2:]
	}
	b.WriteString(pad + writeKey(p.Name) + ":" + eol)
	writeYAML(&b, fields, indent+2, eol)
	return b.String()
}

func writeYAML(b *bytes.Buffer, f Fields, indent int, eol string) {
	pad := strings.Repeat(" ", indent)
	for _, field := range f {
		b.WriteString(pad + writeKey(field.Key) + ":")
		switch v := ordered(field.Value).(type) {
		case Fields:
			if len(v) == 0 {
				b.WriteString(" {}" + eol)
				continue
			}
			b.WriteString(eol)
			writeYAML(b, v, indent+2, eol)
		case []string, []any:
			list, _ := plain(v).([]any)
			if len(list) == 0 {
				b.WriteString(" []" + eol)
				continue
			}
			b.WriteString(eol)
			for _, x := range list {
				b.WriteString(pad + "  - " + scalarYAML(x) + eol)
			}
		default:
			b.WriteString(" " + scalarYAML(v) + eol)
		}
	}
}

// plainYAML matches strings that mean themselves without quotes.
var plainYAML = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./-]*$`)

// scalarYAML writes a value, on one line whatever it is: YAML reads JSON.
func scalarYAML(v any) string {
	s, ok := v.(string)
	if !ok {
		return style{unit: "  ", flat: true}.json(v, "")
	}
	return writeKey(s)
}

func writeKey(s string) string {
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return quoteJSON(s)
	}
	if plainYAML.MatchString(s) {
		return s
	}
	if strings.Contains(s, `\`) && !strings.ContainsFunc(s, unicode.IsControl) {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'" // backslashes mean themselves
	}
	return quoteJSON(s)
}
