package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lectern-mcp/lectern/internal/nearest"
	"github.com/lectern-mcp/lectern/internal/safetext"
)

// run is the program: it returns its exit status. environ is of the form of
// os.Environ. Results go to stdout, all else to stderr.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	w, err := newWorld(stdin, stdout, stderr, environ)
	if err != nil {
		return report(stderr, err)
	}
	return w.run(ctx, args)
}

func (w *world) run(ctx context.Context, args []string) int {
	root := rootCommand(w)
	root.SetArgs(args)
	root.SetIn(w.in)
	root.SetOut(w.out)
	root.SetErr(w.err)
	if err := root.ExecuteContext(ctx); err != nil {
		return report(w.err, err)
	}
	return int(exitDone)
}

func report(stderr io.Writer, err error) int {
	code := exitOf(err)
	if msg := err.Error(); msg != "" {
		_, _ = fmt.Fprintf(stderr, "lectern: %s\n", safetext.Of(msg))
	}
	return int(code)
}

func rootCommand(w *world) *cobra.Command {
	var how manner
	root := &cobra.Command{
		Use:   "lectern",
		Short: "Open knowledge bases to AI agents, safely and in sight",
		Long: "Lectern opens knowledge bases to AI agents over MCP and shows what they do.\n\n" +
			"Without a command it is the control panel. MCP clients run `lectern serve`.",
		Args:          noArguments,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(c *cobra.Command, _ []string) error { return w.panel(c.Context(), how) },
	}
	how.flags(root)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpTemplate(root.HelpTemplate() + exitHelp)
	root.AddGroup(
		&cobra.Group{ID: "use", Title: "Every day:"},
		&cobra.Group{ID: "trust", Title: "What agents may do:"},
		&cobra.Group{ID: "run", Title: "Processes:"},
		&cobra.Group{ID: "look", Title: "Looking:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("use", sourceCommand(w), clientCommand(w), serveCommand(w), callCommand(w), pluginCommand(w))
	add("trust", grantCommand(w), revokeCommand(w), grantsCommand(w), approveCommand(w), policyCommand(w), changesCommand(w), undoCommand(w))
	add("run", hubCommand(w), superviseCommand(w), serviceCommand(w), uninstallCommand(w))
	add("use", configCommand(w))
	add("look", statusCommand(w), callsCommand(w), auditCommand(w), doctorCommand(w), logsCommand(w), skillCommand(w), versionCommand(w))
	add("run", selfUpdateCommand(w))
	return root
}

// noArguments refuses arguments; one that looks like a command that the
// person meant is answered with the nearest.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !c.HasAvailableSubCommands() {
		return usagef("%s takes no arguments, got %q; see `%s --help`", c.CommandPath(), args[0], c.CommandPath())
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	msg := fmt.Sprintf("unknown command %q for %s", args[0], c.CommandPath())
	if near := nearest.Word(args[0], names); near != "" {
		msg += fmt.Sprintf(", did you mean %s?", near)
	}
	return usagef("%s; see `%s --help`", msg, c.CommandPath())
}

// needs accepts between least and most arguments, named in words.
func needs(least, most int, words string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usagef("%s takes %s, got %d arguments; see `%s --help`", c.CommandPath(), words, len(args), c.CommandPath())
		}
		return nil
	}
}

// flagError adds the nearest flag to what pflag says.
func flagError(c *cobra.Command, err error) error {
	msg := err.Error()
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := nearest.Word(strings.TrimLeft(e.GetSpecifiedName(), "-"), names); near != "" {
			msg += ", did you mean --" + near + "?"
		}
	}
	return usagef("%s; see `%s --help`", msg, c.CommandPath())
}
