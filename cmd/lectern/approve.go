package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/status"
)

func approveCommand(c *cli) *cobra.Command {
	var session, always, deny, watch, tenMinutes, edit bool
	var reason, within string
	var hunks []int
	cmd := &cobra.Command{
		Use:   "approve [ID]",
		Short: "List the calls that wait for your approval, and allow or deny them",
		Long: "Without an ID: list the calls that wait for your approval. With --watch, show each\n" +
			"new call with what it would change, and ask. With an ID: allow that call, or deny it\n" +
			"with --deny. What you have not seen yet is shown first, and you are asked again;\n" +
			"without a terminal, run `lectern approve show ID` first. The first answer counts,\n" +
			"wherever it is given.\n\n" +
			"--ten-minutes also allows, for ten minutes, what this client does to the same page with\n" +
			"the same effect; --in extends that to a folder or to the whole source. `lectern approve\n" +
			"end` ends it earlier.\n\n" +
			"If the call changes the text of one page, you can change it first: --hunks keeps only\n" +
			"the hunks with these numbers, which `lectern approve show` prints, and --edit opens the\n" +
			"new text in $VISUAL or $EDITOR. The agent is told what was written.",
		Example: "  lectern approve\n  lectern approve show k3v9q2xw\n  lectern approve k3v9q2xw --session\n" +
			"  lectern approve k3v9q2xw --ten-minutes --in 'Projects/**'\n" +
			"  lectern approve k3v9q2xw --hunks 1,3\n" +
			"  lectern approve --deny k3v9q2xw --reason 'not the journal'",
		Args: requireArgumentCount(0, 1, "at most one call ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && (session || always || deny || tenMinutes || edit || len(hunks) > 0):
				return usageErrorf("approve: missing ID; `lectern approve` lists the calls that wait")
			case reason != "" && !deny:
				return usageErrorf("approve: --reason requires --deny")
			case within != "" && !tenMinutes:
				return usageErrorf("approve: --in requires --ten-minutes")
			case watch && len(args) > 0:
				return usageErrorf("approve: --watch shows all calls; leave out the ID")
			case watch && !c.canAsk():
				return usageErrorf("approve: --watch needs a terminal; `lectern approve` lists the calls that wait")
			case watch:
				return watchApprovals(cmd.Context(), c, "")
			case len(args) == 0:
				return listApprovals(cmd.Context(), c)
			case deny:
				return denyCall(cmd.Context(), c, args[0], reason)
			case edit:
				return editAndAllowCall(cmd.Context(), c, args[0])
			case cmd.Flags().Changed("hunks"):
				return allowHunks(cmd.Context(), c, args[0], hunks)
			}
			return allowCall(cmd.Context(), c, args[0], status.Answer{Scope: approvalScope(session, always, tenMinutes), Within: within})
		},
	}
	cmd.AddCommand(approveShowCommand(c), approveEndCommand(c))
	cmd.Flags().BoolVar(&session, "session", false, "allow this tool and source until the client disconnects")
	cmd.Flags().BoolVar(&always, "always", false, "always allow such calls: add a rule to the configuration")
	cmd.Flags().BoolVar(&deny, "deny", false, "deny the call")
	cmd.Flags().StringVar(&reason, "reason", "", "with --deny: the `REASON`, which the agent sees")
	cmd.Flags().BoolVar(&watch, "watch", false, "show each call as it comes, and ask")
	cmd.Flags().BoolVar(&tenMinutes, "ten-minutes", false, "allow calls like this one for ten minutes")
	cmd.Flags().StringVar(&within, "in", "", "with --ten-minutes: the `PATTERN` of what it covers, such as 'Projects/**' or '**'")
	cmd.Flags().IntSliceVar(&hunks, "hunks", nil, "allow only the hunks with these `NUMBERS`, such as 1,3")
	cmd.Flags().BoolVar(&edit, "edit", false, "edit the text in your editor, and allow that")
	cmd.MarkFlagsMutuallyExclusive("session", "always", "deny", "watch", "ten-minutes", "hunks", "edit")
	return cmd
}

// canAsk reports whether there is a person at a terminal.
func (c console) canAsk() bool { return isTerminal(c.in) && isTerminal(c.out) }

func denyCall(ctx context.Context, c *cli, id, reason string) error {
	a := status.Action{Verb: status.Refuse, Target: id, Answer: &status.Answer{Reason: reason}}
	if err := c.hub().API().Do(ctx, a); err != nil {
		return addStartHubAdvice(err)
	}
	c.printf("%s\n", answerSummary(a))
	return nil
}

// allowCall allows a call that was shown, and says how it ended; another one is
// shown first, and asked about.
func allowCall(ctx context.Context, c *cli, id string, answer status.Answer) error {
	waiting, err := c.pendingApproval(ctx, id)
	switch {
	case err != nil:
		return err
	case !waiting.Shown && c.canAsk():
		return watchApprovals(ctx, c, id)
	case !waiting.Shown:
		return usageErrorf("approve: what %s would change was not shown; run `lectern approve show %s` first", id, id)
	}
	a := status.Action{Verb: status.Allow, Target: id, Answer: &answer}
	if err := c.hub().API().Do(ctx, a); err != nil {
		return addStartHubAdvice(err)
	}
	c.printf("%s\n", answerSummary(a))
	return awaitAndPrintCallEnd(ctx, c, waiting)
}

// awaitAndPrintCallEnd waits for the end of an allowed call and says how it ended.
func awaitAndPrintCallEnd(ctx context.Context, c *cli, allowed status.Approval) error {
	end, err := c.awaitCallEnd(ctx, allowed)
	switch {
	case err != nil:
		return err
	case end == nil:
		c.printf(callStillRunsNotice)
		return nil
	}
	text, err := callEndText(*end)
	if text != "" {
		c.printf("%s\n", text)
	}
	return err
}

const callStillRunsNotice = "the call still runs; `lectern changes` shows what it writes\n"

var errHubEnded = errors.New("the hub ended before it reported the outcome of the call; `lectern changes` shows whether it wrote something")

// hasHubEnded reports whether the hub of a call that was allowed is gone: no hub
// runs, or one that started when the call waited already.
func hasHubEnded(s status.Snapshot, allowed status.Approval) bool {
	return s.Hub.State == status.Stopped || s.Hub.Started.After(allowed.Since)
}

// awaitCallEnd waits for the end of an allowed call; nil: it takes longer.
func (c *cli) awaitCallEnd(ctx context.Context, allowed status.Approval) (*status.CallEnd, error) {
	ctx, cancel := context.WithTimeout(ctx, callEndTimeout)
	defer cancel()
	shots, err := c.hub().API().Watch(ctx)
	if err != nil {
		return nil, err
	}
	for s := range shots {
		i := slices.IndexFunc(s.Outcomes, func(o status.ApprovalOutcome) bool { return o.ID == allowed.ID })
		if i >= 0 && s.Outcomes[i].Call != nil {
			return s.Outcomes[i].Call, nil
		}
		if hasHubEnded(s, allowed) {
			return nil, errHubEnded
		}
	}
	return nil, nil
}

// callEndText says how a call ended that was allowed; an error if it failed.
func callEndText(end status.CallEnd) (string, error) {
	switch {
	case end.AskedAgain:
		return "", errors.New("what the call would change had changed since it was shown, so nothing was changed; the call waits again: " +
			"`lectern approve` lists it")
	case end.Code != "" && len(end.Changes) > 0:
		return "", fmt.Errorf("the call was allowed and failed after it had changed something: %s; the agent was told so. `lectern changes` "+
			"shows what was changed", end.Message)
	case end.Code != "":
		return "", fmt.Errorf("the call was allowed, but nothing was changed: %s; the agent was told so", end.Message)
	case len(end.Changes) == 1:
		return "done; to undo it: lectern undo " + end.Changes[0], nil
	case len(end.Changes) > 1:
		return "done; to undo it: lectern undo " + end.Changes[0] + " (all changes of the call are undone together)", nil
	}
	return "done", nil
}

func approvalScope(session, always, tenMinutes bool) status.Scope {
	switch {
	case tenMinutes:
		return status.Timed
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
	case a.Answer.Edit != nil:
		return "allowed " + a.Target + " with your changes"
	case a.Answer.Scope == status.ForSession:
		return "allowed " + a.Target + " and similar calls until the client disconnects"
	case a.Answer.Scope == status.Timed:
		return "allowed " + a.Target + " and similar calls for ten minutes; to end that: lectern approve end " + a.Target
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
	if !thismachine.HubRunning(snap) {
		c.warnf("no hub is running, so no call waits\n")
		return &exitError{code: exitNoHub}
	}
	c.printValue(append([]status.Approval{}, snap.Approvals...))
	if err := listPermits(c, snap.Permits); err != nil {
		return err
	}
	if len(snap.Approvals) == 0 {
		c.printf("no call waits for approval; `lectern approve --watch` waits for the next one\n")
		return nil
	}
	rows := table{{"ID", "CLIENT", "SOURCE", "TOOL", "CHANGES", "LINES", "TIME LEFT", "REASON"}}
	for _, a := range snap.Approvals {
		rows.add(
			a.ID, status.ClientLabel(a.Client, a.Proven), a.Source, a.Tool, describeApprovalTargets(a), formatLineChanges(a.Added, a.Removed),
			a.Until.Sub(c.Now()).Round(time.Second).String(), shortReason(a.Reason),
		)
	}
	if err := c.printTable(rows); err != nil {
		return err
	}
	id := snap.Approvals[0].ID
	c.printf("\nto see what a call would change: lectern approve show %s\nthen: lectern approve %s, or lectern approve --deny %s "+
		"--reason '…'\n", id, id, id)
	return nil
}

func describeApprovalTargets(a status.Approval) string {
	switch {
	case len(a.Targets) == 0:
		return "(unknown)"
	case a.Move != nil:
		return a.Move.Describe(func(name string) string { return name })
	case len(a.Targets)+a.More == 1:
		return a.Targets[0]
	}
	return fmt.Sprintf("%s and %d more", a.Targets[0], len(a.Targets)+a.More-1)
}
