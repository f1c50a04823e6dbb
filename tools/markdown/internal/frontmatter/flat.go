package frontmatter

import (
	"fmt"
	"maps"
	"slices"
)

// A Property is one value of a key. That of a key within another is named with a dot,
// as book.author.
type Property struct {
	Top   string // the key of the block
	Key   string
	Value string
}

// Properties are all values, those of a list one by one, ordered by their keys. A key
// that holds no value, or other keys, has an empty one.
func (f Fields) Properties() (all []Property) {
	for _, key := range slices.Sorted(maps.Keys(f.Values)) {
		all = addProperties(all, key, key, f.Values[key])
	}
	return all
}

func addProperties(all []Property, top, key string, value any) []Property {
	switch v := value.(type) {
	case []any:
		before := len(all)
		for _, element := range v {
			if element != nil {
				all = addProperties(all, top, key, element)
			}
		}
		if len(all) == before {
			all = append(all, Property{top, key, ""})
		}
	case map[string]any:
		all = append(all, Property{top, key, ""})
		for _, inner := range slices.Sorted(maps.Keys(v)) {
			all = addProperties(all, top, key+"."+inner, v[inner])
		}
	case nil:
		all = append(all, Property{top, key, ""})
	default:
		all = append(all, Property{top, key, fmt.Sprint(v)})
	}
	return all
}
