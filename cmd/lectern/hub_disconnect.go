package main

import (
	"context"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/status"
)

func disconnectCommand(c *cli) *cobra.Command {
	var confirm confirmFlags
	cmd := &cobra.Command{
		Use:   "disconnect [SESSION]",
		Short: "Disconnect an agent, or list those that are connected",
		Long: "Disconnect an agent: its calls under way are cancelled, and those that wait for you\n" +
			"are withdrawn. It stays away until the program that it runs in is started again; a\n" +
			"client over HTTP is refused by its name until the hub is restarted.",
		Example: "  lectern hub disconnect\n  lectern hub disconnect s3",
		Args:    requireArgumentCount(0, 1, "at most one session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listAgents(cmd.Context(), c)
			}
			act, hub := status.Action{Verb: status.Disconnect, Target: args[0]}, c.hub().API()
			plan, err := hub.Preview(cmd.Context(), act)
			if err == nil {
				_, err = c.confirmAndApplyPlan(cmd.Context(), plan, confirm, func(ctx context.Context) error { return hub.Do(ctx, act) })
			}
			return addStartHubAdvice(err)
		},
	}
	confirm.register(cmd)
	return cmd
}

func listAgents(ctx context.Context, c *cli) error {
	snap, err := c.hub().Snapshot(ctx)
	if err != nil {
		return err
	}
	if !thismachine.HubRunning(snap) {
		c.warnf("no hub is running, so no agent is connected\n")
		return &exitError{code: exitNoHub}
	}
	if len(snap.Sessions) == 0 {
		c.printNone("no agent is connected\n")
		return nil
	}
	c.printValue(snap.Sessions)
	rows := table{{"SESSION", "CLIENT", "OVER", "CALLS", "SINCE"}}
	for _, s := range snap.Sessions {
		rows.add(s.Name, status.ClientLabel(s.Client, s.Proven), string(s.Transport), english.Plural(int(s.Calls), "call", ""),
			s.Since.Local().Format("2006-01-02 15:04:05"))
	}
	if err := c.printTable(rows); err != nil {
		return err
	}
	c.printf("\nto disconnect one: lectern hub disconnect SESSION\n")
	return nil
}
