package frontmatter

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/lectern-mcp/lectern/internal/tomltext"
)

// ParseTOML parses TOML between lines of "+++", which head is with them, for reading. The
// tags of Zola, which stand in its taxonomies, are tags.
func ParseTOML(head string) (Fields, error) {
	f := Fields{Values: map[string]any{}, lines: map[string][2]int{}}
	block := head[strings.IndexByte(head, '\n')+1:]
	block = block[:strings.LastIndex(block, "+++")]
	var read map[string]any
	if err := toml.Unmarshal([]byte(block), &read); err != nil {
		if e, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ := e.Position()
			return f, fmt.Errorf("front matter is not valid TOML near line %d", line+1)
		}
		return f, errors.New("front matter is not valid TOML")
	}
	r := reader{left: maxNodes}
	for key, value := range read {
		v, err := r.tomlValue(value, 0)
		if err != nil {
			return Fields{Values: map[string]any{}}, err
		}
		f.Values[key] = v
	}
	f.findLines(block)
	if zola, ok := f.Values["taxonomies"].(map[string]any); ok && f.Values["tags"] == nil && zola["tags"] != nil {
		f.Values["tags"], f.lines["tags"] = zola["tags"], f.lines["taxonomies"]
	}
	return f, nil
}

// findLines finds the lines from each key on to the next one.
func (f *Fields) findLines(block string) {
	starts := tomltext.ParseOutline([]byte(block)).Keys
	paths := slices.SortedFunc(maps.Keys(starts), func(a, b string) int { return starts[a] - starts[b] })
	last := strings.Count(strings.TrimSuffix(block, "\n"), "\n") + 2
	for i, path := range paths {
		key, _, _ := strings.Cut(path, ".")
		key, _, _ = strings.Cut(key, "[")
		key = strings.Trim(key, `"`)
		end := last
		if i+1 < len(paths) {
			end = strings.Count(block[:starts[paths[i+1]]], "\n") + 1
		}
		lines, known := f.lines[key]
		if !known {
			lines[0] = strings.Count(block[:starts[path]], "\n") + 2
		}
		f.lines[key] = [2]int{lines[0], max(end, lines[0])}
	}
}

// tomlValue is a value as YAML's are: what is neither a whole number nor a boolean is text.
func (r *reader) tomlValue(value any, depth int) (any, error) {
	r.left--
	if r.left < 0 || depth > maxDepth {
		return nil, errTooMuch
	}
	switch v := value.(type) {
	case string, bool, int64:
		return v, nil
	case []any:
		list := make([]any, 0, len(v))
		for _, element := range v {
			read, err := r.tomlValue(element, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, read)
		}
		return list, nil
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, element := range v {
			read, err := r.tomlValue(element, depth+1)
			if err != nil {
				return nil, err
			}
			m[key] = read
		}
		return m, nil
	case interface{ Format(layout string) string }: // a time with its zone
		return v.Format("2006-01-02T15:04:05Z07:00"), nil
	default:
		return fmt.Sprint(v), nil
	}
}
