package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/tomltext"
)

// SetSource plans to change the source called name: its Name, ReadOnly, Effects,
// Ask, Tools, Exclude and Only become those of s, where nil removes a key, and typed has
// the System's keys that change, as people type them (see [Key.Parse]); an empty
// text removes a key. A new name is taken over wherever the file names the
// source: in [[client]] and [[rule]] tables and in listen.sources; patterns stay.
// A wrong key is a [KeyError].
func (c Config) SetSource(name string, s Source, typed map[string]string) (Edit, Source, error) {
	i := slices.IndexFunc(c.Sources, func(o Source) bool { return o.Name == name })
	if i < 0 {
		return Edit{}, Source{}, fmt.Errorf("%s has no source %s: %s", c.Path, name, unknownWord("source", name, c.sourceNames()))
	}
	old := c.Sources[i]
	if err := c.checkNewName(old, s.Name); err != nil {
		return Edit{}, Source{}, err
	}
	values, err := c.parseKeys(old.Kind, typed)
	if err != nil {
		return Edit{}, Source{}, err
	}
	t := tableEditor{c.text, true}
	at := fmt.Sprintf("source[%d]", i)
	t.setString(at, "name", old.Name, s.Name)
	for _, k := range c.schema.Kinds[old.Kind] {
		switch value, given := values[k.Name]; {
		case given && typed[k.Name] == "":
			t.unset(at, k.Name)
		case given:
			t.set(at, k.Name, tomlValue(value))
		}
	}
	switch {
	case s.ReadOnly && !old.ReadOnly:
		t.set(at, "read_only", "true")
	case old.ReadOnly && !s.ReadOnly:
		t.unset(at, "read_only")
	}
	t.setList(at, "effects", old.Effects, s.Effects)
	t.setList(at, "ask", old.Ask, s.Ask)
	t.setList(at, "tools", old.Tools, s.Tools)
	t.setList(at, "exclude", old.Exclude, s.Exclude)
	t.setList(at, "only", old.Only, s.Only)
	want := c.renamed(&t, old.Name, s.Name)
	return c.setSource(t, want, i, s, typed)
}

func (c Config) checkNewName(old Source, name string) error {
	if err := CheckName(name); err != nil {
		return fmt.Errorf("name: %w", err)
	}
	if other, taken := c.Source(name); taken && name != old.Name {
		return fmt.Errorf("the name %s is taken by the source in line %d of %s; choose another name", name, other.Line, c.Path)
	}
	return nil
}

// renamed is c with a source's name changed wherever c names it but in its own
// table; t makes the same change.
func (c Config) renamed(t *tableEditor, from, to string) Config {
	if from == to {
		return c
	}
	c.Clients, c.Rules, c.Listen.Sources = slices.Clone(c.Clients), slices.Clone(c.Rules), slices.Clone(c.Listen.Sources)
	for i := range c.Clients {
		if g := &c.Clients[i]; g.Source == from {
			g.Source = to
			t.setString(fmt.Sprintf("client[%d]", i), "source", from, to)
		}
	}
	for i := range c.Rules {
		if r := &c.Rules[i]; r.Source == from {
			r.Source = to
			t.setString(fmt.Sprintf("rule[%d]", i), "source", from, to)
		}
	}
	if i := slices.Index(c.Listen.Sources, from); i >= 0 {
		c.Listen.Sources[i] = to
		t.set("listen", "sources", quoteList(c.Listen.Sources))
	}
	return c
}

// setSource returns the edit to the text of t if that means what want says, with
// the i-th source as s and the typed keys changed.
func (c Config) setSource(t tableEditor, want Config, i int, s Source, typed map[string]string) (Edit, Source, error) {
	old := c.Sources[i]
	if !t.ok {
		return Edit{}, Source{}, c.manualEdit("change", "its sources are not written as [[source]] tables")
	}
	now, err := Parse(c.Path, t.text, c.schema)
	if e, ok := errors.AsType[*Error](err); ok {
		at := fmt.Sprintf("source[%d]", i)
		for _, f := range e.Faults {
			if key, ok := strings.CutPrefix(f.Key, at+"."); ok {
				return Edit{}, Source{}, &KeyError{key, f.Msg}
			}
		}
		return Edit{}, Source{}, &KeyError{Msg: e.Faults[0].Msg}
	}
	if err != nil {
		return Edit{}, Source{}, err
	}
	set := now.Sources[i]
	want.Sources = slices.Clone(c.Sources)
	want.Sources[i] = Source{
		Name: s.Name, Kind: old.Kind, Path: set.Path, ReadOnly: s.ReadOnly, Effects: s.Effects, Ask: s.Ask, Role: old.Role, Tools: s.Tools,
		Exclude: s.Exclude, Only: s.Only, Options: set.Options,
	}
	if !now.equal(want) || !sameBut(old.Options, set.Options, typed) {
		return Edit{}, Source{}, c.manualEdit("change", "the keys of its table cannot be separated from others")
	}
	return Edit{c.Path, c.text, t.text}, set, nil
}

// sameBut reports whether two JSON objects differ at most in these keys.
func sameBut(a, b json.RawMessage, keys map[string]string) bool {
	was, now := map[string]any{}, map[string]any{}
	if json.Unmarshal(a, &was) != nil || json.Unmarshal(b, &now) != nil {
		return false
	}
	for key := range keys {
		delete(was, key)
		delete(now, key)
	}
	return reflect.DeepEqual(was, now)
}

// A tableEditor changes keys of tables, one after the other.
type tableEditor struct {
	text []byte
	ok   bool // all changes could be made so far
}

func (t *tableEditor) set(table, key, value string) {
	if after, ok := tomltext.Set(t.text, table, key, value); ok {
		t.text = after
		return
	}
	t.ok = false
}

func (t *tableEditor) unset(table, key string) {
	if after, ok := tomltext.Unset(t.text, table, key); ok {
		t.text = after
	}
}

func (t *tableEditor) setString(table, key, from, to string) {
	if from != to {
		t.set(table, key, tomltext.Quote(to))
	}
}

func (t *tableEditor) setList(table, key string, from, to []string) {
	switch {
	case to == nil && from != nil:
		t.unset(table, key)
	case to != nil && (from == nil || !slices.Equal(from, to)):
		t.set(table, key, quoteList(to))
	}
}
