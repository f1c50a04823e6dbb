package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/install"
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/status"
)

// clientCommand is about the configuration files of MCP clients on this
// machine, not about their sessions.
func clientCommand(c *cli) *cobra.Command {
	return groupCommand(&cobra.Command{Use: "client", Short: "Connect MCP clients, such as Claude Code, Cursor or Codex"},
		clientListCommand(c), clientShowCommand(c), clientInstallCommand(c), clientRemoveCommand(c), clientCheckCommand(c), clientTokenCommand(c))
}

// connectFlags say how a client is to be connected.
type connectFlags struct{ install.Connection }

func (f *connectFlags) registerEntry(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Name, "name", app.Name, "the `NAME` of the entry in the client")
}

func (f *connectFlags) registerFile(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Project, "project", "", "edit the file of the project in this `FOLDER` instead of yours")
	cmd.Flags().BoolVar(&f.ByFile, "by-file", false, "edit the file even if the client has a command for this")
}

func (f *connectFlags) registerContent(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.Sources, "sources", nil, "open only these `SOURCES` to the client, such as notes,work")
	cmd.Flags().BoolVar(&f.HTTP, "http", false, "connect by the hub's URL instead of a command")
}

func clientListCommand(c *cli) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List MCP clients and whether they are connected",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			m := c.planner().Machine()
			s, _ := c.planner().ServerEntry()
			rows := table{{"CLIENT", "INSTALLED", "LECTERN", "FILE"}}
			hidden := 0
			for _, cl := range installer.Clients() {
				f := m.Find(cl, s)
				if !all && !f.Detected || cl.Retired() != "" && f.Condition == installer.Absent {
					hidden++
					continue
				}
				rows.add(cl.ID, yesNo(f.Detected), string(f.Condition), cmp.Or(f.File, f.Note))
			}
			if err := c.printTable(rows); err != nil {
				return err
			}
			if hidden > 0 && !all {
				c.printf("not shown: %s that are not installed; see `lectern client list --all`\n", count(hidden, "client"))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "include clients that are not installed")
	return cmd
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func clientShowCommand(c *cli) *cobra.Command {
	var f connectFlags
	cmd := &cobra.Command{
		Use:               "show CLIENT",
		Short:             "Show what to paste or run to connect a client by hand",
		Args:              arguments(1, 1, "the name of a client"),
		ValidArgsFunction: completions(completeClient),
		RunE: func(_ *cobra.Command, args []string) error {
			cl, err := install.FindClient(args[0])
			if err != nil {
				return err
			}
			s, _, hint, err := c.planner().Connection(f.Connection)
			if err != nil {
				return err
			}
			return showClient(c, cl, s, hint, f.HTTP)
		},
	}
	f.registerEntry(cmd)
	f.registerContent(cmd)
	return cmd
}

func showClient(c *cli, cl installer.Client, s installer.Server, hint string, overHTTP bool) error {
	m := c.planner().Machine()
	snip, ok := cl.Snippet(m, s, overHTTP)
	switch {
	case !ok && cl.Retired() != "":
		return fmt.Errorf("show client: %s: %s", cl.Title, cl.Retired())
	case !ok && !cl.SupportsHTTP():
		return fmt.Errorf("show client: %s supports only stdio; leave out --http", cl.Title)
	case !ok:
		return fmt.Errorf("show client: HTTP is off in %s; set http = true in [hub]", c.Paths.File())
	}
	snip.Destination += hint
	c.printSnippet(snip)
	if own := cl.Command(m, s, overHTTP); own != "" && own != snip.Text {
		c.printf("\nor run\n%s\n", text(indent(own)))
	}
	if link := cl.Link(s); link != "" && !overHTTP {
		c.printf("\nor open\n%s\n", text(indent(link)))
	}
	if overHTTP {
		c.printf("\nThe token is in %s. Lectern never writes it into other files.\n", c.Paths.ClientToken())
	}
	if cl.NextStep() != "" {
		c.printf("\nThen %s.\n", cl.NextStep())
	}
	return nil
}

func (c console) printSnippet(s status.Snippet) {
	c.printf("%s (%s)\n%s\n", s.Client, s.Destination, text(indent(s.Text)))
}

func clientInstallCommand(c *cli) *cobra.Command {
	var f connectFlags
	cmd := c.planCommand(&cobra.Command{
		Use:   "install CLIENT",
		Short: "Add Lectern to a client's configuration",
		Long: "Add Lectern to a client's configuration. The change is shown first. Only our entry is\n" +
			"written, and a backup of the file is kept beside it. If the client has a command for\n" +
			"this and rewrites its file all the time, that command is run instead.",
		Example:           "  lectern client install claude-code\n  lectern client install cursor --project . --sources notes,work",
		Args:              arguments(1, 1, "the name of a client"),
		ValidArgsFunction: completions(completeClient),
	}, func(_ context.Context, args []string) (*installer.Proposal, error) {
		return c.planner().ConnectClient(args[0], f.Connection)
	})
	f.registerEntry(cmd)
	f.registerFile(cmd)
	f.registerContent(cmd)
	return cmd
}

func clientRemoveCommand(c *cli) *cobra.Command {
	var f connectFlags
	cmd := c.planCommand(&cobra.Command{
		Use:               "remove CLIENT",
		Short:             "Remove Lectern from a client's configuration",
		Long:              "Remove Lectern from a client's configuration. Entries of other programs stay.",
		Args:              arguments(1, 1, "the name of a client"),
		ValidArgsFunction: completions(completeClient),
	}, func(_ context.Context, args []string) (*installer.Proposal, error) {
		return c.planner().DisconnectClient(args[0], f.Connection)
	})
	f.registerEntry(cmd)
	f.registerFile(cmd)
	return cmd
}

func clientCheckCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Check Lectern's entries in the clients' configurations",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			m := c.planner().Machine()
			s, _ := c.planner().ServerEntry()
			broken := 0
			var rows table
			for _, cl := range installer.Clients() {
				f := m.Find(cl, s)
				if f.Condition == installer.Absent {
					continue
				}
				if f.Condition != installer.Configured {
					broken++
				}
				rows.add(cl.ID, string(f.Condition), f.File, f.Note)
			}
			if err := c.printTable(rows); err != nil {
				return err
			}
			if len(rows) == 0 {
				c.printf("no client is connected yet; see `lectern client list`\n")
			}
			if broken > 0 {
				return fmt.Errorf("check clients: %s must be fixed", count(broken, "client"))
			}
			return nil
		},
	}
}

// completeClient proposes IDs of clients for the first argument.
func completeClient(args []string) (names []string) {
	for _, c := range installer.Clients() {
		if len(args) == 0 && c.Retired() == "" {
			names = append(names, c.ID+"\t"+c.Title)
		}
	}
	return names
}
