package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lectern-mcp/lectern/internal/nearest"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/internal/typescript"
)

// run is the program: it returns its exit status. environ is of the form of
// os.Environ. Results go to stdout, everything else to stderr.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	if slices.Equal(args, []string{typescript.ChildArgument}) { // a child of the hub, without an environment
		if err := typescript.Serve(stdin, stdout); err != nil {
			return reportError(stderr, err)
		}
		return int(exitDone)
	}
	c, err := newCLI(stdin, stdout, stderr, environ)
	if err != nil {
		return reportError(stderr, err)
	}
	return c.run(ctx, args)
}

func (c *cli) run(ctx context.Context, args []string) int {
	root := rootCommand(c)
	root.SetArgs(addKindCommands(root, c, args))
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = c.firstWriteError()
	}
	if err != nil {
		return reportError(c.err, err)
	}
	return int(exitDone)
}

func reportError(stderr io.Writer, err error) int {
	if msg := err.Error(); msg != "" {
		_, _ = fmt.Fprintf(stderr, "lectern: %s\n", safetext.Of(msg))
	}
	return int(exitCodeFor(err))
}

func rootCommand(c *cli) *cobra.Command {
	var f panelFlags
	var showVersion bool
	root := &cobra.Command{
		Use:   "lectern",
		Short: "Open knowledge bases to AI agents, safely and in sight",
		Long: "Lectern opens knowledge bases to AI agents over MCP and shows what they do.\n\n" +
			"Without a command it opens the control panel. MCP clients run `lectern serve`.",
		Args:          rejectArguments,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if showVersion {
				return printVersion(c)
			}
			return runPanel(cmd.Context(), c, f)
		},
	}
	f.register(root)
	root.Flags().BoolVarP(&showVersion, "version", "v", false, "version for lectern")
	acceptYes(root)
	root.SetFlagErrorFunc(flagError)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) { // a template would bring text/template, and with it 4 MB of methods
		help(cmd, args)
		c.printf(exitStatusHelp)
	})
	root.AddGroup(
		&cobra.Group{ID: "use", Title: "Everyday use:"},
		&cobra.Group{ID: "trust", Title: "What agents may do:"},
		&cobra.Group{ID: "run", Title: "Processes:"},
		&cobra.Group{ID: "inspect", Title: "Inspect:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, cmd := range commands {
			cmd.GroupID = group
			root.AddCommand(cmd)
		}
	}
	add("use", setupCommand(c), sourceCommand(c), clientCommand(c), serveCommand(c), callCommand(c), toolsCommand(c), pluginCommand(c))
	add("trust", grantCommand(c), revokeCommand(c), grantsCommand(c), approveCommand(c), pauseCommand(c), resumeCommand(c), policyCommand(c),
		changesCommand(c), undoCommand(c))
	add("run", hubCommand(c), superviseCommand(c), serviceCommand(c), uninstallCommand(c))
	add("use", configCommand(c))
	add("inspect", statusCommand(c), agentsCommand(c), activityCommand(c), callsCommand(c), doctorCommand(c), logsCommand(c), skillCommand(c),
		versionCommand(c))
	add("run", selfUpdateCommand(c))
	root.SetHelpCommandGroupID("inspect")
	root.SetCompletionCommandGroupID("inspect")
	registerCompletions(root, c)
	addJSONFlags(c, root)
	return root
}

// newParentCommand completes a command that only has subcommands.
func newParentCommand(cmd *cobra.Command, sub ...*cobra.Command) *cobra.Command {
	cmd.DisableFlagsInUseLine = true
	cmd.Annotations = map[string]string{"parent": "yes"}
	cmd.Args, cmd.RunE = rejectArguments, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(sub...)
	return cmd
}

// rejectArguments refuses arguments. For one that looks like a mistyped command it
// suggests the nearest.
func rejectArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasAvailableSubCommands() {
		return usageErrorf("%s takes no arguments, got %q; see `%s --help`", cmd.CommandPath(), args[0], cmd.CommandPath())
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return usageErrorf("unknown command %q for %s%s; see `%s --help`", args[0], cmd.CommandPath(), didYouMean(args[0], names),
		cmd.CommandPath())
}

// didYouMean suggests the known word nearest to word; empty: none is near.
func didYouMean(word string, known []string) string {
	if near := nearest.Word(word, known); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// requireArgumentCount accepts between least and most arguments; words names them in the
// error.
func requireArgumentCount(least, most int, words string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usageErrorf("%s takes %s, got %s; see `%s --help`", cmd.CommandPath(), words, english.Plural(len(args), "argument", ""),
				cmd.CommandPath())
		}
		return nil
	}
}

// newCompletionFunc adapts a function that proposes words for the next argument, given
// those before it. It never proposes files.
func newCompletionFunc(propose func(args []string) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return propose(args), cobra.ShellCompDirectiveNoFileComp
	}
}

// flagError suggests the nearest flag.
func flagError(cmd *cobra.Command, err error) error {
	near := ""
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near = nearest.Word(strings.TrimLeft(e.GetSpecifiedName(), "-"), names); near != "" {
			near = ", did you mean --" + near + "?"
		}
	}
	return usageErrorf("%v%s; see `%s --help`", err, near, cmd.CommandPath())
}
