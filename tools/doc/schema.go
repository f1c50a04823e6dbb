package doc

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// A row describes one property of a schema for a table.
type row struct {
	Name     string // with its path: "links[].title"
	Type     string
	Optional bool
	Doc      string
}

// properties lists names in the order of the declaration.
func properties(s *jsonschema.Schema) []string {
	if len(s.PropertyOrder) > 0 {
		return s.PropertyOrder
	}
	return slices.Sorted(maps.Keys(s.Properties))
}

// arguments is a schema in one line: "{ title, content? }".
func arguments(s *jsonschema.Schema) string {
	var names []string
	for _, name := range properties(s) {
		if !slices.Contains(s.Required, name) {
			name += "?"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(names, ", ") + " }"
}

// rows lists the properties of s and of the objects in it.
func rows(s *jsonschema.Schema) []row { return rowsAt("", s) }

func rowsAt(path string, s *jsonschema.Schema) []row {
	var all []row
	for _, name := range properties(s) {
		p := s.Properties[name]
		all = append(all, row{path + name, typeOf(p), !slices.Contains(s.Required, name), p.Description})
		inner, suffix := p, "."
		for inner.Type == "array" && inner.Items != nil {
			inner, suffix = inner.Items, "[]"+suffix
		}
		if inner.Type == "object" {
			all = append(all, rowsAt(path+name+suffix, inner)...)
		}
	}
	return all
}

// typeOf says a type and its constraints: "integer, 1 to 200, 50 when omitted".
func typeOf(s *jsonschema.Schema) string {
	var parts []string
	switch {
	case len(s.Enum) > 0:
		var words []string
		for _, e := range s.Enum {
			words = append(words, fmt.Sprintf("`%v`", e))
		}
		parts = append(parts, strings.Join(words, " or "))
	case s.Type == "array" && s.Items != nil:
		parts = append(parts, "list of "+typeOf(s.Items))
	case s.Type == "":
		parts = append(parts, "anything")
	default:
		parts = append(parts, s.Type)
	}
	if bounds := between(s.Minimum, s.Maximum); bounds != "" {
		parts = append(parts, bounds)
	}
	if length := between(float(s.MinLength), float(s.MaxLength)); length != "" {
		parts = append(parts, length+" characters")
	}
	if entries := between(float(s.MinItems), float(s.MaxItems)); entries != "" {
		parts = append(parts, entries+" entries")
	}
	if s.Default != nil {
		parts = append(parts, "`"+string(s.Default)+"` when omitted")
	}
	return strings.Join(parts, ", ")
}

func between(low, high *float64) string {
	number := func(f *float64) string { return strconv.FormatFloat(*f, 'f', -1, 64) }
	switch {
	case low != nil && high != nil:
		return number(low) + " to " + number(high)
	case low != nil:
		return "at least " + number(low)
	case high != nil:
		return "at most " + number(high)
	default:
		return ""
	}
}

func float(n *int) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}
