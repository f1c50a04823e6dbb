package config

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/lectern-mcp/lectern/internal/tomltext"
)

// A Setting describes one key that occurs once in the file.
type Setting struct {
	Key         string // "hub.port"
	Description string
	Value       string // as a person types it
	Default     string
	Set         bool     // the file has the key
	Line        int      // in the file, from 1; 0: the file does not have the key
	Choices     []string // nil: any text
	Restart     bool     // takes effect at the hub's next start
}

// Settings returns all keys that occur once, in the order shown to people.
// Sources and other tables that may occur several times are not among them.
func (c Config) Settings() []Setting {
	usual := Default(c.Path, c.schema)
	text := bytes.TrimPrefix(c.text, []byte(tomltext.BOM))
	outline := tomltext.ParseOutline(text)
	var list []Setting
	for _, s := range settings() {
		one := Setting{Key: s.key, Description: s.description, Value: s.show(&c), Default: s.show(&usual), Choices: s.choices, Restart: s.restart}
		var at int
		if at, one.Set = outline.Keys[s.key]; one.Set {
			one.Line, _ = tomltext.Position(text, at)
		}
		list = append(list, one)
	}
	return list
}

// Setting returns the setting with this key. The error suggests the nearest
// one.
func (c Config) Setting(key string) (Setting, error) {
	all := c.Settings()
	i := slices.IndexFunc(all, func(s Setting) bool { return s.Key == key })
	if i < 0 {
		keys := make([]string, len(all))
		for j, s := range all {
			keys[j] = s.Key
		}
		return Setting{}, fmt.Errorf("%q: %s", key, unknownWord("key", key, keys))
	}
	return all[i], nil
}
