package main

import (
	"context"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/status"
)

func approveEndCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "end [ID]",
		Short: "End an approval for ten minutes, or all of them",
		Long: "End an approval for ten minutes before its time, or all of them. From then on you are\n" +
			"asked again, even about calls that were let through but have not written yet.",
		Example: "  lectern approve end\n  lectern approve end k3v9q2xw",
		Args:    requireArgumentCount(0, 1, "at most one ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return endPermit(cmd.Context(), c, optionalArgument(args))
		},
	}
}

func endPermit(ctx context.Context, c *cli, id string) error {
	snap, err := c.hub().Snapshot(ctx)
	switch {
	case err != nil:
		return err
	case !thismachine.HubRunning(snap):
		c.warnf("no hub is running, so no approval for ten minutes is in force\n")
		return &exitError{code: exitNoHub}
	}
	if err := c.hub().API().Do(ctx, status.Action{Verb: status.EndPermit, Target: id}); err != nil {
		return addStartHubAdvice(err)
	}
	ended := 0
	for _, p := range snap.Permits {
		if id == "" || p.ID == id {
			ended++
			c.printf("%s may no longer %s without asking\n", status.ClientLabel(p.Client, p.Proven), p.ScopeText())
		}
	}
	if ended == 0 {
		c.printf("no approval for ten minutes was in force\n")
	}
	return nil
}

// listPermits lists the approvals for ten minutes that are in force, if there are
// any.
func listPermits(c *cli, all []status.Permit) error {
	if len(all) == 0 {
		return nil
	}
	rows := table{{"ID", "CLIENT", "MAY", "SESSION", "CALLS", "TIME LEFT"}}
	for _, p := range all {
		session := p.Session
		if session == "" {
			session = "(all)"
		}
		rows.add(p.ID, status.ClientLabel(p.Client, p.Proven), p.ScopeText(), session, english.Plural(int(p.Calls), "call", ""),
			p.Until.Sub(c.Now()).Round(time.Second).String())
	}
	c.printf("allowed for ten minutes; to end one: lectern approve end ID\n")
	if err := c.printTable(rows); err != nil {
		return err
	}
	c.printf("\n")
	return nil
}
