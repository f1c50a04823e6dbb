package pane

import "slices"

// recentValues keeps the values that were put last, by their keys. It is a value: a put
// leaves copies as they were.
type recentValues[V any] struct {
	keys   []string // the newest first
	values map[string]V
}

// get returns the value of a key, if it is still there.
func (r recentValues[V]) get(key string) (V, bool) {
	v, ok := r.values[key]
	return v, ok
}

// put returns r with a value, and of the others the newest: most in all.
func (r recentValues[V]) put(key string, v V, most int) recentValues[V] {
	keys := append(make([]string, 0, most), key)
	values := map[string]V{key: v}
	for _, k := range r.keys {
		if len(keys) < most && !slices.Contains(keys, k) {
			keys, values[k] = append(keys, k), r.values[k]
		}
	}
	return recentValues[V]{keys, values}
}
