package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/internal/tomltext"
)

// A Key is one of the keys that a System declares for its sources.
type Key struct {
	Name        string
	Type        string // one of the types below
	Description string // for people; it goes on from "NAME: "
	Required    bool
}

// The types of a Key.
const (
	Text    = "text"
	Integer = "integer"
	Boolean = "boolean"
	List    = "list"   // of texts
	Map     = "map"    // of texts
	Folder  = "folder" // a path; the loader makes it absolute
	Secret  = "secret" // a reference to a secret, never the secret itself
)

// defaultKeys are the tables [system.KIND]: values by kind and key.
type defaultKeys map[string]map[string]any

func keyNames(keys []Key) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return names
}

// systems reads the tables [system.KIND], which hold keys for all sources of a
// kind that do not set them.
func (d *decoder) systems(top configTable, dir string) defaultKeys {
	kinds := d.schema.kindNames()
	tables, ok := top.table("system", kinds...)
	if !ok {
		return nil
	}
	defaults := defaultKeys{}
	for _, kind := range kinds {
		own := d.schema.Kinds[kind]
		if t, ok := tables.table(kind, keyNames(own)...); ok {
			defaults[kind] = t.keyValues(own, dir)
		}
	}
	return defaults
}

// options returns the System's own keys of a source as JSON, completed by the
// defaults of its kind, and the first folder among them.
func (t configTable) options(kind, dir string) (folder string, options json.RawMessage) {
	own := t.schema.Kinds[kind]
	values := t.keyValues(own, dir)
	for _, k := range own {
		value, ok := t.defaults[kind][k.Name]
		if _, set := t.values[k.Name]; !set && ok {
			values[k.Name] = value
		} else if !set && k.Required {
			t.fault(t.path, t.outline.Keys[t.path], "%s is missing: %s", k.Name, k.Description)
		}
		if path, ok := values[k.Name].(string); ok && k.Type == Folder && folder == "" {
			folder = path
		}
	}
	options, err := json.Marshal(values)
	if err != nil {
		t.fault(t.path, t.outline.Keys[t.path], "%v", err)
	}
	return folder, options
}

// keyValues reads those of the keys that the table has. The value of a Secret
// is in no fault: it may be the secret itself.
func (t configTable) keyValues(keys []Key, dir string) map[string]any {
	values := map[string]any{}
	for _, k := range keys {
		if _, set := t.values[k.Name]; !set {
			continue
		}
		if value, ok := t.keyValue(k, dir); ok {
			values[k.Name] = value
		}
	}
	return values
}

func (t configTable) keyValue(k Key, dir string) (value any, ok bool) {
	value = t.values[k.Name]
	switch k.Type {
	case Integer:
		if _, ok = value.(int64); !ok {
			t.wrong(k.Name, "must be a whole number")
		}
	case Boolean:
		if _, ok = value.(bool); !ok {
			t.wrong(k.Name, "must be true or false")
		}
	case List:
		list, isList := value.([]any)
		if ok = isList && !slices.ContainsFunc(list, isNoString); !ok {
			t.wrong(k.Name, `must be a list of strings in quotes, such as ["a", "b"]`)
		}
	case Map:
		if ok = isTextMap(value); !ok {
			t.wrong(k.Name, `must be a table of strings in quotes, such as { a = "b" }`)
		}
	case Folder:
		return t.folder(k, dir)
	case Secret:
		text, isText := value.(string)
		if ok = isText && t.schema.CheckSecret != nil && t.schema.CheckSecret(text) == nil; !ok {
			t.wrong(k.Name, "must refer to a secret as env:NAME or file:PATH, not hold it")
		}
	default:
		_, ok = t.string(k.Name)
	}
	return value, ok
}

func isNoString(v any) bool { _, ok := v.(string); return !ok }

func isTextMap(v any) bool {
	table, ok := v.(map[string]any)
	for _, v := range table {
		ok = ok && !isNoString(v)
	}
	return ok
}

// folder reads a path and makes it absolute: ~ is the home directory, and a
// relative path is relative to the folder of the configuration file.
func (t configTable) folder(k Key, dir string) (path string, ok bool) {
	p, ok := t.string(k.Name)
	if !ok {
		return "", false
	}
	rest, tilde := strings.CutPrefix(p, "~")
	switch {
	case p == "":
		t.wrong(k.Name, "is empty: %s", k.Description)
	case strings.ContainsRune(p, 0):
		t.wrong(k.Name, "contains a NUL character")
	case tilde && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator):
		if t.schema.Home != "" {
			return filepath.Join(t.schema.Home, rest), true
		}
		t.wrong(k.Name, "there is no home directory to replace ~; write the path in full")
	case filepath.IsAbs(p):
		return filepath.Clean(p), true
	default:
		return filepath.Join(dir, p), true
	}
	return "", false
}

// Parse converts what a person typed to the value of the key. Text that is no
// value of the key's type stays text, which is a fault then. A list is typed
// with commas, a map as a=b with commas.
func (k Key) Parse(typed string) any {
	switch k.Type {
	case Integer:
		if n, err := strconv.ParseInt(typed, 10, 64); err == nil {
			return n
		}
	case Boolean:
		if typed == "true" || typed == "false" {
			return typed == "true"
		}
	case List:
		list := []any{}
		for _, text := range splitTyped(typed) {
			list = append(list, text)
		}
		return list
	case Map:
		table := map[string]any{}
		for _, pair := range splitTyped(typed) {
			name, text, ok := strings.Cut(pair, "=")
			if !ok {
				return typed
			}
			table[strings.TrimSpace(name)] = strings.TrimSpace(text)
		}
		return table
	default:
	}
	return typed
}

func splitTyped(typed string) (parts []string) {
	for part := range strings.SplitSeq(typed, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// tomlValue writes the value of a key.
func tomlValue(value any) string {
	switch v := value.(type) {
	case string:
		return tomltext.Quote(v)
	case []any:
		parts := make([]string, len(v))
		for i, one := range v {
			parts[i] = tomlValue(one)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, tomltext.Key(name)+" = "+tomlValue(v[name]))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	}
	return fmt.Sprint(value)
}
