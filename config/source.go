package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/nearest"
	"github.com/lectern-mcp/lectern/internal/tomltext"
)

// commonKeys are the keys of a [[source]] that every kind has.
var commonKeys = []string{"name", "kind", "read_only", "effects", "ask", "role", "tools", "exclude", "only"}

// IsCommonKey reports whether every kind of source has a key of this name, so that no
// System may declare it.
func IsCommonKey(name string) bool { return slices.Contains(commonKeys, name) }

// sources reads the [[source]] tables.
func (d *decoder) sources(top configTable, file string) []Source {
	v, ok := top.values["source"]
	if !ok {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		top.wrong("source", "must be written as [[source]], with two brackets, because there may be several")
		return nil
	}
	var sources []Source
	seen := map[string]int{} // line, by name
	for i, v := range list {
		path := fmt.Sprintf("source[%d]", i)
		values, ok := v.(map[string]any)
		if !ok {
			top.wrong("source", "must be a list of tables")
			continue
		}
		s := d.source(path, values, file)
		if s.Name != "" {
			if line, taken := seen[s.Name]; taken {
				configTable{d, path, values}.wrong("name", "%s is already the name of the source in line %d; names must be unique", s.Name, line)
			}
			seen[s.Name] = s.Line
		}
		sources = append(sources, s)
	}
	return sources
}

// misspelledKey returns the key that was probably meant to be want; "" if none.
func misspelledKey(want string, values map[string]any) string {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(commonKeys, key) && nearest.Word(key, []string{want}) != "" {
			return key
		}
	}
	return ""
}

func (d *decoder) source(path string, values map[string]any, file string) Source {
	s := Source{}
	t := configTable{d, path, values}
	at := d.outline.Keys[path]
	s.Line, _ = tomltext.Position(d.text, at)
	s.Kind, _ = t.string("kind")
	own, known := d.schema.Kinds[s.Kind]
	switch {
	case known:
		d.table(path, values, append(keyNames(own), commonKeys...)...)
	case values["kind"] == nil:
		if slip := misspelledKey("kind", values); slip != "" {
			key := tomltext.Under(path, slip)
			d.fault(key, d.outline.Keys[key], "unknown key, did you mean kind?")
		} else {
			d.fault(path, at, "kind is missing (allowed: %s)", strings.Join(d.schema.kindNames(), ", "))
		}
	case s.Kind != "":
		t.wrong("kind", "%s", unknownWord("kind", s.Kind, d.schema.kindNames()))
	}
	s.Name, _ = t.string("name")
	switch {
	case values["name"] == nil:
		d.fault(path, at, "name is missing; it is what agents call the source, such as \"notes\"")
	case s.Name != "" || t.isString("name"):
		if err := CheckName(s.Name); err != nil {
			t.wrong("name", "%v", err)
		}
	}
	t.bool("read_only", &s.ReadOnly)
	s.Effects = t.effects("effects", s.ReadOnly)
	s.Ask = t.effects("ask", false)
	if known {
		s.Role = t.role(s.Kind+" has no roles", d.schema.Roles[s.Kind])
	}
	if known {
		s.Tools = t.optInTools(s.Kind)
	}
	s.Path, s.Options = t.options(s.Kind, filepath.Dir(file))
	s.Exclude = t.privacyRules("exclude", s.Path)
	s.Only = t.privacyRules("only", s.Path)
	return s
}

func (t configTable) isString(key string) bool {
	_, ok := t.values[key].(string)
	return ok
}

// effects reads a list of effects; nil if the key is absent.
func (t configTable) effects(key string, readOnly bool) []string {
	v, ok := t.values[key]
	if !ok {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		t.wrong(key, "must be a list of %s, such as [\"read\"]", strings.Join(t.schema.Effects, ", "))
		return nil
	}
	granted := []string{}
	for i, v := range list {
		word, _ := v.(string)
		item := fmt.Sprintf("%s[%d]", key, i)
		switch {
		case !slices.Contains(t.schema.Effects, word):
			t.wrong(item, "%s", unknownWord("effect", word, t.schema.Effects))
		case readOnly && word != "read":
			t.wrong(item, "a source with read_only = true grants only read; remove one of the two")
		default:
			granted = append(granted, word)
		}
	}
	return granted
}

// optInTools reads the tools that a source shows besides those of its kind's default
// list; nil if the key is absent.
func (t configTable) optInTools(kind string) []string {
	v, ok := t.values["tools"]
	if !ok {
		return nil
	}
	known := t.schema.Tools[kind]
	list, ok := v.([]any)
	if word, is := v.(string); is && word == AllTools {
		list, ok = []any{word}, true
	}
	if !ok {
		t.wrong("tools", "must be a list of tools, or [%q]", AllTools)
		return nil
	}
	var named []string
	for i, v := range list {
		if word, _ := v.(string); word == AllTools || slices.Contains(known, word) {
			named = append(named, word)
		} else {
			t.wrong(fmt.Sprintf("tools[%d]", i), "%s", unknownWord("tool", word, append([]string{AllTools}, known...)))
		}
	}
	return named
}

// role reads a role, which must be one of roles; none says that there are none.
func (t configTable) role(none string, roles []string) string {
	role, ok := t.text("role")
	switch {
	case !ok:
		return ""
	case len(roles) == 0:
		t.wrong("role", "%s; remove the key", none)
	case !slices.Contains(roles, role):
		t.wrong("role", "%s", unknownWord("role", role, roles))
	}
	return role
}

// privacyRules reads a list of privacy rules; nil if the key is absent. An
// empty list is a fault, because it could mean everything or nothing.
func (t configTable) privacyRules(key, folder string) []string {
	v, ok := t.values[key]
	if !ok {
		return nil
	}
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		t.wrong(key, "must be a list of privacy rules, such as [\"Private/**\", \"#secret\"]; remove the key if there are none")
		return nil
	}
	var rules []string
	for i, v := range list {
		rule, ok := v.(string)
		at := fmt.Sprintf("%s[%d]", key, i)
		if !ok {
			t.wrong(at, "must be a privacy rule in quotes, such as \"Private/**\" or \"#secret\"")
			continue
		}
		if t.schema.CheckPrivacyRule != nil {
			if err := t.schema.CheckPrivacyRule(rule, folder); err != nil {
				t.wrong(at, "%v", err)
				continue
			}
		}
		rules = append(rules, rule)
	}
	return rules
}
