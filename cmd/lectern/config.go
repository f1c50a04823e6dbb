package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/configedit"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
)

// repeatedTablesHelp are the tables that the configuration file may have many of,
// with every key.
const repeatedTablesHelp = `[[source]]            # one for each knowledge base
name = "notes"        # what agents call it: lowercase letters, digits, hyphens
kind = "KIND"         # "lectern source kinds" lists the kinds and their keys
path = "~/notes"      # a key of the kind; or relative to this file
read_only = true      # agents may only read
effects = ["read"]    # or any of read, write, delete, run, admin
ask = ["read"]        # effects that need your approval; see "lectern approve".
                      # Without effects, ask and read_only, agents may read and
                      # run and need your approval to write or delete; admin is
                      # not granted
role = "user"         # of every client, in a System with roles; default: the least

[system.KIND]         # keys of the kind, for all its sources that do not set them

[[client]]            # what one client may do; "lectern grant" writes these
name = "claude-code"  # what it calls itself, or the name of its token
source = "notes"      # absent: every source
token = true          # only when it shows its token: "lectern client token NAME"
effects = ["read"]    # without its token a client never gets more than others
ask = ["read"]        # effects that need your approval
role = "gm"           # in a System with roles, once it shows its token
elicit = false        # do not ask in the client, although it shows its token

[[rule]]              # of the matching rules, deny wins over always, ask, allow
do = "ask"            # allow, always (do not ask any more), ask or deny
client = "c*"         # patterns: * and ?; an absent key matches everything
proven = false        # true: matches only clients that show their token, as allow
                      # and always do whenever client is given. A client that
                      # calls itself otherwise passes by deny and ask for a name
source = "notes"
effects = ["write", "delete"]
tool = "*_page"       # by its name in the documentation of the tools
path = "Journal/**"   # what the call changes, or names in its arguments
schema = ""           # matches while the tool's declaration has this hash
`

// configCommand is a page of help, and the commands that read and set keys.
func configCommand(c *cli) *cobra.Command {
	cmd := newParentCommand(&cobra.Command{Use: "config", Short: "Show every configuration key and its default; get, set and edit keys"},
		configListCommand(c), configGetCommand(c), configSetCommand(c), configEditCommand(c))
	var keys strings.Builder
	for _, s := range config.Default(c.Paths.File(), config.Schema{}).Settings() {
		fmt.Fprintf(&keys, "  %s = %s\n      %s\n", s.Key, quoteEmpty(s.Default), s.Description)
	}
	cmd.Long = "The configuration file is\n  " + c.Paths.File() + "\n" +
		"(set LECTERN_HOME to keep it, data and state in one folder). `lectern source add` and\n" +
		"`lectern config set` edit it and keep what you wrote; a running hub applies it as\n" +
		"soon as it is saved. Without a file the defaults apply and a sample is served.\n\n" +
		"Keys and their defaults; hub.port is the key port in the table [hub]:\n\n" + keys.String() +
		"\nTables that may be repeated:\n\n" + indent(strings.TrimSpace(repeatedTablesHelp))
	return cmd
}

func configListCommand(c *cli) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Show every key that is not in a repeated table, with its value and meaning",
		Args:  rejectArguments,
		RunE: func(*cobra.Command, []string) error {
			list, err := c.Settings()
			if err != nil {
				return err
			}
			if asJSON {
				return c.writeJSON(list)
			}
			for _, s := range list {
				from := ""
				if s.Set {
					from = fmt.Sprintf(" (line %d; default %s)", s.Line, quoteEmpty(s.Default))
				}
				c.printf("%s = %s%s\n    %s\n", s.Key, quoteEmpty(s.Value), from, s.Description)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func quoteEmpty(value string) string { return cmp.Or(value, `""`) }

func configGetCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "get KEY", Short: "Print the value of a key", Args: requireArgumentCount(1, 1, "a key"),
		ValidArgsFunction: newCompletionFunc(c.completeConfigKey),
		RunE: func(_ *cobra.Command, args []string) error {
			conf, err := c.Config()
			if err != nil {
				return err
			}
			s, err := conf.Setting(args[0])
			if err != nil {
				return usageErrorf("%w", err)
			}
			c.printf("%s\n", s.Value)
			return nil
		},
	}
}

func configSetCommand(c *cli) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Set a key; an empty value restores its default",
		Long: "Set a key of the configuration file and leave the rest of the file as it is. An\n" +
			"empty value restores the default. A running hub applies the change.",
		Example: "  lectern config set limits.deadline 45s\n  lectern config set hub.port \"\"",
		Args:    requireArgumentCount(2, 2, "a key and a value"), ValidArgsFunction: newCompletionFunc(c.completeConfigKey),
		RunE: func(cmd *cobra.Command, args []string) error {
			a := status.Action{Verb: status.SetOption, Option: &status.Option{Key: args[0], Value: args[1]}}
			var p configedit.Proposal
			var err error
			if dryRun {
				p, err = c.configEditor().Propose(a)
			} else {
				p, err = c.configEditor().ApplyAction(cmd.Context(), a)
			}
			if err != nil {
				return err
			}
			if !p.Edit.HasChanges() {
				c.warnf("nothing to change\n")
				return nil
			}
			c.printDiff(p.Edit.Diff())
			if running, _ := c.hubRuns(cmd.Context()); running || dryRun {
				for _, risk := range p.Plan.Risks {
					c.warnf("note: %s\n", risk)
				}
			}
			if dryRun {
				return nil
			}
			return c.hub().Reload(cmd.Context())
		},
	}
	addDryRunFlag(cmd, &dryRun)
	return cmd
}

// completeConfigKey proposes keys, and the values of a key that has few.
func (c *cli) completeConfigKey(args []string) (words []string) {
	list, err := c.Settings()
	if err != nil {
		return nil
	}
	for _, s := range list {
		switch {
		case len(args) == 0:
			words = append(words, s.Key)
		case s.Key == args[0]:
			words = s.Choices
		}
	}
	return words
}
