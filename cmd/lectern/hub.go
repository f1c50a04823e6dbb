package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// stopWithin is how long a person waits for a hub to be gone: it finishes the
// calls in flight first.
const stopWithin = 20 * time.Second

func hubCommand(w *world) *cobra.Command {
	var detached, verbose bool
	c := &cobra.Command{
		Use:   "hub",
		Short: "Run the hub here, or stop, restart and ask the one that runs",
		Long: "The hub owns the sources and serves every agent of this user; there is one.\n" +
			"Without a subcommand it runs in this terminal until interrupted. Usually nobody\n" +
			"needs to: `lectern` and `lectern serve` start it when it is missing.",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			level := slog.LevelInfo
			if verbose {
				level = slog.LevelDebug
			}
			return w.hub(c.Context(), level, detached)
		},
	}
	c.Flags().BoolVar(&detached, "detached", false, "started by Lectern itself, for nobody's terminal")
	c.Flags().BoolVar(&verbose, "verbose", false, "log what is of use when something is wrong")
	if err := c.Flags().MarkHidden("detached"); err != nil {
		panic(err) // it is defined three lines above
	}
	c.AddCommand(
		&cobra.Command{Use: "stop", Short: "Stop the hub; calls in flight are finished first", Args: noArguments, RunE: w.hubStop},
		&cobra.Command{Use: "restart", Short: "Restart the hub; agents stay connected", Args: noArguments, RunE: w.hubRestart},
		&cobra.Command{Use: "status", Short: "Say whether the hub runs, which build, and who uses it", Args: noArguments, RunE: w.hubStatus},
	)
	return c
}

// hub runs the hub in this process. Exit statuses from 64 on are for whoever
// supervises it: see sysexits(3).
func (w *world) hub(ctx context.Context, level slog.Leveler, detached bool) error {
	if !detached {
		w.note("hub: logs are in %s; interrupt to stop\n", w.logFile())
	}
	err := w.runHub(ctx, level)
	switch {
	case errors.Is(err, daemon.ErrAgain):
		return &exitError{exitAgain, err}
	case errors.Is(err, daemon.ErrRunning):
		return fmt.Errorf("%w; `lectern hub status` tells which, `lectern hub stop` stops it", err)
	}
	return err
}

func (w *world) hubStop(c *cobra.Command, _ []string) error {
	ctx, cancel := context.WithTimeout(c.Context(), stopWithin)
	defer cancel()
	if err := daemon.Stop(ctx, w.hubPaths(), daemon.StopRequest{}); err != nil {
		return noHub(err)
	}
	w.say("hub stopped\n")
	return nil
}

func (w *world) hubRestart(c *cobra.Command, _ []string) error {
	ctx, cancel := context.WithTimeout(c.Context(), stopWithin)
	defer cancel()
	if err := daemon.Stop(ctx, w.hubPaths(), daemon.StopRequest{Again: true}); err != nil && !errors.Is(err, daemon.ErrNoHub) {
		return err
	}
	conn, welcome, err := daemon.Connect(c.Context(), w.connecting(w.stderrLog()))
	if err != nil {
		return err
	}
	w.say("hub runs: version %s, pid %d\n", welcome.Version, welcome.PID)
	return conn.Close()
}

func (w *world) hubStatus(c *cobra.Command, _ []string) error {
	v, err := daemon.Ask(c.Context(), w.hubPaths())
	if err != nil {
		return noHub(err)
	}
	w.say("hub runs: version %s, build %s, pid %d, %s, %s in flight\n",
		v.Version, v.Build, v.PID, count(v.Sessions, "session"), count(v.InFlight, "call"))
	switch {
	case v.Leaving:
		w.say("it is leaving\n")
	case v.Next != nil:
		w.say("version %s takes over as soon as no call is in flight\n", v.Next.Version)
	}
	return nil
}

// noHub says what to do when there is no hub.
func noHub(err error) error {
	if errors.Is(err, daemon.ErrNoHub) {
		return fmt.Errorf("%w; `lectern` or `lectern hub restart` starts one", err)
	}
	return err
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
