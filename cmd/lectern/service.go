package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/installer"
)

func serviceCommand(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "service",
		Short: "Run the hub from login on: a systemd unit, a launchd agent, a Run key",
		Args:  noArguments,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(serviceInstallCommand(w), serviceRemoveCommand(w), serviceStatusCommand(w))
	return c
}

func serviceInstallCommand(w *world) *cobra.Command {
	return w.planned(&cobra.Command{
		Use:   "install",
		Short: "Run the hub from now on, and from login on",
		Long: "Run `lectern supervise` from now on, and whenever you log in. Without it the hub\n" +
			"starts when the first client asks for it, which is enough for most people.",
		Args: noArguments,
	}, func(ctx context.Context, _ []string) (*installer.Proposal, error) {
		return w.machine().InstallService(ctx, w.service())
	})
}

func serviceRemoveCommand(w *world) *cobra.Command {
	return w.planned(&cobra.Command{
		Use:   "remove",
		Short: "Stop the service and do not start it again",
		Args:  noArguments,
	}, func(ctx context.Context, _ []string) (*installer.Proposal, error) {
		return w.machine().RemoveService(ctx, w.service())
	})
}

func serviceStatusCommand(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Say how the service is",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			state, where, err := w.machine().ServiceState(c.Context(), w.service())
			if err != nil {
				return err
			}
			w.say("service %s (%s)\n", line(state), line(where))
			return nil
		},
	}
}
