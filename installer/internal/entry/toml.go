package entry

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/lectern-mcp/lectern/internal/tomltext"
)

func readTOML(text []byte) (map[string]any, error) {
	var top map[string]any
	if err := toml.Unmarshal(text, &top); err != nil {
		if d, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, column := d.Position()
			return nil, &Fault{line, column, strings.TrimPrefix(d.Error(), "toml: ")}
		}
		return nil, &Fault{Msg: err.Error()}
	}
	if top == nil {
		top = map[string]any{}
	}
	return top, nil
}

// setTOML writes the entry at the end of the file, where a table cannot split
// another one. Containers need not be created.
func (p Location) setTOML(text []byte, fields Fields, top map[string]any) ([]byte, error) {
	if path, ok := p.outlinePath(top); ok {
		if text, ok = tomltext.Cut(text, path); !ok {
			return nil, ErrManualEdit
		}
	}
	if list := tomltext.Path(p.Parents...) + " = []"; p.List && bytes.Contains(text, []byte(list)) {
		// Tables cannot be added to a list that is written inline.
		filled := strings.TrimSuffix(list, "]") + formatInlineTOML(fields) + "]"
		return bytes.Replace(text, []byte(list), []byte(filled), 1), nil
	}
	return tomltext.Append(text, p.formatTOML(fields)), nil
}

func (p Location) removeTOML(text []byte, top map[string]any) ([]byte, error) {
	path, _ := p.outlinePath(top)
	if rest, ok := tomltext.Cut(text, path); ok {
		return rest, nil
	}
	written := []byte("[" + formatInlineTOML(orderedFields(p, top)) + "]")
	if p.List && bytes.Count(text, written) == 1 {
		return bytes.Replace(text, written, []byte("[]"), 1), nil
	}
	return nil, ErrManualEdit
}

// orderedFields are the fields of the entry in the order in which we write them.
func orderedFields(p Location, top map[string]any) Fields {
	entry, err := p.find(top)
	if err != nil {
		return nil
	}
	var f Fields
	for _, key := range []string{"name", "transport", "command", "args", "url"} {
		if v, ok := entry[key]; ok {
			f = append(f, Field{key, v})
		}
	}
	return f.With(entry, nil)
}

// outlinePath is the path of the entry, as tomltext writes paths.
func (p Location) outlinePath(top map[string]any) (string, bool) {
	container, err := p.container(top)
	if err != nil || container == nil {
		return "", false
	}
	if list, ok := container.([]any); ok {
		i := p.index(list)
		return fmt.Sprintf("%s[%d]", tomltext.Path(p.Parents...), i), i >= 0
	}
	m, _ := container.(map[string]any)
	return tomltext.Under(tomltext.Path(p.Parents...), p.Name), m[p.Name] != nil
}

func (p Location) formatTOML(fields Fields) string {
	var b strings.Builder
	if p.List {
		fmt.Fprintf(&b, "[[%s]]\n", tomltext.Path(p.Parents...))
	} else {
		fmt.Fprintf(&b, "[%s]\n", tomltext.Under(tomltext.Path(p.Parents...), p.Name))
	}
	for _, f := range fields {
		fmt.Fprintf(&b, "%s = %s\n", tomltext.Key(f.Key), formatTOMLValue(f.Value))
	}
	return b.String()
}

func formatTOMLValue(v any) string {
	switch v := simplify(v).(type) {
	case string:
		return tomltext.Quote(v)
	case Fields:
		return formatInlineTOML(v)
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = formatTOMLValue(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	default:
		return fmt.Sprint(v)
	}
}

func formatInlineTOML(f Fields) string {
	if len(f) == 0 {
		return "{}"
	}
	parts := make([]string, len(f))
	for i, field := range f {
		parts[i] = tomltext.Key(field.Key) + " = " + formatTOMLValue(field.Value)
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}
