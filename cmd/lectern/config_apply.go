package main

import (
	"context"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/configedit"
	"github.com/lectern-mcp/lectern/status"
)

// editConfig makes the edit that an action asks for; with dryRun it only shows
// the plan. describe says in a line what was done; a proposal without changes
// says it was done already. A running hub applies the edit.
func (c *cli) editConfig(ctx context.Context, a status.Action, dryRun bool, describe func(configedit.Proposal) string) error {
	if dryRun {
		p, err := c.configEditor().Propose(a)
		if err == nil {
			c.printPlan(p.Plan)
		}
		return err
	}
	p, err := c.configEditor().ApplyAction(ctx, a)
	if err != nil {
		return err
	}
	c.printf("%s\n", describe(p))
	if !p.Edit.HasChanges() {
		return nil
	}
	c.printRisks(p.Plan.Risks)
	return c.hub().Reload(ctx)
}
