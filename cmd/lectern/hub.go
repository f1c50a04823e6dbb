package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/hubproc"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

func hubCommand(c *cli) *cobra.Command {
	var detached, verbose bool
	var source string
	cmd := &cobra.Command{
		Use:   "hub",
		Short: "Run the hub, or start, stop, restart and show the one in the background",
		Long: "The hub owns the sources and serves every agent of this user; there is only one.\n" +
			"Without a subcommand it runs in this terminal until interrupted. Usually this is not\n" +
			"necessary: `lectern` and `lectern serve` start the hub when it is not running.\n" +
			"With --source it serves that source only; a hub that is running must be stopped first.",
		Args: rejectArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if source != "" {
				if err := c.checkSourceNames(source); err != nil {
					return err
				}
			}
			level := slog.LevelInfo
			if verbose {
				level = slog.LevelDebug
			}
			if !detached {
				c.warnf("hub: logging to %s; press Ctrl+C to stop\n", c.Paths.Log())
			}
			ctx, cancel := contextUntilHangUp(cmd.Context())
			defer cancel()
			return runHub(ctx, c, level, source)
		},
	}
	cmd.Flags().BoolVar(&detached, "detached", false, "started by Lectern itself, without a terminal")
	cmd.Flags().BoolVar(&verbose, "verbose", false, "log debug messages")
	cmd.Flags().StringVar(&source, "source", "", "serve this source only")
	if err := cmd.Flags().MarkHidden("detached"); err != nil {
		panic(err) // it is defined above
	}
	cmd.AddCommand(
		disconnectCommand(c), cancelCommand(c),
		&cobra.Command{
			Use: "start", Short: "Start the hub in the background, if none is running", Args: rejectArguments,
			RunE: func(cmd *cobra.Command, _ []string) error { return ensureHub(cmd.Context(), c) },
		},
		&cobra.Command{
			Use: "stop", Short: "Stop the hub; calls in flight are finished first", Args: rejectArguments,
			RunE: func(cmd *cobra.Command, _ []string) error { return stopHub(cmd.Context(), c) },
		},
		&cobra.Command{
			Use: "restart", Short: "Restart the hub; agents stay connected", Args: rejectArguments,
			RunE: func(cmd *cobra.Command, _ []string) error { return restartHub(cmd.Context(), c) },
		},
		&cobra.Command{
			Use: "status", Short: "Show whether the hub is running, which build, and its load", Args: rejectArguments,
			RunE: func(cmd *cobra.Command, _ []string) error { return showHub(cmd.Context(), c) },
		},
	)
	return cmd
}

// hubGCPercent is GOGC in a hub: with 100, searches of a large vault leave 50 MB more (docs/adr/0117).
const hubGCPercent = 50

// runHub runs the hub in this process. Exit statuses from 64 on are for its
// supervisor: see sysexits(3).
func runHub(ctx context.Context, c *cli, level slog.Leveler, source string) error {
	if c.Getenv("GOGC") == "" {
		debug.SetGCPercent(hubGCPercent)
	}
	err := hubproc.Run(ctx, hubproc.Config{App: c.App, Level: level, Only: source, Check: c.newDoctor().Check})
	_, otherHub := errors.AsType[*daemon.OtherHubError](err)
	switch {
	case otherHub:
		return &exitError{exitUnavailable, err}
	case errors.Is(err, daemon.ErrRestart):
		return &exitError{exitTempFail, err}
	case errors.Is(err, daemon.ErrRunning):
		return fmt.Errorf("%w; `lectern hub status` shows it, `lectern hub stop` stops it", err)
	}
	return err
}

func stopHub(ctx context.Context, c *cli) error {
	ctx, cancel := context.WithTimeout(ctx, thismachine.HubStopTimeout)
	defer cancel()
	stopped, err := daemon.StopHubAndWait(ctx, c.Paths.Daemon(), daemon.StopRequest{})
	if err != nil {
		return addStartHubAdvice(err)
	}
	c.printf("hub stopped\n")
	printWaited(c, stopped, daemon.AskedAgainWithinAMinute)
	return nil
}

// printWaited says what became of the calls that waited for a person.
func printWaited(c *cli, stopped daemon.Health, then string) {
	if stopped.Waiting > 0 {
		c.printf("%s waited for an answer: nothing was written, and %s\n", english.Plural(stopped.Waiting, "call", ""), then)
	}
}

func restartHub(ctx context.Context, c *cli) error {
	stopping, cancel := context.WithTimeout(ctx, thismachine.HubStopTimeout)
	defer cancel()
	stopped, err := daemon.StopHubAndWait(stopping, c.Paths.Daemon(), daemon.StopRequest{Restart: true})
	if err != nil && !errors.Is(err, daemon.ErrNoHub) {
		return err
	}
	printWaited(c, stopped, daemon.AskedAgain)
	return ensureHub(ctx, c)
}

// ensureHub finds the hub or starts it.
func ensureHub(ctx context.Context, c *cli) error {
	conn, welcome, err := c.connectToHub(ctx)
	if err != nil {
		return err
	}
	c.printf("hub is running: version %s, pid %d\n", welcome.Version, welcome.PID)
	return conn.Close()
}

func showHub(ctx context.Context, c *cli) error {
	v, err := daemon.GetHealth(ctx, c.Paths.Daemon())
	if err != nil {
		return addStartHubAdvice(err)
	}
	c.printValue(v)
	c.printf("hub is running: version %s, build %s, pid %d, %s, %s in flight\n",
		v.Version, v.Build, v.PID, english.Plural(v.Sessions, "session", ""), english.Plural(v.InFlight, "call", ""))
	if v.Waiting > 0 {
		c.printf("%s waiting for an answer: `lectern approve` shows them\n", english.Plural(v.Waiting, "call", ""))
	}
	switch {
	case v.ShuttingDown:
		c.printf("it is shutting down\n")
	case v.Successor != nil:
		c.printf("version %s takes over as soon as no call is in flight\n", v.Successor.Version)
	}
	return nil
}
