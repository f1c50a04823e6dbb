package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/lectern-mcp/lectern/internal/tomltext"
)

// SetOption plans to write one setting, as a person types it. An empty value
// removes the key from the file, so that the default applies. For an invalid
// value the error says what is allowed.
func (c Config) SetOption(key, typed string) (Edit, error) {
	was, err := c.Setting(key)
	if err != nil {
		return Edit{}, err
	}
	if typed == "" && !was.Set {
		return c.Unchanged(), nil
	}
	all := settings()
	s := all[slices.IndexFunc(all, func(s setting) bool { return s.key == key })]
	after, ok := c.withOption(s, typed)
	if !ok {
		return Edit{}, c.manualOptionEdit(key)
	}
	value := s.write(typed)
	if typed == "" {
		value = s.write(was.Default)
	}
	edit, err := c.edited(after, c.withSetting(s, value), key)
	switch {
	case errors.Is(err, errManualEdit):
		return Edit{}, c.manualOptionEdit(key)
	case err != nil:
		return Edit{}, c.optionError(key, err)
	}
	return edit, nil
}

// withSetting is c with one setting, whose value is TOML.
func (c Config) withSetting(s setting, value string) Config {
	var values map[string]any
	_, key := s.split()
	if toml.Unmarshal([]byte(key+" = "+value), &values) == nil {
		s.read(configTable{&decoder{}, "", values}, key, &c)
	}
	return c
}

func (c Config) withOption(s setting, typed string) (after []byte, ok bool) {
	table, key := s.split()
	if typed == "" {
		return tomltext.Unset(c.text, table, key)
	}
	value := s.write(typed)
	if after, ok = tomltext.Set(c.text, table, key, value); ok {
		return after, true
	}
	return tomltext.Append(c.textOrHeader(), fmt.Sprintf("[%s]\n%s = %s\n", table, key, value)), true
}

func (c Config) manualOptionEdit(key string) error {
	return fmt.Errorf("set %s: %s cannot be edited safely, because the key is not in a [table] of its own; change it with an editor",
		key, c.Path)
}

// optionError returns what is wrong with the value of a key. If the fault is
// elsewhere, the key cannot be added to how the file is written.
func (c Config) optionError(key string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		for _, f := range e.Faults {
			if f.Key == key || strings.HasPrefix(f.Key, key+"[") {
				return fmt.Errorf("%s: %s", key, f.Msg)
			}
		}
	}
	return c.manualOptionEdit(key)
}
