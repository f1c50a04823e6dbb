package entry

import (
	"bytes"
	"encoding/json"
	"errors"
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
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	if _, _, err := p.descend(text, &root); err != nil {
		return nil, err
	}
	// Standardize may change its argument.
	standard, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return nil, &Fault{Msg: err.Error()}
	}
	d := json.NewDecoder(bytes.NewReader(standard))
	d.UseNumber()
	var top map[string]any
	if err := d.Decode(&top); err != nil {
		return nil, &Fault{Msg: err.Error()}
	}
	return top, nil
}

// descend follows Parents as far as they exist. It returns the innermost object
// and the number of keys that lead to it. Duplicate keys on the way are a fault.
func (p Location) descend(text []byte, root *hujson.Value) (at *hujson.Value, depth int, err error) {
	at = root
	for _, key := range append(slices.Clip(p.Parents), p.Name) {
		obj, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, 0, newFault(text, at.StartOffset, "this must be an object: {...}")
		}
		if depth == len(p.Parents) {
			_, err = findMember(text, obj, key)
			return at, depth, err
		}
		i, err := findMember(text, obj, key)
		if err != nil {
			return nil, 0, err
		}
		if i < 0 {
			break
		}
		at = &obj.Members[i].Value
		depth++
	}
	return at, depth, nil
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

var errNotObject = errors.New("no object")

func (p Location) setJSON(e *edit, fields Fields) (made int, err error) {
	if len(bytes.TrimSpace(e.text)) == 0 {
		s := style{unit: "  ", eol: e.eol}
		e.splice(0, len(e.text), s.format(p.wrapInParents(p.Parents, fields), "")+e.eol)
		return len(p.Parents), nil
	}
	root, err := parseJSON(e.text)
	if err != nil {
		return 0, err
	}
	at, depth, err := p.descend(e.text, &root)
	if err != nil {
		return 0, err
	}
	obj, ok := at.Value.(*hujson.Object)
	if !ok {
		return 0, errNotObject // descend has checked that
	}
	s := detectStyle(e, &root)
	key, value := p.Name, any(fields)
	if missing := p.Parents[depth:]; len(missing) > 0 {
		key, value = missing[0], p.wrapInParents(missing[1:], fields)
	} else if i, err := findMember(e.text, obj, p.Name); err != nil {
		return 0, err
	} else if i >= 0 {
		old := obj.Members[i].Value
		s.flat = s.flat || isOneLine(e.text, at)
		e.splice(old.StartOffset, old.EndOffset, s.format(fields, indentOf(e.text, obj.Members[i].Name.StartOffset)))
		return 0, nil
	}
	s.insert(e, at, obj, key, value)
	return len(p.Parents) - depth, nil
}

// wrapInParents wraps the entry in objects with these keys.
func (p Location) wrapInParents(keys []string, fields Fields) Fields {
	f := Fields{{p.Name, fields}}
	for _, key := range slices.Backward(keys) {
		f = Fields{{key, f}}
	}
	return f
}

// insert adds a member at the end of an object.
func (s style) insert(e *edit, at *hujson.Value, obj *hujson.Object, key string, value any) {
	n := len(obj.Members)
	if n == 0 {
		s.insertFirst(e, at, obj, key, value)
		return
	}
	first, last := &obj.Members[0], &obj.Members[n-1]
	end := last.Value.EndOffset
	trailing := last.Value.AfterExtra != nil
	if !bytes.ContainsRune(first.Name.BeforeExtra, '\n') {
		// The object is on one line and stays so.
		s.flat = true
		text := s.member(key, value, "")
		if s.unit != "" {
			text = " " + text
		}
		e.splice(end, end, ","+text)
		return
	}
	indent := indentOf(e.text, first.Name.StartOffset)
	after := end
	if trailing {
		after += len(last.Value.AfterExtra) + 1
	} else {
		e.splice(end, end, ",")
	}
	after += commentsOnLine(e.text[after:at.EndOffset])
	text := s.eol + indent + s.member(key, value, indent)
	if trailing {
		text += ","
	}
	e.splice(after, after, text)
}

// insertFirst adds a member to an empty object.
func (s style) insertFirst(e *edit, at *hujson.Value, obj *hujson.Object, key string, value any) {
	from, to := at.StartOffset+1, at.EndOffset-1
	if s.flat {
		e.splice(to, to, s.member(key, value, ""))
		return
	}
	outer := lineIndent(e.text, at.StartOffset)
	inner := outer + s.unit
	text := s.eol + inner + s.member(key, value, inner)
	if len(bytes.TrimSpace(obj.AfterExtra)) > 0 { // comments
		from = at.StartOffset + 1 + len(bytes.TrimRight(obj.AfterExtra, " \t\r\n"))
	}
	if bytes.ContainsRune(e.text[from:to], '\n') {
		e.splice(from, from, text)
		return
	}
	e.splice(from, to, text+s.eol+outer)
}

func (p Location) removeJSON(e *edit, made int) error {
	root, err := parseJSON(e.text)
	if err != nil {
		return err
	}
	// The objects from the top to the one that holds the entry.
	chain := []*hujson.Value{&root}
	keys := append(slices.Clip(p.Parents), p.Name)
	for _, key := range p.Parents {
		obj, ok := chain[len(chain)-1].Value.(*hujson.Object)
		if !ok {
			return errNotObject
		}
		i, err := findMember(e.text, obj, key)
		if err != nil || i < 0 {
			return errors.Join(err, errNotObject)
		}
		chain = append(chain, &obj.Members[i].Value)
	}
	d := len(chain) - 1
	for ; made > 0 && d > 0 && isOnlyMember(chain[d]); d-- {
		made--
	}
	obj, ok := chain[d].Value.(*hujson.Object)
	if !ok {
		return errNotObject
	}
	i, err := findMember(e.text, obj, keys[d])
	if err != nil || i < 0 {
		return errors.Join(err, errNotObject)
	}
	removeMember(e, chain[d], obj, i)
	return nil
}

// isOnlyMember reports whether an object has one member, and no comment.
func isOnlyMember(v *hujson.Value) bool {
	obj, ok := v.Value.(*hujson.Object)
	if !ok || len(obj.Members) != 1 {
		return false
	}
	m := obj.Members[0]
	return len(bytes.TrimSpace(m.Name.BeforeExtra)) == 0 && len(bytes.TrimSpace(m.Value.AfterExtra)) == 0 &&
		len(bytes.TrimSpace(obj.AfterExtra)) == 0
}

// removeMember removes a member with the space before it and one comma, but not
// the comments around it.
func removeMember(e *edit, at *hujson.Value, obj *hujson.Object, i int) {
	m := obj.Members[i]
	before := m.Name.BeforeExtra
	kept := len(bytes.TrimRight(before, " \t\r\n"))
	if n := bytes.LastIndexByte(before, '\n'); n >= 0 {
		if kept = n; n > 0 && before[n-1] == '\r' {
			kept--
		}
	}
	from, to := m.Name.StartOffset-len(before)+kept, m.Value.EndOffset
	switch comma := i+1 < len(obj.Members) || m.Value.AfterExtra != nil; {
	case len(obj.Members) == 1:
		if comma {
			to += len(m.Value.AfterExtra) + 1
		}
		if len(bytes.TrimSpace(before)) == 0 && len(bytes.TrimSpace(e.text[to:at.EndOffset-1])) == 0 {
			from, to = at.StartOffset+1, at.EndOffset-1
		}
	case comma && i == 0 && !bytes.ContainsRune(before, '\n'):
		// First on a line of several: remove the space after it, not before.
		next := obj.Members[1].Name
		from, to = m.Name.StartOffset, next.StartOffset-len(bytes.TrimLeft(next.BeforeExtra, " \t"))
	case comma:
		to += len(m.Value.AfterExtra) + 1
	default:
		prev := obj.Members[i-1].Value
		at := prev.EndOffset + len(prev.AfterExtra)
		e.splice(at, at+1, "")
	}
	e.splice(from, to, "")
}
