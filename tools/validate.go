package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/internal/nearest"
)

// isReadVerbatim reports whether arguments that have passed the check are read from
// their text as they are, and not written once more before: it takes a third of the time
// of reading them. Their values are text, truth values and what reads itself. Of others
// JSON has several spellings, such as 1e2 for an integer, and a name that stands there
// twice would have what was not checked.
func isReadVerbatim(in reflect.Type) bool {
	if in.Kind() != reflect.Struct {
		return false
	}
	for f := range in.Fields() {
		switch kind := f.Type.Kind(); {
		case kind == reflect.String, kind == reflect.Bool:
		case !reflect.PointerTo(f.Type).Implements(reflect.TypeFor[json.Unmarshaler]()):
			return false
		}
	}
	return true
}

// decodeConfig checks a configuration against s, fills in defaults and decodes it into v.
func decodeConfig(s *jsonschema.Schema, config json.RawMessage, v any) error {
	object, err := ParseArguments(config)
	if err != nil {
		return err
	}
	return decodeObject(s, object, nil, v)
}

// decodeObject checks object against s, fills in defaults and decodes it into v: from
// verbatim, if that is not nil and has all of it. An error is Invalid, in words that help an
// agent to repair the call.
func decodeObject(s *jsonschema.Schema, object map[string]any, verbatim json.RawMessage, v any) error {
	if err := checkValue(s, "", object); err != nil {
		return err
	}
	for name, p := range s.Properties {
		if _, given := object[name]; !given && p.Default != nil {
			object[name], verbatim = p.Default, nil
		}
	}
	if verbatim == nil {
		var err error
		if verbatim, err = json.Marshal(object); err != nil {
			return Errorf(Invalid, "arguments: %w", err)
		}
	}
	if err := json.Unmarshal(verbatim, v); err != nil {
		return Errorf(Invalid, "arguments: %w", err)
	}
	return nil
}

// checkValue reports the first thing wrong with v at path, in a fixed order.
func checkValue(s *jsonschema.Schema, path string, v any) error {
	if v == nil && takesNull(s) {
		return nil
	}
	if kind := valueType(s); kind != "" && !hasType(kind, v) {
		return Errorf(Invalid, "%s: must be %s, got %s", path, typeWithArticle(kind), describeType(v))
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return e == v }) {
		return Errorf(Invalid, "%s: must be one of %s, got %s", path, joinEnum(s.Enum), describeValue(v))
	}
	switch v := v.(type) {
	case map[string]any:
		return checkObject(s, path, v)
	case []any:
		return checkList(s, path, v)
	case json.Number:
		f, _ := v.Float64() // what is too large is infinite
		return checkNumber(s, path, f)
	case string:
		return checkText(s, path, v)
	}
	return nil
}

func checkObject(s *jsonschema.Schema, path string, v map[string]any) error {
	closed := s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil
	for _, name := range slices.Sorted(maps.Keys(v)) {
		p, known := s.Properties[name]
		switch {
		case known:
		case closed:
			return unknownArgument(joinPath(path, name), name, slices.Sorted(maps.Keys(s.Properties)))
		case s.AdditionalProperties != nil:
			p = s.AdditionalProperties
		default:
			continue
		}
		if err := checkValue(p, joinPath(path, name), v[name]); err != nil {
			return err
		}
	}
	for _, name := range s.Required {
		if _, given := v[name]; !given {
			return Errorf(Invalid, "missing argument %s", joinPath(path, name))
		}
	}
	return nil
}

func unknownArgument(path, name string, known []string) error {
	if len(name) > 100 {
		return Errorf(Invalid, "unknown argument with a name of %d bytes", len(name))
	}
	if near := nearest.Word(name, known); near != "" {
		return Errorf(Invalid, "unknown argument %s, did you mean %s?", path, near)
	}
	e := Errorf(Invalid, "unknown argument %s", path)
	if len(known) == 0 {
		return e.WithHint("Call it without arguments.")
	}
	return e.WithHint("It takes %s.", strings.Join(known, ", "))
}

func checkList(s *jsonschema.Schema, path string, v []any) error {
	if s.MinItems != nil && len(v) < *s.MinItems {
		return Errorf(Invalid, "%s: at least %d entries, got %d", path, *s.MinItems, len(v))
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		return Errorf(Invalid, "%s: at most %d entries, got %d", path, *s.MaxItems, len(v))
	}
	if s.Items == nil {
		return nil
	}
	for i, e := range v {
		if err := checkValue(s.Items, fmt.Sprintf("%s[%d]", path, i), e); err != nil {
			return err
		}
	}
	return nil
}

func checkNumber(s *jsonschema.Schema, path string, v float64) error {
	if s.Minimum != nil && s.Maximum != nil && (v < *s.Minimum || v > *s.Maximum) {
		return Errorf(Invalid, "%s: from %s to %s, got %s", path, formatNumber(*s.Minimum), formatNumber(*s.Maximum), formatNumber(v))
	}
	if s.Minimum != nil && v < *s.Minimum {
		return Errorf(Invalid, "%s: at least %s, got %s", path, formatNumber(*s.Minimum), formatNumber(v))
	}
	if s.Maximum != nil && v > *s.Maximum {
		return Errorf(Invalid, "%s: at most %s, got %s", path, formatNumber(*s.Maximum), formatNumber(v))
	}
	return nil
}

func checkText(s *jsonschema.Schema, path, v string) error {
	if s.Format == secretFormat {
		if _, err := ParseSecret(v); err != nil {
			return Errorf(Invalid, "%s: %w", path, err)
		}
	}
	n := utf8.RuneCountInString(v)
	if s.MinLength != nil && n < *s.MinLength {
		if n == 0 {
			return emptyError(path)
		}
		return Errorf(Invalid, "%s: at least %d characters, got %d", path, *s.MinLength, n)
	}
	if s.Pattern == notBlank && strings.TrimSpace(v) == "" {
		return emptyError(path)
	}
	if s.MaxLength != nil && n > *s.MaxLength {
		return Errorf(Invalid, "%s: at most %d characters, got %d", path, *s.MaxLength, n)
	}
	return nil
}

func emptyError(path string) error {
	return Errorf(Invalid, "%s: must not be empty", path).WithHint("Say what is meant, or leave it out where it is optional.")
}

func hasType(t string, v any) bool {
	switch v := v.(type) {
	case nil:
		return t == "null"
	case bool:
		return t == "boolean"
	case string:
		return t == "string"
	case []any:
		return t == "array"
	case map[string]any:
		return t == "object"
	case json.Number:
		f, err := v.Float64()
		return err == nil && hasType(t, f)
	case float64:
		return t == "number" || t == "integer" && v == math.Trunc(v) && math.Abs(v) < 1<<53
	}
	return false
}

func describeType(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	case json.Number:
		return fmt.Sprintf("the number %.40s", v)
	}
	return "something else"
}

func typeWithArticle(t string) string {
	switch t {
	case "array":
		return "a list"
	case "integer":
		return "a whole number"
	case "object":
		return "an object"
	default:
		return "a " + t
	}
}

func formatNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func describeValue(v any) string {
	if s, ok := v.(string); ok && utf8.RuneCountInString(s) <= 40 {
		return strconv.Quote(s)
	}
	return describeType(v)
}

func joinEnum(enum []any) string {
	words := make([]string, len(enum))
	for i, e := range enum {
		words[i] = fmt.Sprint(e)
	}
	return strings.Join(words, ", ")
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
