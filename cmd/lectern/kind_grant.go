package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/configedit"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// kindCommandGrantFlags are the grant that a command of a System makes: see
// [tools.CommandGrant].
type kindCommandGrantFlags struct {
	confirmFlags
	may, ask []string
	flags    interface{ Changed(name string) bool }
}

func (f *kindCommandGrantFlags) register(cmd *cobra.Command, grant tools.CommandGrant) {
	cmd.Flags().StringSliceVar(&f.may, "may", effectNames(grant.Effects), "the `EFFECTS` that you grant in this source")
	cmd.Flags().StringSliceVar(&f.ask, "ask", nil, "the `EFFECTS` among these that need your approval each time")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "make the grant without asking")
	f.flags = cmd.Flags()
}

// confirmAndGrantClient shows and makes the grant of a client of the source's own, unless it has
// one and the person says nothing else. takeBack removes what it added.
func (k kindCommand) confirmAndGrantClient(ctx context.Context, client, source string) (takeBack func() error, err error) {
	takeBack = func() error { return nil }
	conf, err := k.Config()
	if err != nil {
		return takeBack, err
	}
	had := hasGrant(conf, client, source)
	if had && !k.grant.flags.Changed("may") && !k.grant.flags.Changed("ask") {
		return takeBack, nil
	}
	grant := status.Grant{Client: client, Source: source, Effects: slices.Clone(k.grant.may), Ask: k.grant.ask}
	action := status.Action{Verb: status.SetGrant, Grant: &grant}
	proposal, err := k.configEditor().Propose(action)
	if err != nil || !proposal.Edit.HasChanges() {
		return takeBack, err
	}
	title := func(p configedit.Proposal) string { return p.Plan.Title }
	done, err := k.confirmAndApplyPlan(ctx, proposal.Plan, k.grant.confirmFlags, func(ctx context.Context) error {
		return k.editConfig(ctx, action, false, title)
	})
	switch {
	case err != nil:
		return takeBack, err
	case !done:
		return takeBack, errors.New("nothing was changed")
	case !had:
		takeBack = func() error {
			reset := status.Grant{Client: client, Source: source, Reset: true}
			return k.editConfig(ctx, status.Action{Verb: status.SetGrant, Grant: &reset}, false, title)
		}
	}
	return takeBack, nil
}
