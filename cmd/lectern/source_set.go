package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/configedit"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// privacyRuleFlags are the changes of one list of privacy rules.
type privacyRuleFlags struct{ add, remove []string }

func (f *privacyRuleFlags) register(cmd *cobra.Command, name, means string) {
	cmd.Flags().StringArrayVar(&f.add, name, nil, means+" this `RULE` too; repeatable")
	cmd.Flags().StringArrayVar(&f.remove, "remove-"+name, nil, "remove this `RULE` from "+name+"; repeatable")
}

func sourceSetCommand(c *cli) *cobra.Command {
	var exclude, only privacyRuleFlags
	var name string
	var tools []string
	var readOnly, ask, replace bool
	var f confirmFlags
	cmd := &cobra.Command{
		Use:   "set NAME [KEY=VALUE...]",
		Short: "Change a source: its rules, its access, its name, its keys",
		Long: "Change a source. The change of the configuration file is shown first; everything that\n" +
			"you do not name stays as it is. KEY=VALUE sets a key of the source's kind, and KEY=\n" +
			"removes it.\n\n" +
			"With a new name, grants, rules, the history for undo and the source's own data move\n" +
			"with it. To set what agents may do, run `lectern grant`.",
		Example: "  lectern source set notes --exclude Private --exclude '#secret'\n" +
			"  lectern source set notes --tools all\n" +
			"  lectern source set notes --remove-exclude Private --read-only\n" +
			"  lectern source set notes --replace --only Projects --only Areas\n" +
			"  lectern source set notes --name wiki",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageErrorf("source set: missing NAME; `lectern source list` shows the names")
			}
			return nil
		},
		ValidArgsFunction: c.completeSourceSetArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			keys, err := parseKeyValues("set source", args[1:])
			if err != nil {
				return err
			}
			change := status.SourceChange{
				Name: name, Keys: keys,
				Exclude: status.RuleChange{Add: exclude.add, Remove: exclude.remove, Replace: replace && exclude.add != nil},
				Only:    status.RuleChange{Add: only.add, Remove: only.remove, Replace: replace && only.add != nil},
			}
			if cmd.Flags().Changed("read-only") {
				change.ReadOnly = &readOnly
			}
			if cmd.Flags().Changed("tools") {
				change.Tools = parseOptInTools(tools)
			}
			if cmd.Flags().Changed("ask") {
				change.Ask = &ask
			}
			switch {
			case replace && exclude.add == nil && only.add == nil:
				return usageErrorf("source set: --replace requires --exclude or --only; --remove-exclude and --remove-only remove a rule")
			case len(args) == 1 && cmd.Flags().NFlag() == 0:
				return usageErrorf("source set: nothing to change; name what to change, such as --read-only or --exclude RULE")
			}
			return c.confirmAndSetSource(cmd.Context(), args[0], change, f)
		},
	}
	exclude.register(cmd, "exclude", "hide what matches")
	only.register(cmd, "only", "show agents what matches")
	cmd.Flags().BoolVar(&replace, "replace", false, "replace the present rules by those given")
	cmd.Flags().BoolVar(&readOnly, "read-only", false, "agents may only read; --read-only=false turns that off")
	cmd.Flags().StringSliceVar(&tools, "tools", nil, "`TOOLS` that agents see besides the default list; all for every one, default for none")
	cmd.Flags().BoolVar(&ask, "ask", false, "agents need your approval to write or delete; --ask=false turns that off")
	cmd.Flags().StringVar(&name, "name", "", "the new `NAME`")
	f.register(cmd)
	return cmd
}

func (c *cli) confirmAndSetSource(ctx context.Context, name string, change status.SourceChange, f confirmFlags) (err error) {
	conf, err := c.Config()
	if err != nil {
		return err
	}
	if s, ok := conf.Source(name); ok {
		if change.Keys, err = c.configEditor().ResolveKeyPaths(s.Kind, change.Keys); err != nil {
			return err
		}
	}
	a := status.Action{Verb: status.SetSource, Target: name, Change: &change}
	p, err := c.configEditor().Propose(a)
	if err != nil {
		return err
	}
	if !p.Edit.HasChanges() {
		c.printf("source %s is like that already; nothing to change\n", name)
		return nil
	}
	done, err := c.confirmAndApplyPlan(ctx, p.Plan, f, func(ctx context.Context) error {
		if configedit.NeedsClosedSource(a) {
			return c.renameSourceInHub(ctx, a)
		}
		if _, err := c.configEditor().ApplyAction(ctx, a); err != nil {
			return err
		}
		return c.hub().Reload(ctx)
	})
	if err != nil || !done {
		return err
	}
	if conf, err = c.Config(); err != nil {
		return err
	}
	c.printf("\nIn force for it; `lectern grant` changes that:\n")
	if err := c.printGrants(conf, p.Source.Name); err != nil {
		return err
	}
	return c.printHiddenPageCount(ctx, p.Source)
}

// renameSourceInHub has the hub rename a source, because only the hub has the journal
// open. The hub is started if none runs.
func (c *cli) renameSourceInHub(ctx context.Context, a status.Action) (err error) {
	conn, _, err := c.connectToHub(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return c.hub().API().Do(ctx, a)
}

// hubRuns reports whether a hub of this user runs.
func (c *cli) hubRuns(ctx context.Context) (bool, error) {
	_, err := daemon.GetHealth(ctx, c.Paths.Daemon())
	if errors.Is(err, daemon.ErrNoHub) {
		return false, nil
	}
	return err == nil, err
}

// parseOptInTools is what --tools names; "default" names none.
func parseOptInTools(given []string) []string {
	return append([]string{}, slices.DeleteFunc(given, func(t string) bool { return t == "default" || t == "" })...)
}

// parseKeyValues reads KEY=VALUE arguments. Their text is repeated in no error: it may
// be a secret.
func parseKeyValues(what string, args []string) (map[string]string, error) {
	keys := map[string]string{}
	for i, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		_, twice := keys[key]
		switch {
		case !ok || key == "":
			return nil, usageErrorf("%s: argument %d is not of the form KEY=VALUE; quote a path with spaces", what, i+2)
		case twice:
			return nil, usageErrorf("%s: %s is given twice", what, key)
		}
		keys[key] = value
	}
	return keys, nil
}
