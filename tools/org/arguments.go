package org

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// aliases is [tools.Spec].Normalize of a tool: it takes arguments under other names.
// A call that uses one may also give text for a list or a boolean, and null for
// nothing, as the server does whose names these are.
func aliases(names map[string]string, lists ...string) func(args map[string]any) error {
	return func(args map[string]any) error {
		if err := checkSelectors(args, names); err != nil {
			return err
		}
		dialect := false
		for other, name := range names {
			used, err := renameArgument(args, other, name)
			if err != nil {
				return err
			}
			dialect = dialect || used
		}
		for _, other := range []string{"if_match", "dry_run", "resource_uri"} {
			used, err := renameArgument(args, other, camelCase(other))
			if err != nil {
				return err
			}
			dialect = dialect || used
		}
		if dialect {
			convertTexts(args, lists)
		}
		return nil
	}
}

// checkSelectors refuses a text without words for what an argument selects, or names: it
// would mean what is meant where the argument is left out.
func checkSelectors(args map[string]any, names map[string]string) error {
	for _, given := range slices.Sorted(maps.Keys(args)) {
		text, isText := args[given].(string)
		if isText && strings.TrimSpace(text) == "" && slices.Contains(selectors(), cmp.Or(names[given], camelCase(given))) {
			return tools.Errorf(tools.Invalid, "%s: cannot be empty or contain only whitespace", given).
				WithHint("Give it as answers do, or leave it out where it is optional.")
		}
	}
	return nil
}

// selectors are the arguments that select, or name, one thing in every tool that has them.
func selectors() []string {
	return []string{
		"resourceUri", "targetParentUri", "parentUri", "afterUri", "file", "headlinePath", "uuid", "name", "template", "title", "newTitle",
	}
}

func convertTexts(args map[string]any, lists []string) {
	for name, v := range args {
		text, isText := v.(string)
		switch {
		case v == nil:
			delete(args, name)
		case isText && slices.Contains(lists, name):
			args[name] = []any{text}
		case isText && slices.Contains(booleans(), name) && (text == "true" || text == "false"):
			args[name] = text == "true"
		}
	}
}

// uriAliases is aliases for tools about one headline.
func uriAliases(more ...string) func(args map[string]any) error {
	names := map[string]string{"uri": "resourceUri"}
	for _, pair := range more {
		other, name, _ := strings.Cut(pair, " ")
		names[other] = name
	}
	return aliases(names)
}

func renameArgument(args map[string]any, other, name string) (used bool, err error) {
	v, given := args[other]
	if !given {
		return false, nil
	}
	if own, both := args[name]; both && fmt.Sprint(own) != fmt.Sprint(v) {
		return true, tools.Errorf(tools.Invalid, "%s and %s are the same argument and have different values", name, other)
	}
	args[name] = v
	delete(args, other)
	return true, nil
}

func camelCase(name string) string {
	parts := strings.Split(name, "_")
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
	}
	return strings.Join(parts, "")
}

// booleans are the arguments that are true or false in every tool that has them.
func booleans() []string {
	return []string{
		"dryRun", "caseSensitive", "includeArchived", "removeScheduled", "removeDeadline", "replaceAll", "includeSelf", "inherit",
		"includeSpecial", "includeSubheadings", "bodyOnly", "expandRepeats", "backlinks",
	}
}
