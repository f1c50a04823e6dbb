package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/tomltext"
)

// GrantSource plans to write what every client may do in a source: its
// effects, which of them a person must approve first, and its role. Nil or an
// empty role removes a key, so that the default applies.
func (c Config) GrantSource(name string, effects, ask []string, role string) (Edit, error) {
	i := slices.IndexFunc(c.Sources, func(s Source) bool { return s.Name == name })
	if i < 0 {
		return Edit{}, fmt.Errorf("%s has no source %s: %s", c.Path, name, unknownWord("source", name, c.sourceNames()))
	}
	if c.Sources[i].ReadOnly && slices.ContainsFunc(effects, func(e string) bool { return e != "read" }) {
		return Edit{}, fmt.Errorf("source %s is read-only; first remove read_only = true from its table in line %d of %s",
			name, c.Sources[i].Line, c.Path)
	}
	after, ok := setList(c.text, fmt.Sprintf("source[%d]", i), "effects", effects)
	if ok {
		after, ok = setList(after, fmt.Sprintf("source[%d]", i), "ask", ask)
	}
	if ok {
		after, ok = setRole(after, fmt.Sprintf("source[%d]", i), role)
	}
	want := c
	want.Sources = slices.Clone(c.Sources)
	want.Sources[i].Effects, want.Sources[i].Ask, want.Sources[i].Role = effects, ask, role
	return c.editedTables(after, ok, want)
}

// GrantSources is GrantSource for every source in the file. Roles stay, because
// each System has its own.
func (c Config) GrantSources(effects, ask []string) (Edit, error) {
	if len(c.Sources) == 0 {
		return Edit{}, fmt.Errorf("%s has no source; `lectern source add PATH` adds one", c.Path)
	}
	now := c
	for _, s := range c.Sources {
		e, err := now.GrantSource(s.Name, effects, ask, s.Role)
		if err != nil {
			return Edit{}, err
		}
		if now, err = Parse(c.Path, e.After, c.schema); err != nil {
			return Edit{}, err
		}
	}
	return Edit{c.Path, c.text, now.text}, nil
}

// GrantClient plans to write one [[client]] table: a new one, or the keys of
// the one for the same client and source. An existing table keeps its token
// and elicit.
func (c Config) GrantClient(g Client) (Edit, error) {
	i := c.clientIndex(g.Name, g.Source)
	if i < 0 {
		want := c
		want.Clients = append(slices.Clone(c.Clients), g)
		return c.editedTables(tomltext.Append(c.textOrHeader(), g.toTOML()), true, want)
	}
	at := fmt.Sprintf("client[%d]", i)
	old := c.Clients[i]
	g.Token, g.Elicit = old.Token, old.Elicit
	after, ok := setList(c.text, at, "effects", g.Effects)
	if ok {
		after, ok = setList(after, at, "ask", g.Ask)
	}
	if ok {
		after, ok = setRole(after, at, g.Role)
	}
	g.Name = old.Name
	want := c
	want.Clients = slices.Clone(c.Clients)
	want.Clients[i] = g
	return c.editedTables(after, ok, want)
}

// ForgetClient plans to remove a [[client]] table.
func (c Config) ForgetClient(name, source string) (Edit, error) {
	i := c.clientIndex(name, source)
	if i < 0 {
		return c.Unchanged(), nil
	}
	after, ok := tomltext.Cut(c.text, fmt.Sprintf("client[%d]", i))
	want := c
	want.Clients = slices.Delete(slices.Clone(c.Clients), i, i+1)
	return c.editedTables(after, ok, want)
}

// AddRule plans to append a [[rule]]. If the file has the same rule already,
// nothing changes.
func (c Config) AddRule(r Rule) (Edit, error) {
	r.Line = 0
	if slices.ContainsFunc(c.Rules, func(old Rule) bool { old.Line = 0; return reflect.DeepEqual(old, r) }) {
		return c.Unchanged(), nil
	}
	want := c
	want.Rules = append(slices.Clone(c.Rules), r)
	return c.editedTables(tomltext.Append(c.textOrHeader(), r.toTOML()), true, want)
}

// editedTables is edited for text that tomltext could change (ok) in [[tables]].
func (c Config) editedTables(after []byte, ok bool, want Config) (edit Edit, err error) {
	err = errManualEdit
	if ok {
		edit, err = c.edited(after, want)
	}
	if errors.Is(err, errManualEdit) {
		err = fmt.Errorf("%s %w, because its tables are not written as separate [[tables]]; use an editor", c.Path, err)
	}
	return edit, err
}

func setList(text []byte, table, key string, words []string) ([]byte, bool) {
	if words != nil {
		return tomltext.Set(text, table, key, quoteList(words))
	}
	if after, was := tomltext.Cut(text, table+"."+key); was {
		return after, true
	}
	return text, true
}

func setRole(text []byte, table, role string) ([]byte, bool) {
	if role != "" {
		return tomltext.Set(text, table, "role", tomltext.Quote(role))
	}
	return setList(text, table, "role", nil)
}

func quoteList(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = tomltext.Quote(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func (c Config) textOrHeader() []byte {
	if c.text == nil {
		return []byte(fileHeader)
	}
	return c.text
}

func (c Config) sourceNames() []string {
	names := make([]string, len(c.Sources))
	for i, s := range c.Sources {
		names[i] = s.Name
	}
	return names
}

func (c Config) clientIndex(name, source string) int {
	return slices.IndexFunc(c.Clients, func(o Client) bool { return strings.EqualFold(o.Name, name) && o.Source == source })
}

func (g Client) toTOML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[[client]]\nname = %s\n", tomltext.Quote(g.Name))
	writeString(&b, "source", g.Source)
	if g.Token {
		b.WriteString("token = true\n")
	}
	writeList(&b, "effects", g.Effects)
	writeList(&b, "ask", g.Ask)
	writeString(&b, "role", g.Role)
	if g.Elicit != nil {
		fmt.Fprintf(&b, "elicit = %v\n", *g.Elicit)
	}
	return b.String()
}

func (r Rule) toTOML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[[rule]]\ndo = %s\n", tomltext.Quote(r.Do))
	writeString(&b, "client", r.Client)
	if r.Proven {
		b.WriteString("proven = true\n")
	}
	writeString(&b, "source", r.Source)
	writeList(&b, "effects", r.Effects)
	writeString(&b, "tool", r.Tool)
	writeString(&b, "path", r.Path)
	writeString(&b, "schema", r.Schema)
	return b.String()
}

func writeString(b *strings.Builder, key, value string) {
	if value != "" {
		fmt.Fprintf(b, "%s = %s\n", key, tomltext.Quote(value))
	}
}

func writeList(b *strings.Builder, key string, words []string) {
	if words != nil {
		fmt.Fprintf(b, "%s = %s\n", key, quoteList(words))
	}
}
