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

// propertyNames lists names in the order of the declaration.
func propertyNames(s *jsonschema.Schema) []string {
	if len(s.PropertyOrder) > 0 {
		return s.PropertyOrder
	}
	return slices.Sorted(maps.Keys(s.Properties))
}

// argumentList is a schema in one line: "{ title, content? }".
func argumentList(s *jsonschema.Schema) string {
	var names []string
	for _, name := range propertyNames(s) {
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

// schemaRows lists the properties of s and of the objects in it.
func schemaRows(s *jsonschema.Schema) []row { return schemaRowsUnder("", s) }

func schemaRowsUnder(path string, s *jsonschema.Schema) []row {
	var all []row
	for _, name := range propertyNames(s) {
		p := s.Properties[name]
		all = append(all, row{path + name, describeType(p), !slices.Contains(s.Required, name), p.Description})
		inner, suffix := p, "."
		for inner.Type == "array" && inner.Items != nil {
			inner, suffix = inner.Items, "[]"+suffix
		}
		if inner.Type == "object" {
			all = append(all, schemaRowsUnder(path+name+suffix, inner)...)
		}
	}
	return all
}

// describeType describes a type with its constraints: "integer, 1 to 200, 50
// when omitted".
func describeType(s *jsonschema.Schema) string {
	var parts []string
	switch {
	case len(s.Enum) > 0:
		var words []string
		for _, e := range s.Enum {
			words = append(words, fmt.Sprintf("`%v`", e))
		}
		parts = append(parts, strings.Join(words, " or "))
	case s.Type == "array" && s.Items != nil:
		parts = append(parts, "list of "+describeType(s.Items))
	case s.Type == "":
		parts = append(parts, "anything")
	default:
		parts = append(parts, s.Type)
	}
	if bounds := formatRange(s.Minimum, s.Maximum); bounds != "" {
		parts = append(parts, bounds)
	}
	if length := formatRange(toFloat(s.MinLength), toFloat(s.MaxLength)); length != "" {
		parts = append(parts, length+" characters")
	}
	if entries := formatRange(toFloat(s.MinItems), toFloat(s.MaxItems)); entries != "" {
		parts = append(parts, entries+" entries")
	}
	if s.Default != nil {
		parts = append(parts, "`"+string(s.Default)+"` when omitted")
	}
	return strings.Join(parts, ", ")
}

func formatRange(low, high *float64) string {
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

func toFloat(n *int) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}
