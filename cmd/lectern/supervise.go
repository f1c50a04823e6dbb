package main

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

func superviseCommand(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "supervise",
		Short: "Keep the hub running, without a screen",
		Long: "Keep the hub running, without a screen: for systemd, launchd or a login item. A hub\n" +
			"that ends is started again, later each time; one that ends five times in a minute\n" +
			"is left alone, and what it said last is shown.",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			log := slog.New(slog.NewTextHandler(w.err, nil)) // its journal is whoever runs it
			if err := daemon.Supervise(c.Context(), w.connecting(log)); c.Context().Err() == nil {
				return err
			}
			return nil // told to end
		},
	}
}
