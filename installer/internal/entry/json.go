package entry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// errorPosition matches the position in hujson's errors.
var errorPosition = regexp.MustCompile(`^hujson: line (\d+), column (\d+): `)

func parseJSON(text []byte) (hujson.Value, error) {
	v, err := hujson.Parse(text)
	if err == nil {
		return v, nil
	}
	msg := err.Error()
	if m := errorPosition.FindStringSubmatch(msg); m != nil {
		line, _ := strconv.Atoi(m[1])
		column, _ := strconv.Atoi(m[2])
		return v, &Fault{line, column, strings.TrimPrefix(msg, m[0])}
	}
	return v, &Fault{Msg: msg}
}

func (p Location) readJSON(text []byte) (map[string]any, error) {
	root, err := parseJSON(bytes.Clone(text)) // Standardize changes the text itself
	if err != nil {
		return nil, err
	}
	if _, err := p.descend(text, &root); err != nil {
		return nil, err
	}
	root.Standardize()
	d := json.NewDecoder(bytes.NewReader(root.Pack()))
	d.UseNumber()
	var top map[string]any
	if err := d.Decode(&top); err != nil {
		return nil, &Fault{Msg: err.Error()}
	}
	return top, nil
}

// An jsonObject is a JSON object in a text.
type jsonObject struct {
	*hujson.Object

	value *hujson.Value
	index int // of the member that leads to the entry; -1: there is none
}

// descend follows Parents and Name as far as they exist. It returns the objects
// on the way, at least the outermost one. Duplicate keys on the way are a fault.
func (p Location) descend(text []byte, root *hujson.Value) (chain []jsonObject, err error) {
	at := root
	for _, key := range p.path() {
		obj, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, newFault(text, at.StartOffset, "this must be an object: {...}")
		}
		i, err := findMember(text, obj, key)
		if err != nil {
			return nil, err
		}
		chain = append(chain, jsonObject{obj, at, i})
		if i < 0 {
			break
		}
		at = &obj.Members[i].Value
	}
	return chain, nil
}

// findMember returns the index of a key in an object, or -1.
func findMember(text []byte, obj *hujson.Object, key string) (int, error) {
	found := -1
	for i, m := range obj.Members {
		if m.Name.Value.(hujson.Literal).String() != key {
			continue
		}
		if found >= 0 {
			return 0, newFault(text, m.Name.StartOffset, fmt.Sprintf("duplicate key %q; remove one", key))
		}
		found = i
	}
	return found, nil
}

func (p Location) setJSON(text []byte, fields Fields) (after []byte, made int, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		s := jsonStyle{unit: "  ", eol: lineEnding(text)}
		return []byte(s.format(wrapFields(p.path(), fields), "") + s.eol), len(p.Parents), nil
	}
	root, err := parseJSON(text)
	if err != nil {
		return nil, 0, err
	}
	chain, err := p.descend(text, &root)
	if err != nil {
		return nil, 0, err
	}
	last, missing := chain[len(chain)-1], p.path()[len(chain)-1:]
	s := detectStyle(text, &root)
	if i := last.index; i >= 0 {
		s.flat = s.flat || isOneLine(text, last.value)
		value, err := parseJSON([]byte(s.format(fields, indentOf(text, last.Members[i].Name.StartOffset))))
		if err != nil {
			return nil, 0, err
		}
		last.Members[i].Value.Value = value.Value
	} else if err := s.insert(text, last, missing[0], wrapFields(missing[1:], fields)); err != nil {
		return nil, 0, err
	}
	return root.Pack(), len(missing) - 1, nil
}

// wrapFields wraps fields in objects with these keys.
func wrapFields(keys []string, fields Fields) Fields {
	for _, key := range slices.Backward(keys) {
		fields = Fields{{key, fields}}
	}
	return fields
}

// insert adds a member at the end of an object.
func (s jsonStyle) insert(text []byte, obj jsonObject, key string, value any) error {
	before, indent := []byte(nil), ""
	switch n := len(obj.Members); {
	case n > 0 && !bytes.ContainsRune(obj.Members[0].Name.BeforeExtra, '\n'):
		s.flat = true // the object is on one line and stays so
		if s.unit != "" {
			before = []byte(" ")
		}
	case n > 0:
		indent = indentOf(text, obj.Members[0].Name.StartOffset)
		same := commentsOnLine(obj.AfterExtra)
		before = slices.Concat(obj.AfterExtra[:same], []byte(s.eol+indent))
		obj.AfterExtra = obj.AfterExtra[same:]
	case s.flat:
		before, obj.AfterExtra = obj.AfterExtra, nil
	default:
		outer := lineIndent(text, obj.value.StartOffset)
		indent = outer + s.unit
		comments := len(bytes.TrimRight(obj.AfterExtra, " \t\r\n"))
		before = slices.Concat(obj.AfterExtra[:comments], []byte(s.eol+indent))
		if obj.AfterExtra = obj.AfterExtra[comments:]; !bytes.ContainsRune(obj.AfterExtra, '\n') {
			obj.AfterExtra = []byte(s.eol + outer)
		}
	}
	made, err := parseJSON([]byte("{" + s.member(key, value, indent) + "}"))
	if err != nil {
		return err
	}
	member := made.Value.(*hujson.Object).Members[0] //nolint:forcetypeassert // just written
	member.Name.BeforeExtra = before
	if n := len(obj.Members); n > 0 { // a comma after the last member stays there
		last := &obj.Members[n-1].Value
		member.Value.AfterExtra, last.AfterExtra = last.AfterExtra, nil
	}
	obj.Members = append(obj.Members, member)
	return nil
}

func (p Location) removeJSON(text []byte, made int) ([]byte, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	chain, err := p.descend(text, &root)
	if err != nil {
		return nil, err
	}
	d := len(chain) - 1
	for ; made > 0 && d > 0 && isOnlyMember(chain[d]); d-- {
		made--
	}
	chain[d].remove()
	return root.Pack(), nil
}

// isOnlyMember reports whether an object has one member, and no comment.
func isOnlyMember(obj jsonObject) bool {
	m := obj.Members[0]
	return len(obj.Members) == 1 && len(bytes.TrimSpace(slices.Concat(m.Name.BeforeExtra, m.Value.AfterExtra, obj.AfterExtra))) == 0
}

// remove removes the member at index with the space before it and one comma, but
// not the comments around it.
func (o jsonObject) remove() {
	m, i := o.Members[o.index], o.index
	before := m.Name.BeforeExtra
	kept := before[:len(bytes.TrimRight(before, " \t\r\n"))]
	if n := bytes.LastIndexByte(before, '\n'); n >= 0 {
		kept = bytes.TrimSuffix(before[:n], []byte("\r"))
	}
	o.Members = slices.Delete(o.Members, i, i+1)
	next := &o.AfterExtra // what follows the member and its comma
	if i < len(o.Members) {
		next = &o.Members[i].Name.BeforeExtra
	}
	switch {
	case len(o.Members) == 0 && len(bytes.TrimSpace(slices.Concat(before, *next))) == 0:
		*next = nil
	case i == 0 && len(o.Members) > 0 && !bytes.ContainsRune(before, '\n'):
		// First on a line of several: remove the space after it, not before.
		*next = slices.Concat(before, bytes.TrimLeft(*next, " \t"))
	case i > 0 && i == len(o.Members) && m.Value.AfterExtra == nil:
		last := &o.Members[i-1].Value
		*next = slices.Concat(last.AfterExtra, kept, *next)
		last.AfterExtra = nil
	case i > 0 && i == len(o.Members):
		last := &o.Members[i-1].Value
		last.AfterExtra = append(hujson.Extra{}, last.AfterExtra...) // not nil: its comma is the last one now
		fallthrough
	default:
		*next = slices.Concat(kept, *next)
	}
}
