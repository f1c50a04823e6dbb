package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/status"
)

// confirmFlags say whether a plan is applied without asking, or only shown.
type confirmFlags struct{ yes, dryRun bool }

func (f *confirmFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.yes, "yes", false, "apply the changes without asking")
	addDryRunFlag(cmd, &f.dryRun)
}

// acceptYes lets every command take --yes, so that a script need not know which of them ask.
// Where a command asks, its own flag stands before this one. Whether an agent's call is
// allowed is no question that it answers.
func acceptYes(root *cobra.Command) {
	root.PersistentFlags().Bool("yes", false, "ask nothing")
	if err := root.PersistentFlags().MarkHidden("yes"); err != nil {
		panic(err) // the flag was just defined
	}
}

func addDryRunFlag(cmd *cobra.Command, dryRun *bool) {
	cmd.Flags().BoolVar(dryRun, "dry-run", false, "show the changes and do not apply them")
}

var errNoTerminal = errors.New("cannot ask for confirmation: no terminal; use --yes to go ahead, or --dry-run to see the changes")

// confirmAndApplyPlan shows a plan, asks, and applies it. done is false when it was only
// to be shown.
func (c console) confirmAndApplyPlan(ctx context.Context, p status.Plan, f confirmFlags, apply func(context.Context) error) (done bool,
	err error,
) {
	c.printPlan(p)
	if f.dryRun {
		return false, nil
	}
	if !f.yes {
		ok, err := c.confirm("Apply these changes?")
		if err != nil {
			return false, err
		}
		if !ok {
			return false, &exitError{exitDenied, errors.New("nothing was changed")}
		}
	}
	if err := apply(ctx); err != nil {
		return false, err
	}
	c.printf("done\n")
	return true, nil
}

// confirm asks a question; every answer but yes is no.
func (c console) confirm(question string) (bool, error) {
	if !isTerminal(c.in) || !isTerminal(c.out) || c.json.on {
		return false, &exitError{exitUsage, errNoTerminal}
	}
	c.printf("%s [y/N] ", question)
	answer, err := readLine(c.in)
	if err != nil {
		return false, fmt.Errorf("read answer: %w", err)
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}

type proposeFunc func(ctx context.Context, args []string) (*installer.Proposal, error)

// newProposalCommand completes a command that shows what propose proposes, asks,
// and applies it.
func (c console) newProposalCommand(cmd *cobra.Command, propose proposeFunc) *cobra.Command {
	var f confirmFlags
	f.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := propose(cmd.Context(), args)
		if err != nil {
			return err
		}
		if !p.Changes() {
			c.printRisks(p.Plan.Risks)
			if p.Message != "" {
				c.printf("%s; nothing to do\n", p.Message)
			}
			return nil
		}
		done, err := c.confirmAndApplyPlan(cmd.Context(), p.Plan, f, p.Apply)
		if done {
			for _, next := range p.NextSteps {
				c.printf("next: %s\n", next)
			}
		}
		return err
	}
	return cmd
}
