package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/install"
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// clientCommand is about the configuration files of MCP clients on this
// machine, not about their sessions.
func clientCommand(c *cli) *cobra.Command {
	return newParentCommand(&cobra.Command{Use: "client", Short: "Connect MCP clients, such as Claude Code, Cursor or Codex"},
		clientListCommand(c), clientShowCommand(c), clientInstallCommand(c), clientRemoveCommand(c), clientCheckCommand(c), clientTokenCommand(c))
}

// connectFlags say how a client is to be connected.
type connectFlags struct{ install.ClientConnection }

func (f *connectFlags) registerEntryNameFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Name, "name", app.Name, "the `NAME` of the entry in the client")
}

func (f *connectFlags) registerFileFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Project, "project", "", "edit the file of the project in this `FOLDER` instead of the one for all projects")
	cmd.Flags().BoolVar(&f.ByFile, "by-file", false, "edit the file even if the client has a command for this")
}

func (f *connectFlags) registerEntryContentFlags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.Sources, "sources", nil,
		"open only these `SOURCES` to the client, such as notes,work; all opens every source again")
	cmd.Flags().BoolVar(&f.HTTP, "http", false, "connect by the hub's URL instead of a command")
}

func clientListCommand(c *cli) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List MCP clients: whether they have Lectern, and when they last used it",
		Long: "List MCP clients: whether their configuration has Lectern, when they were last\n" +
			"connected, which sources they see, and how many bytes of tools a model reads in each\n" +
			"session. `lectern client check` asks the clients themselves.",
		Args: rejectArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			connected := c.connectedClients(cmd.Context())
			rows := table{{"CLIENT", "INSTALLED", "LECTERN", "LAST SEEN", "SOURCES", "TOOLS", "FILE"}}
			hidden := 0
			for _, s := range c.planner().ClientStates() {
				if !all && !s.Detected || s.Client.Retired() != "" && s.Condition == installer.Absent {
					hidden++
					continue
				}
				seen, sources, tools := "-", "-", "-"
				if s.HasEntry() {
					seen, sources, tools = describeLastSeen(s, connected, c.Now()), cmp.Or(strings.Join(s.Sources, ","), "all"), formatKilobytes(s.Bytes)
				}
				rows.add(s.Client.ID, yesNo(s.Detected), string(s.Condition), seen, sources, tools, cmp.Or(s.File, s.Note))
			}
			if err := c.printTable(rows); err != nil {
				return err
			}
			if hidden > 0 && !all {
				c.printf("not shown: %s that are not installed; see `lectern client list --all`\n", english.Plural(hidden, "client", ""))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "include clients that are not installed")
	return cmd
}

// connectedClients are the clients that are connected now and have proved their
// names; none if no hub is running.
func (c *cli) connectedClients(ctx context.Context) map[string]bool {
	connected := map[string]bool{}
	if _, err := daemon.GetHealth(ctx, c.Paths.Daemon()); err != nil {
		return connected
	}
	if snap, err := c.hub().Snapshot(ctx); err == nil {
		for _, s := range snap.Sessions {
			connected[s.Client] = connected[s.Client] || s.Proven
		}
	}
	return connected
}

// describeLastSeen says when a client was last connected.
func describeLastSeen(s install.ClientState, connected map[string]bool, now time.Time) string {
	ago := now.Sub(s.LastSeen)
	switch {
	case connected[s.Client.ID]:
		return "connected now"
	case s.LastSeen.IsZero():
		return "not yet"
	case ago < time.Minute:
		return "just now"
	case ago < time.Hour:
		return fmt.Sprintf("%d min ago", int(ago/time.Minute))
	case ago < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(ago/time.Hour))
	}
	return s.LastSeen.Local().Format(time.DateOnly)
}

func formatKilobytes(bytes int) string { return fmt.Sprintf("%.1f KB", float64(bytes)/(1<<10)) }

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
		Args:              requireArgumentCount(1, 1, "the name of a client"),
		ValidArgsFunction: newCompletionFunc(completeClientID),
		RunE: func(_ *cobra.Command, args []string) error {
			cl, err := install.FindClient(args[0])
			if err != nil {
				return err
			}
			if err := c.planner().RefuseUnknownSources(f.Sources); err != nil {
				return err
			}
			s, _, hint, err := c.planner().ResolveConnection(f.ClientConnection)
			if err != nil {
				return err
			}
			return showClientSetup(c, cl, s, hint, f.HTTP)
		},
	}
	f.registerEntryNameFlag(cmd)
	f.registerEntryContentFlags(cmd)
	return cmd
}

func showClientSetup(c *cli, cl installer.Client, s installer.Server, hint string, overHTTP bool) error {
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
		c.printf("\nor run\n%s\n", sanitizeText(indent(own)))
	}
	if link := cl.Link(s); link != "" && !overHTTP {
		c.printf("\nor open\n%s\n", sanitizeText(indent(link)))
	}
	switch {
	case overHTTP && cl.HasName():
		c.printf("\nThe token is what `lectern client token %s` prints. Lectern never writes it into other files.\n", cl.ID)
	case overHTTP:
		c.printf("\nThe token is in %s. Lectern never writes it into other files.\n", c.Paths.SharedClientToken())
	}
	if cl.HasName() && !overHTTP && !c.Paths.ClientTokens().Has(cl.ID) {
		c.printf("\nTo let it prove its name, run: lectern client token %s\n", cl.ID)
	}
	if cl.NextStep() != "" {
		c.printf("\nThen %s.\n", cl.NextStep())
	}
	return nil
}

func (c console) printSnippet(s status.Snippet) {
	c.printf("%s (%s)\n%s\n", s.Client, s.Destination, sanitizeText(indent(s.Text)))
}

func clientInstallCommand(c *cli) *cobra.Command {
	var f connectFlags
	cmd := c.newProposalCommand(&cobra.Command{
		Use:   "install CLIENT",
		Short: "Add Lectern to a client's configuration",
		Long: "Add Lectern to a client's configuration. The change is shown first. Only our entry is\n" +
			"written, and a backup of the file is kept beside it. If the client has a command for\n" +
			"this and rewrites its file all the time, that command is run instead.",
		Example:           "  lectern client install claude-code\n  lectern client install cursor --project . --sources notes,work",
		Args:              requireArgumentCount(1, 1, "the name of a client"),
		ValidArgsFunction: newCompletionFunc(completeClientID),
	}, func(_ context.Context, args []string) (*installer.Proposal, error) {
		if err := c.planner().RefuseUnknownSources(f.Sources); err != nil {
			return nil, err
		}
		return c.planner().ProposeConnectClient(args[0], f.ClientConnection)
	})
	f.registerEntryNameFlag(cmd)
	f.registerFileFlags(cmd)
	f.registerEntryContentFlags(cmd)
	return cmd
}

func clientRemoveCommand(c *cli) *cobra.Command {
	var f connectFlags
	cmd := c.newProposalCommand(&cobra.Command{
		Use:               "remove CLIENT",
		Short:             "Remove Lectern from a client's configuration",
		Long:              "Remove Lectern from a client's configuration. Entries of other programs stay.",
		Args:              requireArgumentCount(1, 1, "the name of a client"),
		ValidArgsFunction: newCompletionFunc(completeClientID),
	}, func(_ context.Context, args []string) (*installer.Proposal, error) {
		return c.planner().ProposeDisconnectClient(args[0], f.ClientConnection)
	})
	f.registerEntryNameFlag(cmd)
	f.registerFileFlags(cmd)
	return cmd
}

func clientCheckCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "check [CLIENT...]",
		Short: "Check that clients reach Lectern, by their own commands where they have one",
		Long: "Check the entries in the clients' configurations, and ask the clients that can tell\n" +
			"whether they reach Lectern. They answer for the folder that you are in: some start\n" +
			"MCP servers only in folders that you trust, or have entries of their own there.",
		Example:           "  lectern client check\n  lectern client check gemini-cli",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: newCompletionFunc(func([]string) []string { return completeClientID(nil) }),
		RunE: func(cmd *cobra.Command, ids []string) error {
			for _, id := range ids {
				if _, err := install.FindClient(id); err != nil {
					return err
				}
			}
			checked, broken, err := checkClients(cmd.Context(), c, ids)
			switch {
			case err != nil:
				return err
			case checked == 0:
				c.printf("no client is connected yet; see `lectern client list`\n")
			case broken > 0:
				return fmt.Errorf("check clients: %s must be fixed", english.Plural(broken, "client", ""))
			}
			return nil
		},
	}
}

// checkClients prints how the entries in clients' configurations are and what
// the clients say; without IDs, of all that have one.
func checkClients(ctx context.Context, c *cli, ids []string) (checked, broken int, err error) {
	states := slices.DeleteFunc(c.planner().ClientStates(), func(s install.ClientState) bool {
		return s.Condition == installer.Absent && len(ids) == 0 || len(ids) > 0 && !slices.Contains(ids, s.Client.ID)
	})
	if asked := c.planner().ReportingClients(states); len(asked) > 0 {
		c.warnf("asking %s, which may take half a minute\n", strings.Join(asked, ", "))
	}
	rows := table{{"CLIENT", "LECTERN", "FILE", "SAYS"}}
	var fixes []string
	for i, r := range c.planner().RequestClientReports(ctx, states) {
		s := states[i]
		says := cmp.Or(r.Detail, "does not say")
		if !s.HasEntry() {
			says = s.Note
		}
		if s.Condition != installer.Configured && s.Condition != installer.Elsewhere || r.Detail != "" && !r.Reached {
			broken++
		}
		rows.add(s.Client.ID, string(s.Condition), s.File, says)
		if fix := cmp.Or(r.Fix, s.Note); fix != "" && fix != says {
			fixes = append(fixes, s.Client.ID+": "+fix)
		}
	}
	if err := c.printTable(rows); err != nil {
		return 0, 0, err
	}
	for _, fix := range fixes {
		c.printf("%s\n", fix)
	}
	return len(states), broken, nil
}

// completeClientID proposes IDs of clients for the first argument.
func completeClientID(args []string) (names []string) {
	for _, c := range installer.Clients() {
		if len(args) == 0 && c.Retired() == "" {
			names = append(names, c.ID+"\t"+c.Title)
		}
	}
	return names
}
