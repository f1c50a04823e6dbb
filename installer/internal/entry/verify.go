package entry

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// read parses a text, without its byte order mark, into maps, lists and values.
// A blank text is an empty table.
func (p Location) read(text []byte) (map[string]any, error) {
	_, bare := splitBOM(text)
	if n := len(bare); n > maxText[p.Format] {
		return nil, &Fault{Msg: fmt.Sprintf("the file has %d bytes, more than the %d that Lectern edits", n, maxText[p.Format])}
	}
	if f := tooDeep(bare); f != nil {
		return nil, f
	}
	if strings.TrimSpace(string(bare)) == "" {
		return map[string]any{}, nil
	}
	switch p.Format {
	case TOML:
		return readTOML(bare)
	case YAML:
		return readYAML(bare)
	default:
		return p.readJSON(bare)
	}
}

// tooDeep finds brackets that nest too deep. It also counts brackets in strings,
// so its count may be too high, never too low.
func tooDeep(text []byte) *Fault {
	depth := 0
	for i, c := range text {
		switch c {
		case '[', '{':
			if depth++; depth > maxDepth {
				return newFault(text, i, fmt.Sprintf("brackets are nested more than %d deep", maxDepth))
			}
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return nil
}

// find returns the entry in the result of read.
func (p Location) find(top map[string]any) (map[string]any, error) {
	container, err := p.container(top)
	if err != nil || container == nil {
		return nil, err
	}
	var found any
	if !p.List {
		found = container.(map[string]any)[p.Name]
	} else if i := p.index(container.([]any)); i >= 0 {
		found = container.([]any)[i]
	}
	if found == nil {
		return nil, nil //nolint:nilnil // absence is an ordinary answer here
	}
	entry, ok := found.(map[string]any)
	if !ok {
		return nil, &Fault{Msg: fmt.Sprintf("%s is not a table; remove it or give it another name", p)}
	}
	return entry, nil
}

// container returns the map or list of entries; nil: there is none.
func (p Location) container(top map[string]any) (any, error) {
	var at any = top
	for i, key := range p.Parents {
		m, ok := at.(map[string]any)
		if !ok {
			return nil, &Fault{Msg: strings.Join(p.Parents[:i], ".") + " is not a table"}
		}
		if at = m[key]; at == nil {
			return nil, nil //nolint:nilnil // absence is an ordinary answer here
		}
	}
	switch at.(type) {
	case map[string]any:
		if !p.List {
			return at, nil
		}
	case []any:
		if p.List {
			return at, nil
		}
	}
	return nil, &Fault{Msg: fmt.Sprintf("%s is not a %s of servers", strings.Join(p.Parents, "."),
		map[bool]string{false: "table", true: "list"}[p.List])}
}

// index is that of the entry in a list, or -1.
func (p Location) index(list []any) int {
	for i, v := range list {
		if m, ok := v.(map[string]any); ok && m["name"] == p.Name {
			return i
		}
	}
	return -1
}

// String is for messages.
func (p Location) String() string { return strings.Join(p.path(), ".") }

// path is the keys that lead to the entry.
func (p Location) path() []string { return append(slices.Clip(p.Parents), p.Name) }

// errUnsafeEdit means that our edit would change too much.
var errUnsafeEdit = fmt.Errorf("our edit would change more than our entry: %w", ErrManualEdit)

// verify checks the promise of an edit: the result parses, the entry is as
// wanted (nil: removed), and the rest has the same meaning and, except for spaces
// and separators, the same bytes as before.
func (p Location) verify(before, after []byte, want map[string]any) error {
	was, err := p.read(before)
	if err != nil {
		return err
	}
	is, err := p.read(after)
	if err != nil {
		return ErrManualEdit // such as an inline table, which cannot be extended
	}
	got, err := p.find(is)
	if err != nil {
		return errUnsafeEdit
	}
	if (want == nil) != (got == nil) || want != nil && !equalFields(got, want) {
		return errUnsafeEdit
	}
	had, err := p.find(was)
	if err != nil {
		return err
	}
	p.removeFromTree(was)
	p.removeFromTree(is)
	if !reflect.DeepEqual(normalize(was), normalize(is)) {
		return errUnsafeEdit
	}
	if had == nil && !isInsertion(string(before), string(after)) {
		return errUnsafeEdit
	}
	return nil
}

// separators are what an edit may also change around the entry.
var separators = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "", ",", "", "{", "", "}", "", "[", "", "]", "", "~", "", "null",
	"")

// isInsertion reports whether after is before with something inserted at one
// place, apart from separators and empty containers.
func isInsertion(before, after string) bool {
	before, after = separators.Replace(before), separators.Replace(after)
	for before != "" && after != "" && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	return strings.HasSuffix(after, before)
}

// removeFromTree removes the entry from a tree, and the containers around it that
// are empty then.
func (p Location) removeFromTree(top map[string]any) {
	chain := []map[string]any{top}
	for _, key := range p.Parents {
		m, ok := chain[len(chain)-1][key].(map[string]any)
		if !ok {
			break
		}
		chain = append(chain, m)
	}
	if last := chain[len(chain)-1]; len(chain) == len(p.Parents)+1 {
		delete(last, p.Name)
	} else if key := p.Parents[len(chain)-1]; p.List {
		if list, ok := last[key].([]any); ok {
			if i := p.index(list); i >= 0 {
				list = append(list[:i:i], list[i+1:]...)
			}
			if last[key] = list; len(list) == 0 {
				delete(last, key)
			}
		}
	}
	for i, c := range slices.Backward(chain) {
		if i < len(p.Parents) && c[p.Parents[i]] == nil {
			delete(c, p.Parents[i])
		}
		if i > 0 && len(c) == 0 {
			delete(chain[i-1], p.Parents[i-1])
		}
	}
}

// newFault converts an offset in the text to line and column.
func newFault(text []byte, offset int, msg string) *Fault {
	before := string(text[:min(offset, len(text))])
	line := strings.Count(before, "\n") + 1
	column := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
	return &Fault{line, column, msg}
}
