package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/status"
)

func cancelCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel [CALL]",
		Short: "Cancel a call of an agent, or list those that are under way",
		Long: "Cancel a call that is under way, such as a script: the agent is told that you\n" +
			"cancelled it, and nothing is left half written. The agent stays connected.",
		Example: "  lectern hub cancel\n  lectern hub cancel s3.12",
		Args:    requireArgumentCount(0, 1, "at most one call"),
		ValidArgsFunction: newCompletionFunc(func(args []string) (names []string) {
			snap, err := c.hub().Snapshot(context.Background())
			if err != nil || len(args) > 0 {
				return nil
			}
			for _, r := range snap.Running {
				names = append(names, r.Name)
			}
			return names
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listRunningCalls(cmd.Context(), c)
			}
			if err := c.hub().API().Do(cmd.Context(), status.Action{Verb: status.CancelCall, Target: args[0]}); err != nil {
				return addStartHubAdvice(err)
			}
			c.printf("cancelled %s\n", sanitizeText(args[0]))
			return nil
		},
	}
}

func listRunningCalls(ctx context.Context, c *cli) error {
	snap, err := c.hub().Snapshot(ctx)
	if err != nil {
		return err
	}
	if !thismachine.HubRunning(snap) {
		c.warnf("no hub is running, so no call is under way\n")
		return &exitError{code: exitNoHub}
	}
	if len(snap.Running) == 0 {
		c.printNone("no call is under way\n")
		return nil
	}
	c.printValue(snap.Running)
	rows := table{}
	for _, r := range snap.Running {
		rows.add(r.Name, describeRunningCall(r, snap.Time))
	}
	if err := c.printTable(rows); err != nil {
		return err
	}
	c.printf("\nto cancel one: lectern hub cancel CALL\n")
	return nil
}

// describeRunningCall says what a call does, for whom, and for how long by now.
func describeRunningCall(r status.RunningCall, now time.Time) string {
	state := "for "
	if r.Waiting {
		state = "waiting for your approval, for "
	}
	what := r.Tool
	if n := len(r.Targets); n > 0 {
		what += " " + strings.Join(r.Targets[:min(n, 3)], ", ")
		if n > 3 {
			what += fmt.Sprintf(" and %d more", n-3)
		}
	}
	return fmt.Sprintf("%s in %s, by %s, %s%s", what, r.Source, status.ClientLabel(r.Client, r.Proven), state,
		now.Sub(r.Began).Round(100*time.Millisecond))
}
