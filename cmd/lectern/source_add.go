package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/configedit"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
)

const sourceAddUsage = "Usage: lectern source add PATH, or lectern source add KIND [KEY=VALUE...]"

func sourceAddCommand(c *cli) *cobra.Command {
	var s status.NewSource
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "add PATH|KIND [KEY=VALUE...]",
		Short: "Open a folder or another knowledge base to agents",
		Long: "Open a folder to agents. Its kind is detected, and its name is derived from the\n" +
			"folder's. Or name a kind, and open a source of that kind by its keys; if your folder\n" +
			"has the name of a kind, write ./KIND. The configuration file is edited in place.\n" +
			"Adding a source again changes nothing; to change one, run `lectern source set`.\n\n" +
			"With privacy rules, the command prints how many pages they hide. The hub counts them,\n" +
			"so it is started if none is running.\n\n" +
			"A secret is given as env:NAME, a variable in the environment of the hub, or as\n" +
			"file:PATH, a file that only you can read.",
		Example: "  lectern source add ~/notes --read-only\n" +
			"  lectern source add ~/notes --exclude 'Private/**' --exclude '#secret'\n" +
			"  lectern source kinds    # the kinds and their keys",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageErrorf("add source: missing PATH or KIND. %s", sourceAddUsage)
			}
			return nil
		},
		ValidArgsFunction: c.completeSourceAddArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.parseSourceAddArguments(&s, args); err != nil {
				return err
			}
			return c.addSource(cmd.Context(), s, dryRun)
		},
	}
	cmd.Flags().StringVar(&s.Kind, "kind", "", "the `KIND` of knowledge base; default: detected")
	cmd.Flags().StringVar(&s.Name, "name", "", "the `NAME` that agents use: lowercase letters, digits, hyphens")
	cmd.Flags().BoolVar(&s.Sample, "sample", false, "add the sample that the kind brings")
	cmd.Flags().BoolVar(&s.ReadOnly, "read-only", false, "agents may only read")
	cmd.Flags().BoolVar(&s.Ask, "ask", false, "agents need your approval to write or delete")
	cmd.Flags().StringArrayVar(&s.Exclude, "exclude", nil,
		"hide what matches this `RULE` from agents: a path like Private/**, #tag, property:key=value or namespace:Page; repeatable")
	cmd.Flags().StringArrayVar(&s.Only, "only", nil, "show agents only what matches this `RULE`; repeatable")
	addDryRunFlag(cmd, &dryRun)
	return cmd
}

// parseSourceAddArguments reads the arguments of `source add`. No word but the first is
// repeated in an error: it may be a secret.
func (c *cli) parseSourceAddArguments(s *status.NewSource, args []string) error {
	word := args[0]
	_, isKind := c.FindKind(word)
	info, err := os.Stat(word)
	isFolder := err == nil && info.IsDir()
	switch {
	case isKind && s.Kind == "":
		s.Kind = word
		if isFolder {
			c.warnf("%s is a kind of source; for the folder %s here, run: lectern source add ./%s\n", word, word, word)
		}
	case errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(word, `/\~`) && s.Kind == "" && didYouMean(word, c.kindNames()) != "":
		return usageErrorf("add source: %s is neither a folder nor a kind%s", word, didYouMean(word, c.kindNames()))
	default:
		s.Location = word
	}
	keys, err := parseKeyValues("add source", args[1:])
	s.Keys = keys
	return err
}

func (c *cli) kindNames() (names []string) {
	for _, k := range c.Systems() {
		names = append(names, k.Manifest().Name)
	}
	return names
}

func (c *cli) addSource(ctx context.Context, s status.NewSource, dryRun bool) error {
	var added config.Source
	err := c.editConfig(ctx, status.Action{Verb: status.AddSource, Source: &s}, dryRun, func(p configedit.Proposal) string {
		opens := cmp.Or(p.Source.Path, formatKeyValues(s.Keys))
		if !p.Edit.HasChanges() {
			return fmt.Sprintf("source %s already opens %s; nothing changed", p.Source.Name, cmp.Or(opens, p.Source.Kind))
		}
		added = p.Source
		if opens == "" {
			return fmt.Sprintf("added source %s (%s)", p.Source.Name, p.Source.Kind)
		}
		reason := p.Folder.Reason
		if reason != "" {
			reason = ": " + reason
		}
		return fmt.Sprintf("added source %s: %s (%s%s)", p.Source.Name, opens, p.Source.Kind, reason)
	})
	if err != nil || added.Name == "" {
		return err
	}
	conf, err := c.Config()
	if err != nil {
		return err
	}
	c.printf("\nIn force for it; `lectern grant` changes that:\n")
	if err := c.printGrants(conf, added.Name); err != nil {
		return err
	}
	c.printSetup(added.Kind)
	if err := runAfterAddCommands(ctx, c, added, s.Keys); err != nil {
		return err
	}
	if c.planner().SkillIsOutdated() {
		c.printf("\nThe skill that your agents read does not name it yet. Run: lectern skill install\n")
	}
	return c.printHiddenPageCount(ctx, added)
}

// printSetup says how the application of a new source is connected, where it needs one.
func (c *cli) printSetup(kind string) {
	for _, k := range c.Systems() {
		if peer := k.Peer(); k.Manifest().Name == kind && peer != nil {
			c.printf("\nNext, where it is not done yet:\n")
			for i, step := range peer.Setup {
				c.printf("%d. %s\n", i+1, step)
			}
		}
	}
}

// runAfterAddCommands gives a new source the commands that its System wants given. It starts
// the hub, which carries them out, if none runs.
func runAfterAddCommands(ctx context.Context, c *cli, added config.Source, keys map[string]string) (err error) {
	kind, ok := c.FindKind(added.Kind)
	if !ok {
		return nil
	}
	for _, command := range kind.Commands {
		first := command.AfterAdd
		if first == nil || keys[first.WithoutKey] != "" {
			continue
		}
		c.printf("\n")
		conn, _, err := c.connectToHub(ctx)
		if err == nil {
			err = errors.Join(kindCommand{c, added.Kind, command, &kindCommandGrantFlags{}}.run(ctx, added.Name, first.Args, true), conn.Close())
		}
		if err != nil {
			c.printf("note: `lectern %s %s` was not carried out for it: %v\n", added.Kind, command.Name, err)
		}
	}
	return nil
}

func formatKeyValues(keys map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		parts = append(parts, key+"="+keys[key])
	}
	return strings.Join(parts, " ")
}
