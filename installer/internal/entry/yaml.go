package entry

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// parseYAML reads a text of one document; nil: it is empty.
func parseYAML(text []byte) (body ast.Node, err error) {
	defer func() {
		if v := recover(); v != nil { // the parser panics on some broken texts
			body, err = nil, &Fault{Msg: fmt.Sprintf("invalid YAML: %v", v)}
		}
	}()
	// The parser counts some lines with Windows line endings twice.
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	file, err := parser.ParseBytes(text, parser.ParseComments)
	if err != nil {
		if e, ok := errors.AsType[yaml.Error](err); ok && e.GetToken() != nil {
			at := e.GetToken().Position
			return nil, &Fault{at.Line, at.Column, e.GetMessage()}
		}
		return nil, &Fault{Msg: err.Error()}
	}
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		if body != nil {
			at := doc.Body.GetToken().Position
			return nil, &Fault{at.Line, at.Column, "a second document begins here; only files with one document can be edited"}
		}
		body = doc.Body
	}
	return body, nil
}

func readYAML(text []byte) (map[string]any, error) {
	body, err := parseYAML(text)
	if err != nil {
		return nil, err
	}
	if body == nil {
		return map[string]any{}, nil
	}
	tree, err := toTree(body)
	if err != nil {
		return nil, err
	}
	switch top := tree.(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		return top, nil
	default:
		at := body.GetToken().Position
		return nil, &Fault{at.Line, at.Column, "this must be a mapping: key: value"}
	}
}

// toTree is the value of a node. Aliases are not resolved, so that a small text
// cannot become a large tree.
func toTree(n ast.Node) (any, error) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return pairsToTree(n.Values)
	case *ast.MappingValueNode:
		return pairsToTree([]*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		list := make([]any, len(n.Values))
		for i, v := range n.Values {
			var err error
			if list[i], err = toTree(v); err != nil {
				return nil, err
			}
		}
		return list, nil
	case *ast.AnchorNode:
		v, err := toTree(n.Value)
		return []any{"&" + fmt.Sprint(n.Name), v}, err
	case *ast.AliasNode:
		return "*" + fmt.Sprint(n.Value), nil
	case *ast.TagNode:
		v, err := toTree(n.Value)
		return []any{n.Start.Value, v}, err
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case ast.ScalarNode:
		return n.GetValue(), nil
	case nil:
		return nil, nil //nolint:nilnil // null is a value
	default:
		return n.String(), nil
	}
}

func pairsToTree(pairs []*ast.MappingValueNode) (any, error) {
	m := map[string]any{}
	for _, pair := range pairs {
		key := pair.Key.String()
		if s, ok := pair.Key.(*ast.StringNode); ok {
			key = s.Value
		}
		if _, twice := m[key]; twice {
			at := pair.Key.GetToken().Position
			return nil, &Fault{at.Line, at.Column, fmt.Sprintf("duplicate key %q; remove one", key)}
		}
		v, err := toTree(pair.Value)
		if err != nil {
			return nil, err
		}
		m[key] = v
	}
	return m, nil
}

// A block is the lines [first, end) of a text, counted from 0. The first is
// indented by indent.
type block struct{ first, end, indent int }

// yamlLines is a text split into lines, for edits of whole lines.
type yamlLines struct {
	*edit
	starts []int // offsets; one more than there are lines
}

func splitLines(e *edit) yamlLines {
	l := yamlLines{edit: e, starts: []int{0}}
	for line := range bytes.Lines(e.text) {
		l.starts = append(l.starts, l.starts[len(l.starts)-1]+len(line))
	}
	return l
}

func (l yamlLines) line(i int) string { return string(l.text[l.starts[i]:l.starts[i+1]]) }

// block finds the end of the node that begins in line first: the first line that
// is not indented deeper. With dashes, items of a sequence that is not indented
// deeper than its key belong to it too.
func (l yamlLines) block(first, indent int, dashes bool) block {
	end := first + 1
	for i := first + 1; i < len(l.starts)-1; i++ {
		line := strings.TrimRight(l.line(i), " \t\r\n")
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
	return block{first, end, indent}
}

// insertLines inserts whole lines before line i.
func (l yamlLines) insertLines(i int, text string) {
	at := l.starts[i]
	if at == len(l.text) && at > 0 && l.text[at-1] != '\n' {
		text = l.eol + strings.TrimSuffix(text, l.eol)
	}
	l.splice(at, at, text)
}
