package thismachine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/supervisor"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// NewUpdateConfig says what an update of this binary replaces, and how the hub is
// restarted afterwards.
func NewUpdateConfig(a *app.App, conf config.Update, log *slog.Logger) update.Config {
	r := &hubRestart{HubClient: HubClient{App: a}, log: log}
	return update.Config{
		Mirror: conf.Mirror, Pin: conf.Pin, Version: a.Version, OS: runtime.GOOS, Arch: runtime.GOARCH,
		Target: a.Exe, State: a.Paths.State, Restart: r.restart, Healthy: r.waitHealthy, Now: a.Now,
	}
}

// A hubRestart makes the hub, if one runs, a hub of the installed binary.
type hubRestart struct {
	HubClient

	log    *slog.Logger
	wasRun bool // a hub ran before
}

// HubStopTimeout is how long a person waits for a hub to exit: it finishes the
// calls in flight first.
const HubStopTimeout = 20 * time.Second

// restart lets the hub finish its calls and exit, and starts the next. Agents
// wait meanwhile: their `lectern serve` connects to the new hub.
func (r *hubRestart) restart(ctx context.Context, version string) error {
	stopping, cancel := context.WithTimeout(ctx, HubStopTimeout)
	defer cancel()
	_, err := daemon.StopHubAndWait(stopping, r.Paths.Daemon(), daemon.StopRequest{Restart: true})
	if err != nil && !errors.Is(err, daemon.ErrNoHub) {
		return fmt.Errorf("stop the hub: %w", err)
	}
	if r.wasRun = r.wasRun || err == nil; !r.wasRun {
		return nil
	}
	to := r.HubConnectConfig(r.log)
	to.Self, to.Stale = r.BuildInfo(), nil // the new hub is another build than this process
	to.Self.Version = version
	conn, _, err := daemon.Connect(ctx, to)
	if err != nil {
		return err
	}
	return conn.Close()
}

// healthyPollInterval is how often a new hub is asked for its snapshot.
const healthyPollInterval = 100 * time.Millisecond

func (r *hubRestart) waitHealthy(ctx context.Context, version string) error {
	if !r.wasRun {
		return nil
	}
	return supervisor.Poll(ctx, healthyPollInterval, func() (bool, error) {
		snap, err := r.Snapshot(ctx)
		return err == nil && HubRunning(snap) && snap.Hub.Version == version, nil
	})
}

// mayCheckForUpdate reports whether the person lets us use the network for this.
func mayCheckForUpdate(a *app.App, conf config.Update) bool {
	isSet := func(name string) bool {
		value := a.Getenv(name)
		return value != "" && value != "0" && value != "false"
	}
	return conf.Check && !isSet("LECTERN_NO_UPDATE_CHECK") && !isSet("DO_NOT_TRACK")
}
