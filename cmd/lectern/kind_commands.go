package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// addKindCommands adds `lectern KIND COMMAND` for the commands that Systems
// declare. The Systems are asked only if args may be about them, because every
// agent starts a `lectern serve`. It returns args with the kind added where only one
// has commands about their first word: `lectern script list` for
// `lectern KIND script list`.
func addKindCommands(root *cobra.Command, c *cli, args []string) []string {
	i := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if i < 0 && !slices.Contains(args, "--help") && !slices.Contains(args, "-h") {
		return args
	}
	if i >= 0 && slices.ContainsFunc(root.Commands(), func(cmd *cobra.Command) bool { return cmd.Name() == args[i] }) {
		return args
	}
	var about []string // kinds with commands about the first word
	group := &cobra.Group{ID: "kinds", Title: "Your sources, by kind:"}
	for _, k := range c.Systems() {
		m := k.Manifest()
		if len(m.Commands) == 0 {
			continue
		}
		if !root.ContainsGroup(group.ID) {
			root.AddGroup(group)
		}
		kind := newParentCommand(&cobra.Command{Use: m.Name, Short: "Commands of " + m.Title, GroupID: group.ID})
		for _, info := range m.Commands {
			addKindCommand(kind, c, m.Name, info)
			if words := strings.Fields(info.Name); i >= 0 && len(words) > 1 && words[0] == args[i] && !slices.Contains(about, m.Name) {
				about = append(about, m.Name)
			}
		}
		root.AddCommand(kind)
		addJSONFlags(c, kind)
	}
	if len(about) == 1 && !slices.ContainsFunc(root.Commands(), func(cmd *cobra.Command) bool { return cmd.Name() == args[i] }) {
		return slices.Insert(slices.Clone(args), i, about[0])
	}
	return args
}

// addKindCommand adds a command of one or two words below that of its kind.
func addKindCommand(parent *cobra.Command, c *cli, kind string, info tools.CommandInfo) {
	words := strings.Fields(info.Name)
	for _, word := range words[:len(words)-1] {
		i := slices.IndexFunc(parent.Commands(), func(cmd *cobra.Command) bool { return cmd.Name() == word })
		if i < 0 {
			parent.AddCommand(newParentCommand(&cobra.Command{Use: word}))
			i = slices.IndexFunc(parent.Commands(), func(cmd *cobra.Command) bool { return cmd.Name() == word })
		}
		parent = parent.Commands()[i]
		parent.Short = strings.TrimPrefix(parent.Short+", ", ", ") + strings.Join(words[1:], " ") // "add, list"
	}
	parent.AddCommand(kindCommand{c, kind, info, &kindCommandGrantFlags{}}.newCobraCommand(words[len(words)-1]))
}

// A kindCommand is a command that a System declares, on the command line.
type kindCommand struct {
	*cli
	kind  string
	info  tools.CommandInfo
	grant *kindCommandGrantFlags
}

func (k kindCommand) newCobraCommand(word string) *cobra.Command {
	use, about := word, []string{}
	var required, positions []string
	for _, a := range k.info.Args {
		word := strings.ToUpper(a.Name)
		switch {
		case a.Required:
			use += " " + word
			required = append(required, a.Name)
		case a.Positional:
			use += " [" + word + "]"
		default:
			continue
		}
		positions = append(positions, a.Name)
		about = append(about, "  "+word+"  "+a.Doc)
	}
	short, _, _ := strings.Cut(k.info.Doc, "\n")
	cmd := &cobra.Command{Use: use, Short: strings.TrimSuffix(short, "."), Long: k.info.Doc}
	if len(about) > 0 {
		cmd.Long += "\n\n" + strings.Join(about, "\n")
	}
	cmd.Args = requireArgumentCount(len(required), len(positions), strings.Join(positions, ", "))
	if len(positions) == 0 {
		cmd.Args = rejectArguments
	}
	var source string
	var yes bool
	optional := map[string]*string{}
	cmd.Flags().StringVar(&source, "source", "", "the `SOURCE`, if there are several of the kind")
	bySource := newCompletionFunc(func([]string) []string { names, _ := k.sourceNamesOfKind(); return names })
	if err := cmd.RegisterFlagCompletionFunc("source", bySource); err != nil {
		panic(err) // the flag was just defined
	}
	if k.info.Confirm != "" {
		cmd.Flags().BoolVar(&yes, "yes", false, "answer yes to the question that the command asks")
	}
	if k.info.Grant != nil {
		k.grant.register(cmd, *k.info.Grant)
	}
	for _, a := range k.info.Args {
		if !slices.Contains(positions, a.Name) {
			optional[a.Name] = defineFlag(cmd, a)
			k.registerFlagCompletion(cmd, a.Name, &source)
		}
	}
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= len(positions) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return k.completeArgument(positions[len(args)], source, prefix)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values := map[string]string{}
		for i, value := range args {
			values[positions[i]] = value
		}
		for name, value := range optional {
			if cmd.Flags().Changed(name) {
				values[name] = *value
			}
		}
		return k.run(cmd.Context(), source, values, yes)
	}
	return cmd
}

// defineFlag defines the flag of an argument that is given by name.
func defineFlag(cmd *cobra.Command, a tools.CommandArgument) *string {
	value := cmd.Flags().String(a.Name, "", a.Doc)
	if a.Flag {
		cmd.Flags().Lookup(a.Name).NoOptDefVal = "true"
	}
	return value
}

func (k kindCommand) registerFlagCompletion(cmd *cobra.Command, name string, source *string) {
	err := cmd.RegisterFlagCompletionFunc(name, func(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		return k.completeArgument(name, *source, prefix)
	})
	if err != nil {
		panic(err) // the flag was just defined
	}
}

// completeArgument asks the source for values of an argument. A folder is completed by the
// shell.
func (k kindCommand) completeArgument(argument, source, prefix string) ([]string, cobra.ShellCompDirective) {
	if slices.ContainsFunc(k.info.Args, func(a tools.CommandArgument) bool { return a.Name == argument && a.Folder }) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
	defer cancel()
	name, err := k.resolveSource(source)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	values, err := status.Ask(ctx, k.hub().API(), status.CompleteCommandQuery, status.CommandArgument{
		Source: name, Command: k.info.Name, Argument: argument, Prefix: prefix,
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if slices.ContainsFunc(k.info.Args, func(a tools.CommandArgument) bool { return a.Name == argument && a.PathOrName }) {
		return values, cobra.ShellCompDirectiveDefault
	}
	return values, cobra.ShellCompDirectiveNoFileComp
}

// sourceNamesOfKind are those of the kind.
func (k kindCommand) sourceNamesOfKind() (names []string, err error) {
	conf, err := k.Config()
	if err != nil {
		return nil, err
	}
	for _, s := range k.Sources(conf) {
		if s.Kind == k.kind {
			names = append(names, s.Name)
		}
	}
	return names, nil
}

// resolveSource is the source that the command is for: the one that is named, or the
// only one of the kind.
func (k kindCommand) resolveSource(named string) (string, error) {
	names, err := k.sourceNamesOfKind()
	if err != nil {
		return "", err
	}
	switch {
	case slices.Contains(names, named):
		return named, nil
	case len(names) == 0:
		return "", fmt.Errorf("there is no source of kind %s; `lectern source add %s` adds one", k.kind, k.kind)
	case named != "":
		return "", usageErrorf("no source of kind %s is named %q%s (sources: %s)",
			k.kind, named, didYouMean(named, names), strings.Join(names, ", "))
	case len(names) > 1:
		return "", usageErrorf("there are several sources of kind %s; choose one: --source %s", k.kind, strings.Join(names, ", --source "))
	}
	return names[0], nil
}

func (k kindCommand) run(ctx context.Context, source string, args map[string]string, yes bool) error {
	name, err := k.resolveSource(source)
	if err != nil {
		return err
	}
	for _, a := range k.info.Args {
		if path := args[a.Name]; a.IsPath(path) {
			if args[a.Name], err = filepath.Abs(path); err != nil {
				return fmt.Errorf("find %s: %w", a.Name, err)
			}
		}
	}
	if k.info.Confirm != "" && !yes {
		agreed, err := k.confirm(k.info.Confirm)
		if err != nil {
			return err
		}
		if !agreed {
			return &exitError{exitDenied, errors.New("nothing was done")}
		}
	}
	conn, _, err := k.connectToHub(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // nothing was written to it
	takeBack := func() error { return nil }
	if k.info.Grant != nil {
		if takeBack, err = k.confirmAndGrantClient(ctx, k.info.Grant.Client(name, args), name); err != nil {
			return err
		}
	}
	if err := k.runInHub(ctx, name, args); err != nil {
		return errors.Join(err, takeBack())
	}
	return ctx.Err()
}

// runInHub has the hub carry out the command.
func (k kindCommand) runInHub(ctx context.Context, name string, args map[string]string) error {
	request := status.CommandRequest{Source: name, Command: k.info.Name, Args: args, JSON: k.json.on}
	updates, err := status.Open(ctx, k.hub().API(), status.CommandQuery, request)
	if err != nil {
		return err
	}
	var printed strings.Builder
	defer func() { k.json.addCommandText(printed.String()) }()
	for u := range updates {
		printed.WriteString(string(sanitizeText(u.Text)))
		if !k.json.on {
			k.printf("%s", sanitizeText(u.Text))
		}
		if u.Error != nil {
			return k.reportCallError(u.Error)
		}
	}
	return nil
}
