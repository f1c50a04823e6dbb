package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/lectern-mcp/lectern/internal/tomltext"
)

// decode fills c from c.text.
func (c *Config) decode() error {
	text := bytes.TrimPrefix(c.text, []byte(tomltext.BOM))
	var root map[string]any
	if err := toml.Unmarshal(text, &root); err != nil {
		return &Error{c.Path, []Fault{syntaxFault(err)}}
	}
	d := decoder{text: text, outline: tomltext.ParseOutline(text), schema: c.schema}
	d.moveRenamed(root)
	once := settingTables()
	top := d.table("", root, append(slices.Clone(once), "system", "source", "client", "rule")...)
	for _, name := range once {
		c.readSettings(top, name)
	}
	d.defaults = d.systems(top, filepath.Dir(c.Path))
	c.defaults = d.defaults
	c.Sources = d.sources(top, c.Path)
	c.Clients, c.Rules = d.clients(top, c.Sources), d.rules(top)
	d.checkListen(c.Listen)
	c.Notices = d.notices
	if len(d.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(d.faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return &Error{c.Path, d.faults}
}

// settingTables returns the names of the tables that have settings.
func settingTables() (names []string) {
	for _, s := range settings() {
		if table, _ := s.split(); !slices.Contains(names, table) {
			names = append(names, table)
		}
	}
	return names
}

// readSettings reads the settings of one table.
func (c *Config) readSettings(top configTable, name string) {
	var in []setting
	var known []string
	for _, s := range settings() {
		if table, key := s.split(); table == name {
			in, known = append(in, s), append(known, key)
		}
	}
	for former := range removedSettings {
		if table, key, _ := strings.Cut(former, "."); table == name {
			known = append(known, key)
		}
	}
	if t, ok := top.table(name, known...); ok {
		for i, s := range in {
			s.read(t, known[i], c)
		}
		t.noticeRemoved()
	}
}

// moveRenamed gives the values of former keys to those that replace them, and
// their positions too. A table without further keys is removed.
func (d *decoder) moveRenamed(root map[string]any) {
	for _, former := range slices.Sorted(maps.Keys(renamedSettings)) {
		renamed := renamedSettings[former]
		oldTable, oldKey, _ := strings.Cut(former, ".")
		table, key, _ := strings.Cut(renamed, ".")
		from, _ := root[oldTable].(map[string]any)
		value, ok := from[oldKey]
		if !ok {
			continue
		}
		delete(from, oldKey)
		if len(from) == 0 {
			delete(root, oldTable)
		}
		to, ok := root[table].(map[string]any)
		if !ok && root[table] == nil {
			to = map[string]any{}
			root[table] = to
		}
		message := "is now called " + renamed + "; rename it"
		if _, both := to[key]; both {
			message = "has no effect, because it is now called " + renamed + ", which is set too; remove the line"
		} else if to != nil {
			to[key] = value
			d.aliasPositions(former, renamed)
		}
		d.notice(former, message)
	}
}

// aliasPositions makes the positions at and below one path those of another.
func (d *decoder) aliasPositions(from, to string) {
	for _, offsets := range []map[string]int{d.outline.Keys, d.outline.Values} {
		for path, at := range maps.Clone(offsets) {
			if rest, ok := strings.CutPrefix(path, from); ok && (rest == "" || rest[0] == '[') {
				offsets[to+rest] = at
			}
		}
	}
}

// notice notes something about a key that does not keep the file from being read.
func (d *decoder) notice(path, message string) {
	line, column := tomltext.Position(d.text, d.keyOffset(path))
	d.notices = append(d.notices, Fault{line, column, path, message})
}

// noticeRemoved notes the keys of a table that have no effect any more.
func (t configTable) noticeRemoved() {
	for key := range t.values {
		path := tomltext.Under(t.path, key)
		if why, ok := removedSettings[path]; ok {
			t.notice(path, "has no effect any more, because "+why+"; remove the line")
		}
	}
}

// syntaxFault turns an error of the TOML parser into a Fault.
func syntaxFault(err error) Fault {
	f := Fault{Line: 1, Column: 1, Msg: err.Error()}
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		f.Line, f.Column = e.Position()
		f.Msg = e.Error()
	}
	f.Msg = "not valid TOML: " + trimTOMLPrefix(f.Msg)
	return f
}

func trimTOMLPrefix(msg string) string {
	if rest, ok := bytes.CutPrefix([]byte(msg), []byte("toml: ")); ok {
		return string(rest)
	}
	return msg
}

// A decoder collects faults while tables are read.
type decoder struct {
	text     []byte
	outline  tomltext.Outline
	schema   Schema
	defaults defaultKeys
	faults   []Fault
	notices  []Fault
}

func (d *decoder) fault(path string, offset int, format string, args ...any) {
	line, column := tomltext.Position(d.text, offset)
	d.faults = append(d.faults, Fault{line, column, path, fmt.Sprintf(format, args...)})
}

// A configTable is one TOML table; path is empty for the top level.
type configTable struct {
	*decoder
	path   string
	values map[string]any
}

// table reports every key of values that is not in known.
func (d *decoder) table(path string, values map[string]any, known ...string) configTable {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(known, key) {
			p := tomltext.Under(path, key)
			d.fault(p, d.keyOffset(p), "%s", unknownWord("key", key, known))
		}
	}
	return configTable{d, path, values}
}

// keyOffset finds a key, or the first table of an array.
func (d *decoder) keyOffset(path string) int {
	if at, ok := d.outline.Keys[path]; ok {
		return at
	}
	return d.outline.Keys[path+"[0]"]
}

func (t configTable) table(key string, known ...string) (configTable, bool) {
	v, ok := t.values[key]
	if !ok {
		return configTable{}, false
	}
	values, ok := v.(map[string]any)
	if !ok {
		t.wrong(key, "must be a table, [%s]", key)
		return configTable{}, false
	}
	return t.decoder.table(tomltext.Under(t.path, key), values, known...), true
}

// wrong reports the value of key, which may be an element: effects[0].
func (t configTable) wrong(key, format string, args ...any) {
	p := strings.TrimPrefix(t.path+"."+key, ".")
	at, ok := t.outline.Values[p]
	if !ok {
		at = t.keyOffset(p)
	}
	t.fault(p, at, format, args...)
}

func (t configTable) bool(key string, to *bool) {
	v, ok := t.values[key]
	if !ok {
		return
	}
	if *to, ok = v.(bool); !ok {
		t.wrong(key, "must be true or false")
	}
}

func (t configTable) int(key string, to *int, minimum, maximum int) {
	v, ok := t.values[key]
	if !ok {
		return
	}
	n, ok := v.(int64)
	if !ok || n < int64(minimum) || n > int64(maximum) {
		t.wrong(key, "must be a whole number from %d to %d", minimum, maximum)
		return
	}
	*to = int(n)
}

func (t configTable) duration(key string, to *time.Duration, minimum time.Duration) {
	v, ok := t.values[key]
	if !ok {
		return
	}
	s, _ := v.(string)
	n, err := time.ParseDuration(s)
	switch {
	case err != nil:
		t.wrong(key, `must be a duration in quotes, such as "90s", "10m" or "1h30m"`)
	case n < minimum:
		t.wrong(key, "must be at least %q, got %q", minimum, s)
	default:
		*to = n
	}
}

// origins reads a list of origins as browsers send them.
func (t configTable) origins(key string, to *[]string) {
	v, ok := t.values[key]
	if !ok {
		return
	}
	list, ok := v.([]any)
	if !ok {
		t.wrong(key, `must be a list of origins, such as ["file://"]`)
		return
	}
	*to = nil
	for i, v := range list {
		origin, _ := v.(string)
		if !isOrigin(origin) {
			t.wrong(fmt.Sprintf("%s[%d]", key, i),
				`must be one origin exactly as the browser sends it, such as "file://" or "https://graph.example"`)
			continue
		}
		*to = append(*to, origin)
	}
}

// list reads a list of texts, each of which check accepts.
func (t configTable) list(key string, to *[]string, check func(Schema, string) error) {
	v, ok := t.values[key]
	if !ok {
		return
	}
	list, ok := v.([]any)
	if !ok {
		t.wrong(key, `must be a list of strings in quotes, such as ["a", "b"]`)
		return
	}
	*to = nil
	for i, v := range list {
		text, ok := v.(string)
		err := errors.New("must be a string in quotes")
		if ok {
			err = check(t.schema, text)
		}
		if err != nil {
			t.wrong(fmt.Sprintf("%s[%d]", key, i), "%v", err)
		}
		*to = append(*to, text)
	}
}

// string reads a string; ok is false if there is none.
func (t configTable) string(key string) (s string, ok bool) {
	v, there := t.values[key]
	if !there {
		return "", false
	}
	if s, ok = v.(string); !ok {
		t.wrong(key, "must be a string in quotes")
	}
	return s, ok
}
