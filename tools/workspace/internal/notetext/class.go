package notetext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A FieldType is how the text of a section becomes a value.
type FieldType string

// All types of fields.
const (
	String   FieldType = "string"   // the text
	Number   FieldType = "number"   // a JSON number
	Date     FieldType = "date"     // 2025-11-29, or with a time 2025-11-29T10:00:00Z
	List     FieldType = "list"     // the items of a list, or the lines
	Markdown FieldType = "markdown" // the text, with the headings below
)

// FieldTypes are all types, in the order of the reference.
func FieldTypes() []FieldType { return []FieldType{String, Number, Date, List, Markdown} }

// A Class says which properties its notes have.
type Class struct {
	Name       string           `json:"name"`
	Version    int              `json:"version"`
	Template   string           `json:"template"`
	Fields     map[string]Field `json:"fields"`
	Defaults   map[string]any   `json:"defaults"`
	Strategies map[string]any   `json:"strategies"` // kept, for clients
}

// A Field is a property that notes of a class have.
type Field struct {
	Type     FieldType `json:"type"`
	Required bool      `json:"required,omitempty"`
}

var className = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL\pN_][\pL\pN\pM _.-]*$`) })

// IsClassName reports whether name may be that of a class.
func IsClassName(name string) bool {
	return className().MatchString(name) && utf8.RuneCountInString(name) <= 100 && name != "types"
}

// ParseClass reads a class as people write it. The error says what to write.
func ParseClass(data []byte) (Class, error) {
	var c Class
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return c, fmt.Errorf("the class cannot be read: %w", err)
	}
	return c, c.complete()
}

// complete checks a class and fills what may be left out.
func (c *Class) complete() error {
	if !IsClassName(c.Name) {
		return errors.New("name must be 1 to 100 letters, digits, spaces, _, - and ., and not types")
	}
	c.Version = max(c.Version, 1)
	for _, name := range slices.Sorted(maps.Keys(c.Fields)) {
		f := c.Fields[name]
		if name == "" || len(name) > 200 || strings.TrimSpace(name) != name || strings.ContainsAny(name, "\r\n") {
			return fmt.Errorf("fields.%s: a field's name is one line of at most 200 bytes, without spaces around it", name)
		}
		if !slices.Contains(FieldTypes(), f.Type) {
			return fmt.Errorf("fields.%s.type: %q is not a type (want string, number, date, list or markdown)", name, f.Type)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Defaults)) {
		f, known := c.Fields[name]
		if !known {
			return fmt.Errorf("defaults.%s: the class has no such field", name)
		}
		v, err := f.Type.convert(c.Defaults[name])
		if err != nil {
			return fmt.Errorf("defaults.%s: %w", name, err)
		}
		c.Defaults[name] = v
	}
	if c.Fields == nil {
		c.Fields = map[string]Field{}
	}
	if c.Defaults == nil {
		c.Defaults = map[string]any{}
	}
	if c.Strategies == nil {
		c.Strategies = map[string]any{}
	}
	return nil
}

// InferClass makes a class of notes: a field for each property that some of them
// have, of the type that all their values have, required where every note has it.
func InferClass(name string, notes []Text) (Class, error) {
	c := Class{Name: name, Fields: map[string]Field{}}
	var order []string
	values := map[string][]any{}
	for _, t := range notes {
		for _, p := range t.raw() {
			if values[p.name] == nil {
				order = append(order, p.name)
			}
			values[p.name] = append(values[p.name], p.value)
		}
	}
	template := []string{"# \n"}
	for _, field := range order {
		c.Fields[field] = Field{Type: inferType(values[field]), Required: len(values[field]) == len(notes)}
		template = append(template, "## "+field+"\n")
	}
	c.Template = strings.Join(template, "\n")
	return c, c.complete()
}

// inferType is the narrowest type that all values have.
func inferType(values []any) FieldType {
	is := func(fits func(any) bool) bool {
		return !slices.ContainsFunc(values, func(v any) bool { return !fits(v) })
	}
	converts := func(t FieldType) func(any) bool {
		return func(v any) bool { _, err := t.convert(v); return err == nil }
	}
	switch {
	case is(converts(Number)):
		return Number
	case is(converts(Date)):
		return Date
	case is(isList):
		return List
	case is(func(v any) bool { return !strings.Contains(scalarText(v), "\n") && scalarText(v) != "" }):
		return String
	}
	return Markdown
}

func isList(v any) bool {
	if _, is := v.([]any); is {
		return true
	}
	for line := range strings.Lines(scalarText(v)) {
		if _, item := cutItem(line); !item && strings.TrimSpace(line) != "" {
			return false
		}
	}
	return scalarText(v) != ""
}
