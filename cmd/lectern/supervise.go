package main

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

func superviseCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "supervise",
		Short: "Keep the hub running, without the panel",
		Long: "Keep the hub running, without the panel: for systemd, launchd or a login item. A hub\n" +
			"that exits is restarted after increasing delays. If it exits five times within a\n" +
			"minute, it is not restarted, and its last output is shown.",
		Args: rejectArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := slog.New(slog.NewTextHandler(c.err, nil)) // systemd and launchd keep it
			ctx, cancel := contextUntilHangUp(cmd.Context())
			defer cancel()
			if err := daemon.Supervise(ctx, c.HubConnectConfig(log)); ctx.Err() == nil {
				return err
			}
			return nil // told to end
		},
	}
}
