package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/machine"
	"github.com/lectern-mcp/lectern/status"
)

func approveCommand(c *cli) *cobra.Command {
	var session, always, deny, watch bool
	var reason string
	cmd := &cobra.Command{
		Use:   "approve [ID]",
		Short: "List the calls that wait for your approval, and allow or deny them",
		Long: "Without an ID: list the calls that wait for your approval. With --watch, show each\n" +
			"new call with what it would change, and ask. With an ID: allow that call, or deny it\n" +
			"with --deny. The first answer counts, wherever it is given.",
		Example: "  lectern approve\n  lectern approve k3v9q2xw --session\n  lectern approve --deny k3v9q2xw --reason 'not the journal'",
		Args:    arguments(0, 1, "at most one call ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && (session || always || deny):
				return usagef("approve: missing ID; `lectern approve` lists the calls that wait")
			case reason != "" && !deny:
				return usagef("approve: --reason requires --deny")
			case watch && len(args) > 0:
				return usagef("approve: --watch shows all calls; leave out the ID")
			case watch:
				return watchApprovals(cmd.Context(), c)
			case len(args) == 0:
				return listApprovals(cmd.Context(), c)
			}
			a := status.Action{Verb: status.Allow, Target: args[0], Answer: &status.Answer{Scope: approvalScope(session, always)}}
			if deny {
				a = status.Action{Verb: status.Refuse, Target: args[0], Answer: &status.Answer{Reason: reason}}
			}
			if err := c.hub().API().Do(cmd.Context(), a); err != nil {
				return noHub(err)
			}
			c.printf("%s\n", answerSummary(a))
			return nil
		},
	}
	cmd.Flags().BoolVar(&session, "session", false, "allow this tool and source until the client disconnects")
	cmd.Flags().BoolVar(&always, "always", false, "always allow such calls: add a rule to the configuration")
	cmd.Flags().BoolVar(&deny, "deny", false, "deny the call")
	cmd.Flags().StringVar(&reason, "reason", "", "with --deny: the `REASON`, which the agent sees")
	cmd.Flags().BoolVar(&watch, "watch", false, "show each call as it comes, and ask")
	cmd.MarkFlagsMutuallyExclusive("session", "always", "deny", "watch")
	return cmd
}

func approvalScope(session, always bool) status.Scope {
	switch {
	case session:
		return status.ForSession
	case always:
		return status.Always
	}
	return status.Once
}

func answerSummary(a status.Action) string {
	switch {
	case a.Verb == status.Refuse:
		return "denied " + a.Target
	case a.Answer.Scope == status.ForSession:
		return "allowed " + a.Target + " and similar calls until the client disconnects"
	case a.Answer.Scope == status.Always:
		return "allowed " + a.Target + " and similar calls from now on; `lectern grants` shows the rule"
	}
	return "allowed " + a.Target + " once"
}

func listApprovals(ctx context.Context, c *cli) error {
	snap, err := c.hub().Snapshot(ctx)
	if err != nil {
		return err
	}
	if !machine.HubRunning(snap) {
		c.warnf("no hub is running, so no call waits\n")
		return &exitError{code: exitNoHub}
	}
	if len(snap.Approvals) == 0 {
		c.printf("no call waits for approval\n")
		return nil
	}
	rows := [][]string{{"ID", "CLIENT", "SOURCE", "TOOL", "CHANGES", "TIME LEFT", "REASON"}}
	for _, a := range snap.Approvals {
		rows = append(rows, []string{
			a.ID, approvalClient(a), a.Source, a.Tool, approvalTargets(a), a.Until.Sub(c.Now()).Round(time.Second).String(), shortReason(a.Reason),
		})
	}
	return c.table(rows...)
}

func approvalClient(a status.Approval) string {
	switch {
	case a.Client == "":
		return "(no name)"
	case a.Proven:
		return a.Client
	}
	return a.Client + "?" // the name is only claimed
}

func approvalTargets(a status.Approval) string {
	switch {
	case len(a.Targets) == 0:
		return "(unknown)"
	case len(a.Targets)+a.More == 1:
		return a.Targets[0]
	}
	return fmt.Sprintf("%s and %d more", a.Targets[0], len(a.Targets)+a.More-1)
}
