package frontmatter

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Errors of edits. Nothing is changed then.
var (
	ErrNotAlone  = errors.New("it is written in a way that cannot be edited alone")
	ErrNoList    = errors.New("it is no list")
	ErrNoElement = errors.New("the list has no such element")
)

// Add returns block with a key that it does not have.
func Add(block, key string, v Value) (string, error) {
	return verified(block, block+Scalar(key)+":"+v.behindColon("")+"\n", key, v.meaning)
}

// Set returns block with another value of a key that it has. The comment behind the old value
// stays.
func Set(block, key string, v Value) (string, error) {
	e, ok := findEntry(block, key)
	if !ok {
		return "", ErrNotAlone
	}
	return verified(block, e.with(v), key, v.meaning)
}

// Delete returns block without a key that it has.
func Delete(block, key string) (string, error) {
	e, ok := findEntry(block, key)
	if !ok {
		return "", ErrNotAlone
	}
	now := block[:e.start] + block[e.end:]
	fields, err := Parse(now)
	if _, has := fields.Values[key]; err != nil || has || !sameOthers(block, fields.Values, key) {
		return "", ErrNotAlone
	}
	return now, nil
}

// Append returns block with one more text in the list that a key has. Another value becomes
// the first element of a list, or several if commas split it.
func Append(block, key, text string, commas bool) (string, error) {
	e, ok := findEntry(block, key)
	fields, err := Parse(block)
	if !ok || err != nil {
		return "", ErrNotAlone
	}
	old, added := fields.Values[key], TextValue(text)
	list, isList := old.([]any)
	source := block[e.from:e.to]
	var elements []Value
	switch {
	case isList && e.value.Kind == yaml.SequenceNode && len(list) > 0:
		return verified(block, e.withElement(added), key, append(list, added.meaning))
	case isList && e.value.Kind != yaml.SequenceNode:
		return "", ErrNotAlone
	case isList || old == nil:
	case e.value.Kind != yaml.ScalarNode:
		return "", ErrNoList
	case commas:
		for _, part := range fields.Texts(key) {
			elements = append(elements, TextValue(part))
		}
	case strings.Contains(source, "\n"):
		elements = append(elements, TextValue(fields.Text(key)))
	default:
		elements = append(elements, Value{inline: source, meaning: old})
	}
	v := listValue(append(elements, added))
	if isList { // empty brackets
		v.inline, v.lines = "["+added.inline+"]", ""
	}
	return verified(block, e.with(v), key, v.meaning)
}

// Remove returns block without the elements of a list that are a text.
func Remove(block, key, text string) (string, error) {
	e, ok := findEntry(block, key)
	fields, err := Parse(block)
	if !ok || err != nil {
		return "", ErrNotAlone
	}
	list, isList := fields.Values[key].([]any)
	if !isList {
		return "", ErrNoElement
	}
	kept, gone := []any{}, map[int]bool{}
	for i, v := range list {
		if element := fmt.Sprint(v); v != nil && (element == text || element == strings.TrimSpace(text)) {
			gone[i] = true
		} else {
			kept = append(kept, v)
		}
	}
	switch {
	case len(gone) == 0:
		return "", ErrNoElement
	case e.value.Kind != yaml.SequenceNode:
		return "", ErrNotAlone
	case len(kept) == 0:
		return Set(block, key, Value{inline: "[]", meaning: kept})
	}
	return verified(block, e.withoutElements(gone), key, kept)
}

// verified is now, if reading it gives the value of a key that is meant, and all others.
func verified(block, now, key string, meaning any) (string, error) {
	fields, err := Parse(now)
	if err != nil || !sameOthers(block, fields.Values, key) || !reflect.DeepEqual(fields.Values[key], meaning) {
		return "", ErrNotAlone
	}
	return now, nil
}

// sameOthers reports whether all keys but one are those of block.
func sameOthers(block string, now map[string]any, key string) bool {
	was, err := Parse(block)
	others := maps.Clone(now)
	delete(was.Values, key)
	delete(others, key)
	return err == nil && reflect.DeepEqual(was.Values, others)
}
