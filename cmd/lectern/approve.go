package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/status"
)

func approveCommand(w *world) *cobra.Command {
	var session, always, deny, watch bool
	var reason string
	c := &cobra.Command{
		Use:   "approve [ID]",
		Short: "List the calls that wait for your yes, and answer them",
		Long: "Without an ID: list the calls of agents that wait for your yes; with --watch show\n" +
			"each as it comes, with what it would change, and ask. With an ID: say yes to that\n" +
			"call, or with --deny no. The first answer counts, wherever it is given.",
		Example: "  lectern approve\n  lectern approve k3v9q2xw --session\n  lectern approve --deny k3v9q2xw --reason 'not the journal'",
		Args:    needs(0, 1, "at most the ID of a call"),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && (session || always || deny):
				return usagef("approve: which call? `lectern approve` lists those that wait")
			case reason != "" && !deny:
				return usagef("approve: --reason goes with --deny")
			case watch && len(args) > 0:
				return usagef("approve: --watch shows all calls; leave the ID out")
			case watch:
				return w.watchApprovals(c.Context())
			case len(args) == 0:
				return w.listApprovals(c.Context())
			}
			a := status.Action{Verb: status.Allow, Target: args[0], Answer: &status.Answer{Scope: scopeOf(session, always)}}
			if deny {
				a = status.Action{Verb: status.Refuse, Target: args[0], Answer: &status.Answer{Reason: reason}}
			}
			if err := w.client(nil).Do(c.Context(), a); err != nil {
				return noHub(err)
			}
			w.say("%s\n", answered(a))
			return nil
		},
	}
	c.Flags().BoolVar(&session, "session", false, "say yes to this tool and source until the client leaves")
	c.Flags().BoolVar(&always, "always", false, "say yes for good: write a rule into the configuration")
	c.Flags().BoolVar(&deny, "deny", false, "say no")
	c.Flags().StringVar(&reason, "reason", "", "with --deny: why; the agent reads it")
	c.Flags().BoolVar(&watch, "watch", false, "show each call as it comes, and ask")
	c.MarkFlagsMutuallyExclusive("session", "always", "deny", "watch")
	return c
}

func scopeOf(session, always bool) status.Scope {
	switch {
	case session:
		return status.ForSession
	case always:
		return status.Always
	}
	return status.Once
}

func answered(a status.Action) string {
	switch {
	case a.Verb == status.Refuse:
		return "refused " + a.Target
	case a.Answer.Scope == status.ForSession:
		return "allowed " + a.Target + ", and its like until the client leaves"
	case a.Answer.Scope == status.Always:
		return "allowed " + a.Target + ", and its like from now on; `lectern grants` shows the rule"
	}
	return "allowed " + a.Target + " once"
}

func (w *world) listApprovals(ctx context.Context) error {
	snap, err := w.snapshot(ctx)
	if err != nil {
		return err
	}
	if !runs(snap) {
		w.note("no hub runs, so no call waits\n")
		return &exitError{code: exitNoHub}
	}
	if len(snap.Approvals) == 0 {
		w.say("no call waits\n")
		return nil
	}
	t := newTable(w.out)
	t.row("ID", "CLIENT", "SOURCE", "TOOL", "CHANGES", "LEFT", "")
	for _, a := range snap.Approvals {
		t.row(a.ID, claimed(a), a.Source, a.Tool, changesOf(a), a.Until.Sub(w.now()).Round(time.Second).String(), saysWhy(a.Reason))
	}
	return t.Flush()
}

func claimed(a status.Approval) string {
	switch {
	case a.Client == "":
		return "(no name)"
	case a.Proven:
		return a.Client
	}
	return a.Client + "?" // a claim
}

func changesOf(a status.Approval) string {
	switch {
	case len(a.Targets) == 0:
		return "(not known)"
	case len(a.Targets)+a.More == 1:
		return a.Targets[0]
	}
	return fmt.Sprintf("%s and %d more", a.Targets[0], len(a.Targets)+a.More-1)
}
