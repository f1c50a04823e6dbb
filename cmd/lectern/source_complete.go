package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// completeSourceAddArguments proposes arguments of `source add`: kinds and folders, then
// the keys of the kind, then values of a key.
func (c *cli) completeSourceAddArguments(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const only = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	if len(args) == 0 {
		var kinds []cobra.Completion
		for _, k := range c.Systems() {
			if m := k.Manifest(); strings.HasPrefix(m.Name, word) {
				kinds = append(kinds, cobra.CompletionWithDesc(m.Name, m.Title))
			}
		}
		folders := c.completePaths("", word, true)
		if len(kinds) == 0 {
			return folders, only
		}
		return append(kinds, folders...), cobra.ShellCompDirectiveNoFileComp
	}
	kind := args[0]
	if flag := cmd.Flag("kind"); flag != nil && flag.Value.String() != "" {
		kind = flag.Value.String()
	}
	m, ok := c.FindKind(kind)
	if !ok {
		return nil, only
	}
	return c.completeSourceKeys(m, args, word), only
}

// completeSourceSetArguments proposes arguments of `source set`: sources, then the keys of
// the source's kind, then values of a key.
func (c *cli) completeSourceSetArguments(_ *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	conf, err := c.Config()
	if err != nil || len(args) == 0 {
		return c.completeSourceName(args), cobra.ShellCompDirectiveNoFileComp
	}
	s, _ := conf.Source(args[0])
	m, ok := c.FindKind(s.Kind)
	if !ok {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.completeSourceKeys(m, args, word), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeSourceKeys proposes the keys of a kind that are not among args, or the values
// of the one that word begins with.
func (c *cli) completeSourceKeys(m *tools.Manifest, args []string, word string) (proposals []cobra.Completion) {
	name, value, hasValue := strings.Cut(word, "=")
	for _, key := range app.ConfigKeys(m) {
		given := slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, key.Name+"=") })
		switch {
		case !hasValue && !given:
			proposals = append(proposals, cobra.CompletionWithDesc(key.Name+"=", key.Description))
		case hasValue && key.Name == name:
			return c.completeKeyValues(key, value)
		}
	}
	return proposals
}

func (c *cli) completeKeyValues(key config.Key, value string) []cobra.Completion {
	prefix := key.Name + "="
	switch key.Type {
	case config.Boolean:
		return []cobra.Completion{prefix + "true", prefix + "false"}
	case config.Folder:
		return c.completePaths(prefix, value, true)
	case config.Secret:
		if path, ok := strings.CutPrefix(value, "file:"); ok {
			return c.completePaths(prefix+"file:", path, false)
		}
		return []cobra.Completion{
			cobra.CompletionWithDesc(prefix+"env:", "a variable in the environment of the hub"),
			cobra.CompletionWithDesc(prefix+"file:", "a file that only you can read"),
		}
	}
	return nil
}

// completePaths proposes the folders that complete path, or files too.
func (c *cli) completePaths(prefix, path string, onlyFolders bool) (proposals []cobra.Completion) {
	found := thismachine.CompletePath(c.Home, status.PathPrefix{Path: path, Files: !onlyFolders})
	for _, name := range found.Names {
		proposals = append(proposals, prefix+found.Dir+name)
	}
	return proposals
}
