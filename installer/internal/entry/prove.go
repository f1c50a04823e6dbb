package entry

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// read parses a text, without its byte order mark, into maps, lists and
// values. A text of nothing but spaces is an empty table.
func (p Place) read(text []byte) (map[string]any, error) {
	_, bare := split(text)
	if n := len(bare); n > maxText[p.Format] {
		return nil, &Fault{Msg: fmt.Sprintf("the file has %d bytes, more than the %d we edit", n, maxText[p.Format])}
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

// tooDeep finds brackets that nest deeper than any person writes them. It does
// not know strings, so it may count some brackets too many, never too few.
func tooDeep(text []byte) *Fault {
	depth := 0
	for i, c := range text {
		switch c {
		case '[', '{':
			if depth++; depth > maxDepth {
				return faultAt(text, i, fmt.Sprintf("more than %d brackets inside each other", maxDepth))
			}
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return nil
}

// pick finds the entry in what read answered.
func (p Place) pick(top map[string]any) (map[string]any, error) {
	within, err := p.container(top)
	if err != nil || within == nil {
		return nil, err
	}
	var found any
	if !p.List {
		found = within.(map[string]any)[p.Name]
	} else if i := p.index(within.([]any)); i >= 0 {
		found = within.([]any)[i]
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

// container is the map or list that holds the entries; nil: there is none.
func (p Place) container(top map[string]any) (any, error) {
	var at any = top
	for i, key := range p.In {
		m, ok := at.(map[string]any)
		if !ok {
			return nil, &Fault{Msg: strings.Join(p.In[:i], ".") + " is not a table"}
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
	return nil, &Fault{Msg: fmt.Sprintf("%s is not a %s of servers", strings.Join(p.In, "."), map[bool]string{false: "table", true: "list"}[p.List])}
}

// index is the entry's in a list; -1: it is not in it.
func (p Place) index(list []any) int {
	for i, v := range list {
		if m, ok := v.(map[string]any); ok && m["name"] == p.Name {
			return i
		}
	}
	return -1
}

// String is the place in words.
func (p Place) String() string { return strings.Join(append(slices.Clip(p.In), p.Name), ".") }

// errUnproved says that an edit of ours would do more than it should.
var errUnproved = fmt.Errorf("our edit would change more than our entry: %w", ErrByHand)

// prove holds an edit against its promise: the outcome parses, the entry holds
// what it should, and all else means the same as before and, but for spaces
// and separators, has the same bytes. nil: the entry is gone.
func (p Place) prove(before, after []byte, want map[string]any, splices []splice) error {
	was, err := p.read(before)
	if err != nil {
		return err
	}
	is, err := p.read(after)
	if err != nil {
		return ErrByHand // such as a table that was closed to additions
	}
	got, err := p.pick(is)
	if err != nil {
		return errUnproved
	}
	if (want == nil) != (got == nil) || want != nil && !same(got, want) {
		return errUnproved
	}
	had, err := p.pick(was)
	if err != nil {
		return err
	}
	p.drop(was)
	p.drop(is)
	if !reflect.DeepEqual(plain(was), plain(is)) {
		return errUnproved
	}
	_, bare := split(before)
	if had == nil && !onlySeparators(bare, splices) {
		return errUnproved
	}
	return nil
}

// onlySeparators reports whether the splices take nothing away but what stands
// for an empty container.
func onlySeparators(text []byte, splices []splice) bool {
	for _, s := range splices {
		if strings.Trim(string(text[s.from:s.to]), " \t\r\n{}[]~") != "" && string(text[s.from:s.to]) != "null" {
			return false
		}
	}
	return true
}

// drop takes the entry out of a tree, and the containers around it that are
// then empty.
func (p Place) drop(top map[string]any) {
	chain := []map[string]any{top}
	for _, key := range p.In {
		m, ok := chain[len(chain)-1][key].(map[string]any)
		if !ok {
			break
		}
		chain = append(chain, m)
	}
	if last := chain[len(chain)-1]; len(chain) == len(p.In)+1 {
		delete(last, p.Name)
	} else if key := p.In[len(chain)-1]; p.List {
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
		if i < len(p.In) && c[p.In[i]] == nil {
			delete(c, p.In[i])
		}
		if i > 0 && len(c) == 0 {
			delete(chain[i-1], p.In[i-1])
		}
	}
}

// faultAt says where in the text something is.
func faultAt(text []byte, offset int, msg string) *Fault {
	before := string(text[:min(offset, len(text))])
	line := strings.Count(before, "\n") + 1
	column := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
	return &Fault{line, column, msg}
}
