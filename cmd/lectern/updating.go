package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// updating is what `lectern self-update` works on: this binary and its hub. A
// broken configuration is an error: its mirror and its pin are not known.
func (w *world) updating() (update.Config, error) {
	conf, err := w.config()
	if err != nil {
		return update.Config{}, fmt.Errorf("update lectern: %w", err)
	}
	return w.updateConfig(conf.Update, w.stderrLog()), nil
}

func (w *world) updateConfig(conf config.Update, log *slog.Logger) update.Config {
	r := &renewal{world: w, log: log}
	return update.Config{
		Mirror: conf.Mirror, Pin: conf.Pin, Version: lecternVersion, OS: runtime.GOOS, Arch: runtime.GOARCH,
		Target: w.exe, State: w.places.State, Restart: r.restart, Healthy: r.healthy, Now: w.now,
	}
}

// A renewal makes the hub, if one runs, one of the binary that is installed.
type renewal struct {
	*world
	log    *slog.Logger
	wanted bool // a hub ran when it began
}

// restart lets the hub finish its calls and leave, and starts the next. Agents
// wait meanwhile: their `lectern serve` connects to whatever comes.
func (r *renewal) restart(ctx context.Context, version string) error {
	leaving, cancel := context.WithTimeout(ctx, stopWithin)
	defer cancel()
	err := daemon.Stop(leaving, r.hubPaths(), daemon.StopRequest{Again: true})
	if err != nil && !errors.Is(err, daemon.ErrNoHub) {
		return fmt.Errorf("stop the hub: %w", err)
	}
	if r.wanted = r.wanted || err == nil; !r.wanted {
		return nil
	}
	to := r.connecting(r.log)
	to.Stamp, to.Stale = r.stamp(), nil // what is started is not this process's build
	to.Stamp.Version = version
	conn, _, err := daemon.Connect(ctx, to)
	if err != nil {
		return err
	}
	return conn.Close()
}

// healthyEvery is how often a new hub is asked how it is.
const healthyEvery = 100 * time.Millisecond

func (r *renewal) healthy(ctx context.Context, version string) error {
	if !r.wanted {
		return nil
	}
	tick := time.NewTicker(healthyEvery)
	defer tick.Stop()
	for {
		snap, err := r.snapshot(ctx)
		if err == nil && runs(snap) && snap.Hub.Version == version {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// mayNotice says whether the network may be asked for a new version although
// nobody said so.
func (w *world) mayNotice(conf config.Update) bool {
	return conf.Check && !isSet(w.env("LECTERN_NO_UPDATE_CHECK")) && !isSet(w.env("DO_NOT_TRACK"))
}

func isSet(value string) bool { return value != "" && value != "0" && value != "false" }
