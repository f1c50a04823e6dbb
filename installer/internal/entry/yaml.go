package entry

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// parseYAML reads a text of one document; nil: it is empty.
func parseYAML(text []byte) (root *yaml.Node, err error) {
	for docs := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var doc yaml.Node
		err := docs.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return root, nil
		}
		if e, ok := errors.AsType[*yaml.LoadError](err); ok {
			return nil, &Fault{e.Mark.Line, e.Mark.Column, e.Message}
		}
		if err != nil {
			return nil, &Fault{Msg: err.Error()}
		}
		switch body := doc.Content[0]; {
		case isNull(body) && body.Value == "": // an empty document
		case root != nil:
			return nil, &Fault{body.Line, body.Column, "a second document begins here; only files with one document can be edited"}
		default:
			root = body
		}
	}
}

func readYAML(text []byte) (map[string]any, error) {
	root, err := parseYAML(text)
	if err != nil {
		return nil, err
	}
	if root == nil || isNull(root) {
		return map[string]any{}, nil
	}
	tree, err := toTree(root)
	if err != nil {
		return nil, err
	}
	top, ok := tree.(map[string]any)
	if !ok {
		return nil, &Fault{root.Line, root.Column, "this must be a mapping: key: value"}
	}
	return top, nil
}

// toTree is the value of a node. Aliases are not resolved, so that a small text
// cannot become a large tree.
func toTree(n *yaml.Node) (value any, err error) {
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if _, twice := m[key.Value]; twice {
				return nil, &Fault{key.Line, key.Column, fmt.Sprintf("duplicate key %q; remove one", key.Value)}
			}
			if m[key.Value], err = toTree(n.Content[i+1]); err != nil {
				return nil, err
			}
		}
		value = m
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			if list[i], err = toTree(item); err != nil {
				return nil, err
			}
		}
		value = list
	case yaml.AliasNode:
		return "*" + n.Value, nil
	default:
		if value = n.Value; slices.Contains([]string{"!!null", "!!bool", "!!int", "!!float"}, n.Tag) && n.Decode(&value) != nil {
			value = n.Value
		}
	}
	if n.Style&yaml.TaggedStyle != 0 {
		value = []any{n.Tag, value}
	}
	if n.Anchor != "" {
		value = []any{"&" + n.Anchor, value}
	}
	return value, nil
}

// yamlLines is a text split into lines, for edits of whole lines.
type yamlLines []string

// splitLines splits a text into lines. Rare line breaks, which the parser counts
// too, are refused.
func splitLines(text []byte) (yamlLines, error) {
	if bytes.ContainsAny(bytes.ReplaceAll(text, []byte("\r\n"), nil), "\r\u0085\u2028\u2029") {
		return nil, ErrManualEdit
	}
	return slices.Collect(strings.Lines(string(text))), nil
}

// blockEnd finds the end of the node that begins in line first: the first line
// that is not indented deeper. With dashes, items of a sequence that is not
// indented deeper than its key belong to it too.
func (l yamlLines) blockEnd(first, indent int, dashes bool) int {
	end := first + 1
	for i := first + 1; i < len(l); i++ {
		line := strings.TrimRight(l[i], " \t\r\n")
		if line == "" {
			continue
		}
		own := len(line) - len(strings.TrimLeft(line, " "))
		dash := dashes && own == indent && strings.HasPrefix(line[own:], "-")
		if own <= indent && !dash {
			break
		}
		end = i + 1
	}
	return end
}

// insert returns the text with whole lines inserted before line i.
func (l yamlLines) insert(i int, text, eol string) []byte {
	if i == len(l) && i > 0 && !strings.HasSuffix(l[i-1], "\n") {
		text = eol + strings.TrimSuffix(text, eol)
	}
	return l.replace(i, i, text)
}

// replace returns the text with other lines in the place of lines [i, j).
func (l yamlLines) replace(i, j int, text string) []byte {
	return []byte(strings.Join(slices.Replace(l, i, j, text), ""))
}

// emptyValue matches the line of a key with an empty value, and a comment after
// it.
var emptyValue = regexp.MustCompile(`^(.*?:)[ \t]*(?:\{[ \t]*\}|\[[ \t]*\]|null|~)?((?:[ \t]+#.*)?[ \t]*\r?\n?)$`)

// setEmptyValue replaces the empty value of the key on a line; false: it has
// another value.
func (l yamlLines) setEmptyValue(line int, value string) bool {
	m := emptyValue.FindStringSubmatch(l[line])
	if m != nil {
		l[line] = m[1] + value + m[2]
	}
	return m != nil
}

func (p Location) setYAML(text []byte, fields Fields) (after []byte, made int, err error) {
	lines, err := splitLines(text)
	if err != nil {
		return nil, 0, err
	}
	root, err := parseYAML(text)
	if err != nil {
		return nil, 0, err
	}
	eol := lineEnding(text)
	withParent := quoteYAML(p.Parents[0]) + ":" + eol + p.formatYAML(fields, 2, eol)
	key, container := findPair(root, p.Parents[0])
	switch {
	case string(bytes.TrimSpace(text)) == "{}":
		return []byte(withParent), 1, nil
	case key == nil && (root == nil || len(root.Content) > 0 && root.Content[0].Column == 1):
		return lines.insert(len(lines), withParent, eol), 1, nil
	case key == nil:
		return nil, 0, ErrManualEdit
	}
	first, indent := key.Line-1, key.Column-1
	if isFlow(container) || isNull(container) {
		if !lines.setEmptyValue(first, "") {
			return nil, 0, ErrManualEdit
		}
		return lines.insert(first+1, p.formatYAML(fields, indent+2, eol), eol), 0, nil
	}
	if start, end, column, ok := p.entryLines(lines, container); ok {
		return lines.replace(start, end, p.formatYAML(fields, column, eol)), 0, nil
	}
	if len(container.Content) == 0 {
		return nil, 0, ErrManualEdit
	}
	column := container.Column
	if container.Kind == yaml.MappingNode {
		column = container.Content[0].Column // an anchor may come before it
	}
	return lines.insert(lines.blockEnd(first, indent, p.List), p.formatYAML(fields, column-1, eol), eol), 0, nil
}

func (p Location) removeYAML(text []byte, made int) ([]byte, error) {
	lines, err := splitLines(text)
	if err != nil {
		return nil, err
	}
	root, err := parseYAML(text)
	if err != nil {
		return nil, err
	}
	key, container := findPair(root, p.Parents[0])
	start, end, _, ok := p.entryLines(lines, container)
	if !ok {
		return nil, ErrManualEdit
	}
	only, empty := 2, " {}"
	if p.List {
		only, empty = 1, " []"
	}
	if len(container.Content) == only {
		if first := key.Line - 1; made > 0 && start == first+1 {
			start = first
		} else if !lines.setEmptyValue(first, empty) {
			return nil, ErrManualEdit
		}
	}
	return lines.replace(start, end, ""), nil
}

// entryLines finds the lines [start, end) of the entry in a container, and its
// indentation.
func (p Location) entryLines(l yamlLines, container *yaml.Node) (start, end, indent int, ok bool) {
	if container == nil || isFlow(container) {
		return 0, 0, 0, false
	}
	if !p.List {
		key, _ := findPair(container, p.Name)
		if key == nil {
			return 0, 0, 0, false
		}
		start, indent = key.Line-1, key.Column-1
		return start, l.blockEnd(start, indent, false), indent, true
	}
	for _, item := range container.Content {
		if _, name := findPair(item, "name"); name == nil || name.Value != p.Name {
			continue
		}
		indent = container.Column - 1 // of the dashes
		dash := strings.Repeat(" ", indent) + "-"
		for start = item.Line - 1; start >= 0; start-- {
			if strings.HasPrefix(l[start], dash) {
				return start, l.blockEnd(start, indent, false), indent, true
			}
		}
	}
	return 0, 0, 0, false
}

// findPair returns a key of a mapping and its value; nil: there is none.
func findPair(n *yaml.Node, key string) (name, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

func isFlow(n *yaml.Node) bool { return n.Style&yaml.FlowStyle != 0 }

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// formatYAML is the entry as lines indented by indent.
func (p Location) formatYAML(fields Fields, indent int, eol string) string {
	var b strings.Builder
	pad := strings.Repeat(" ", indent)
	if p.List {
		writeYAML(&b, fields, indent+2, eol)
		return pad + "- " + b.String()[indent+2:]
	}
	b.WriteString(pad + quoteYAML(p.Name) + ":" + eol)
	writeYAML(&b, fields, indent+2, eol)
	return b.String()
}

func writeYAML(b *strings.Builder, f Fields, indent int, eol string) {
	pad := strings.Repeat(" ", indent)
	for _, field := range f {
		b.WriteString(pad + quoteYAML(field.Key) + ":")
		switch v := simplify(field.Value).(type) {
		case Fields:
			if len(v) == 0 {
				b.WriteString(" {}" + eol)
				continue
			}
			b.WriteString(eol)
			writeYAML(b, v, indent+2, eol)
		case []any:
			if len(v) == 0 {
				b.WriteString(" []" + eol)
				continue
			}
			b.WriteString(eol)
			for _, x := range v {
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
		return jsonStyle{unit: "  ", flat: true}.format(v, "")
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
