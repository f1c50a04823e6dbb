package entry

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// A Field of an entry. Its Value is a string, bool, int, nil, []string, Fields,
// or a value that Get returned.
type Field struct {
	Key   string
	Value any
}

// Fields are written in this order.
type Fields []Field

// Map is f as Get would return it.
func (f Fields) Map() map[string]any {
	m := map[string]any{}
	for _, field := range f {
		m[field.Key] = normalize(field.Value)
	}
	return m
}

// With is f, followed by the fields of entry that are neither in f nor in
// without, sorted.
func (f Fields) With(entry map[string]any, without Fields) Fields {
	all := slices.Clone(f)
	ours, left := f.Map(), without.Map()
	for _, key := range slices.Sorted(maps.Keys(entry)) {
		_, isOurs := ours[key]
		_, isLeft := left[key]
		if !isOurs && !isLeft {
			all = append(all, Field{key, entry[key]})
		}
	}
	return all
}

// normalize converts a value to one of few types, so that equal values of all
// formats compare equal.
func normalize(v any) any {
	switch v := v.(type) {
	case Fields:
		return v.Map()
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		return list
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = normalize(x)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, x := range v {
			m[k] = normalize(x)
		}
		return m
	case int, int64, uint64:
		return json.Number(fmt.Sprint(v))
	default:
		return v
	}
}

func equalFields(a, b map[string]any) bool { return reflect.DeepEqual(normalize(a), normalize(b)) }

// simplify makes sorted Fields of a map, and a list of any of a list of strings,
// for writing.
func simplify(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return Fields{}.With(v, nil)
	case []string:
		return normalize(v)
	default:
		return v
	}
}
