package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/installer"
)

func serviceCommand(c *cli) *cobra.Command {
	p := c.planner()
	return newParentCommand(&cobra.Command{Use: "service", Short: "Start the hub at login: a systemd unit, a launchd agent or a Run key"},
		c.newProposalCommand(&cobra.Command{
			Use:   "install",
			Short: "Run the hub from now on, and start it at login",
			Long: "Run `lectern supervise` from now on, and whenever you log in. Without the service the\n" +
				"hub starts when the first client needs it, which is enough for most people.",
			Args: rejectArguments,
		}, func(ctx context.Context, _ []string) (*installer.Proposal, error) {
			return p.ProposeInstallService(ctx)
		}),
		c.newProposalCommand(&cobra.Command{
			Use: "remove", Short: "Stop the service and do not start it again", Args: rejectArguments,
		}, func(ctx context.Context, _ []string) (*installer.Proposal, error) { return p.ProposeRemoveService(ctx) }),
		&cobra.Command{
			Use:   "status",
			Short: "Show the service's status",
			Args:  rejectArguments,
			RunE: func(cmd *cobra.Command, _ []string) error {
				state, where, err := p.Machine().ServiceState(cmd.Context(), p.Service())
				if err != nil {
					return err
				}
				c.printf("service %s (%s)\n", state, where)
				return nil
			},
		})
}
