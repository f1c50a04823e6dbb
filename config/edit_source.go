package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/tomltext"
)

// A KeyError says what is wrong with a key of a new source. It does not hold
// the value of a key of type [Secret].
type KeyError struct {
	Key string // empty: the kind
	Msg string
}

func (e *KeyError) Error() string {
	if e.Key == "" {
		return e.Msg
	}
	return e.Key + ": " + e.Msg
}

// NewSource is s with the System's keys as people type them (see [Key.Parse]):
// what AddSource would add. A wrong key or kind is a [KeyError].
func (c Config) NewSource(s Source, typed map[string]string) (Source, error) {
	s, _, err := c.newSource(s, typed)
	return s, err
}

func (c Config) newSource(s Source, typed map[string]string) (_ Source, values map[string]any, err error) {
	if values, err = c.parseKeys(s.Kind, typed); err == nil {
		s.Path, s.Options, err = c.newOptions(s.Kind, values)
	}
	return s, values, err
}

// AddSource plans to append a source with the System's keys as people type
// them. Of s it uses Name, Kind, ReadOnly, Effects, Ask, Tools, Exclude and Only. An
// empty name is derived from the source's folder, or else from its kind; a name
// that another source has is an error. A wrong key or kind is a [KeyError].
// Whether a source opens the same already is for the caller to find out.
func (c Config) AddSource(s Source, typed map[string]string) (Edit, Source, error) {
	s, values, err := c.newSource(s, typed)
	if err != nil {
		return Edit{}, Source{}, err
	}
	if s.Name == "" {
		s.Name = NameFor(s.Path, s.Kind, func(name string) bool { _, taken := c.Source(name); return taken })
	}
	if err := CheckName(s.Name); err != nil {
		return Edit{}, Source{}, fmt.Errorf("name: %w", err)
	}
	if old, taken := c.Source(s.Name); taken {
		opens := ""
		if old.Path != "" {
			opens = ", which opens " + old.Path
		}
		return Edit{}, Source{}, fmt.Errorf("the name %s is taken by the source in line %d of %s%s; choose another name", s.Name, old.Line,
			c.Path, opens)
	}
	after := c.appendSource(s, values)
	now, err := Parse(c.Path, after, c.schema)
	want := c
	want.Sources = append(slices.Clone(c.Sources), s)
	if err != nil || !now.equal(want) {
		return Edit{}, Source{}, c.manualEdit("add", "its sources are not written as [[source]] tables")
	}
	return Edit{c.Path, c.text, after}, now.Sources[len(now.Sources)-1], nil
}

// parseKeys converts typed values. An unknown kind or key is a KeyError.
func (c Config) parseKeys(kind string, typed map[string]string) (map[string]any, error) {
	own, known := c.schema.Kinds[kind]
	if !known {
		return nil, &KeyError{Msg: unknownWord("kind", kind, c.schema.kindNames())}
	}
	values := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(typed)) {
		i := slices.IndexFunc(own, func(k Key) bool { return k.Name == name })
		if i < 0 {
			return nil, &KeyError{name, unknownWord("key", name, keyNames(own))}
		}
		values[name] = own[i].Parse(typed[name])
	}
	return values, nil
}

// newOptions checks the keys of a source that is in no file yet.
func (c Config) newOptions(kind string, values map[string]any) (folder string, options []byte, err error) {
	var missing []string
	for _, k := range c.schema.Kinds[kind] {
		if k.Required && values[k.Name] == nil && c.defaults[kind][k.Name] == nil {
			missing = append(missing, k.Name+" ("+k.Description+")")
		}
	}
	if missing != nil {
		return "", nil, &KeyError{Msg: kind + " needs " + strings.Join(missing, " and ")}
	}
	d := &decoder{schema: c.schema, defaults: c.defaults}
	folder, options = configTable{d, "", values}.options(kind, filepath.Dir(c.Path))
	if len(d.faults) == 0 {
		return folder, options, nil
	}
	return "", nil, &KeyError{d.faults[0].Key, d.faults[0].Msg}
}

// appendSource returns the text with one more table at its end, with the line
// endings of the text.
func (c Config) appendSource(s Source, values map[string]any) []byte {
	var b strings.Builder
	b.WriteString("[[source]]\n")
	fmt.Fprintf(&b, "name = %s\nkind = %s\n", tomltext.Quote(s.Name), tomltext.Quote(s.Kind))
	for _, k := range c.schema.Kinds[s.Kind] {
		if value, ok := values[k.Name]; ok {
			fmt.Fprintf(&b, "%s = %s\n", k.Name, tomlValue(value))
		}
	}
	if s.ReadOnly {
		b.WriteString("read_only = true\n")
	}
	writeList(&b, "effects", s.Effects)
	writeList(&b, "ask", s.Ask)
	writeList(&b, "tools", s.Tools)
	writeList(&b, "exclude", s.Exclude)
	writeList(&b, "only", s.Only)
	return tomltext.Append(c.textOrHeader(), b.String())
}
