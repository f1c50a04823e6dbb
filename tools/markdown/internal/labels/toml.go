package labels

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
)

// readTOML reads every key at any depth of the TOML that a page begins with, if it does. It
// returns false for what cannot be read, or is too much.
func (r *reader) readTOML(text string) bool {
	_, end, yaml := frontmatter.Split(text)
	if yaml || end == 0 {
		return true
	}
	block := text[strings.IndexByte(text, '\n')+1 : end]
	var read map[string]any
	return toml.Unmarshal([]byte(block[:strings.LastIndex(block, "+++")]), &read) == nil && r.addTOML(read, nil, 0)
}

// addTOML adds all text of a value to the properties that it belongs to.
func (r *reader) addTOML(value any, names []string, depth int) bool {
	if r.left--; r.left < 0 || depth > maxDepth {
		return false
	}
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if !r.addTOML(inner, append(slices.Clip(names), key), depth+1) {
				return false
			}
		}
	case []any:
		for _, inner := range v {
			if !r.addTOML(inner, names, depth+1) {
				return false
			}
		}
		if len(v) == 0 { // an empty list is there too
			r.addTOML("", names, depth+1)
		}
	default:
		for _, name := range names {
			r.add(name, fmt.Sprint(v))
		}
	}
	return true
}
