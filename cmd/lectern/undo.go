package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/status"
)

func undoCommand(c *cli) *cobra.Command {
	var f filterFlags
	var confirm confirmFlags
	cmd := &cobra.Command{
		Use:   "undo [ID...]",
		Short: "Undo what agents changed, or list what can be undone",
		Long: "Without an ID or a flag: list what can be undone. Otherwise undo the changes with the\n" +
			"given IDs, or all that match the flags. All changes of one call are undone together,\n" +
			"exactly and newest first, and the undo can be undone. If something was edited since,\n" +
			"nothing is changed; --merge keeps such edits if they are on other lines. With --skip,\n" +
			"calls that cannot be undone are left alone, and the others are undone. The ID of a run\n" +
			"from `lectern script runs` undoes everything that the run changed.",
		Example: "  lectern undo c7kq20mh1\n  lectern undo --session s3\n  lectern undo --since 2h --source notes",
		Args:    requireArgumentCount(0, 100, "IDs of changes"),
		RunE: func(cmd *cobra.Command, ids []string) error {
			if err := f.parse(cmd.Context(), c); err != nil {
				return err
			}
			if f.IDs = ids; len(ids) == 0 && f.Source == "" && f.Client == "" && f.Session == "" && f.since == "" {
				if confirm.yes || confirm.dryRun || f.Merge {
					return usageErrorf("undo: missing ID; use an ID from `lectern changes`, or --session, --since, --source or --client")
				}
				return listUndoable(cmd.Context(), c)
			}
			act := status.Action{Verb: status.UndoChanges, Filter: &f.Filter}
			hub := c.hub().API()
			plan, err := hub.Preview(cmd.Context(), act)
			if err == nil {
				_, err = c.confirmAndApplyPlan(cmd.Context(), plan, confirm, func(ctx context.Context) error { return hub.Do(ctx, act) })
			}
			return addStartHubAdvice(err)
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&f.Merge, "merge", false, "keep later edits of text by merging")
	cmd.Flags().BoolVar(&f.Skip, "skip", false, "leave the calls that cannot be undone, and undo the others")
	confirm.register(cmd)
	return cmd
}
