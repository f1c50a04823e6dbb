package org

import (
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// aliases is [tools.Spec].Normalize of a tool: it takes arguments under other names.
func aliases(names map[string]string) func(args map[string]any) error {
	return func(args map[string]any) error {
		for other, name := range names {
			if err := renameArgument(args, other, name); err != nil {
				return err
			}
		}
		for _, other := range []string{"if_match", "dry_run", "resource_uri"} {
			if err := renameArgument(args, other, camelCase(other)); err != nil {
				return err
			}
		}
		return nil
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

func renameArgument(args map[string]any, other, name string) error {
	v, given := args[other]
	if !given {
		return nil
	}
	if own, both := args[name]; both && fmt.Sprint(own) != fmt.Sprint(v) {
		return tools.Errorf(tools.Invalid, "%s and %s are the same argument and have different values", name, other)
	}
	args[name] = v
	delete(args, other)
	return nil
}

func camelCase(name string) string {
	parts := strings.Split(name, "_")
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
	}
	return strings.Join(parts, "")
}
