package entry

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// A Field of an entry. Its Value is a string, bool, int, nil, []string or
// Fields, or what Get answered.
type Field struct {
	Key   string
	Value any
}

// Fields are in the order in which they are written.
type Fields []Field

// Map is f as Get would answer it.
func (f Fields) Map() map[string]any {
	m := map[string]any{}
	for _, field := range f {
		m[field.Key] = normalize(field.Value)
	}
	return m
}

// With is f and those of the fields of an entry that are in neither f nor
// drop, sorted after it.
func (f Fields) With(entry map[string]any, drop Fields) Fields {
	all := slices.Clone(f)
	ours, dropped := f.Map(), drop.Map()
	for _, key := range slices.Sorted(maps.Keys(entry)) {
		_, mine := ours[key]
		_, gone := dropped[key]
		if !mine && !gone {
			all = append(all, Field{key, entry[key]})
		}
	}
	return all
}

// normalize brings a value to one of few types, so that values which mean the same
// are equal whatever the format they came from.
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

// sortFields is a value with its fields in order, for writing.
func sortFields(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	f := make(Fields, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		f = append(f, Field{key, m[key]})
	}
	return f
}
