package main

import (
	"github.com/spf13/cobra"
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
	var agreed agreement
	c := &cobra.Command{
		Use:   "install",
		Short: "Run the hub from now on, and from login on",
		Long: "Run `lectern supervise` from now on, and whenever you log in. Without it the hub\n" +
			"starts when the first client asks for it, which is enough for most people.",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			p, err := w.machine().InstallService(c.Context(), w.service())
			if err != nil {
				return err
			}
			return w.carry(c.Context(), p, agreed)
		},
	}
	agreed.flags(c)
	return c
}

func serviceRemoveCommand(w *world) *cobra.Command {
	var agreed agreement
	c := &cobra.Command{
		Use:   "remove",
		Short: "Stop the service and do not start it again",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			p, err := w.machine().RemoveService(c.Context(), w.service())
			if err != nil {
				return err
			}
			return w.carry(c.Context(), p, agreed)
		},
	}
	agreed.flags(c)
	return c
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
