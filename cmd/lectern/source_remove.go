package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/configedit"
	"github.com/lectern-mcp/lectern/status"
)

func sourceRemoveCommand(c *cli) *cobra.Command {
	var data bool
	var f confirmFlags
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Close a source to agents; its files stay",
		Long: "Close a source to agents. Its files stay. So does what Lectern keeps for it in folders\n" +
			"of its own (indexes, databases), unless --data removes that too, which cannot be\n" +
			"undone. You can also do that later, for a source that is already removed.",
		Args:              requireArgumentCount(1, 1, "the name of a source"),
		ValidArgsFunction: newCompletionFunc(c.completeSourceName),
		RunE: func(cmd *cobra.Command, args []string) error {
			a := status.Action{Verb: status.RemoveSource, Target: args[0], Data: data}
			if data {
				return c.confirmAndEditConfig(cmd.Context(), a, f)
			}
			return c.editConfig(cmd.Context(), a, f.dryRun, func(p configedit.Proposal) string {
				return fmt.Sprintf("removed source %s: %s", p.Source.Name, p.Source.Path)
			})
		},
	}
	cmd.Flags().BoolVar(&data, "data", false, "remove what Lectern keeps for the source too; asks first")
	f.register(cmd)
	return cmd
}

// confirmAndEditConfig shows the plan of an edit, asks, and makes it: by the hub if one
// runs, which closes the source first.
func (c *cli) confirmAndEditConfig(ctx context.Context, a status.Action, f confirmFlags) error {
	p, err := c.configEditor().Propose(a)
	if err != nil {
		return err
	}
	_, err = c.confirmAndApplyPlan(ctx, p.Plan, f, func(ctx context.Context) error {
		if running, err := c.hubRuns(ctx); running || err != nil {
			return c.hub().API().Do(ctx, a)
		}
		_, err := c.configEditor().ApplyAction(ctx, a)
		return err
	})
	return err
}
