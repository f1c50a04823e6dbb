package daemon

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
)

// Supervise keeps a hub running until ctx ends: as a child of its own, or,
// while a hub runs that was started elsewhere, by waiting for that to end. It
// returns nil when the hub was asked to stop, and a *supervisor.ExitError when
// starting it again is useless.
//
// c.Command must exit with 75 when Run returns ErrRestart, and give Run the
// lifeline that it finds in its environment (supervisor.WatchLifeline).
func Supervise(ctx context.Context, c ConnectConfig) (err error) {
	if err := c.Paths.prepare(); err != nil {
		return err
	}
	out, _, err := openOutput(c.Paths.Output())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	hub := supervisor.NewProcess(supervisor.ProcessConfig{
		Name: "hub", Command: c.Command, Dir: c.Paths.State, Env: c.hubEnv(), Output: out,
		Before: c.awaitNoHub, Ready: c.checkHealth, Live: c.checkHealth,
		Stop: func(ctx context.Context) error {
			_, err := requestHub(ctx, c.Paths, "POST", hubStopPath, []byte("{}"))
			return err
		},
		Report: c.logReport, Log: c.Log, Now: c.Now,
	})
	return hub.Run(ctx)
}

// adoptedPollInterval is how often a hub that is not our child is checked.
const adoptedPollInterval = time.Second

// awaitNoHub waits until no hub is running.
func (c *ConnectConfig) awaitNoHub(ctx context.Context) error {
	adopted := false
	return supervisor.Poll(ctx, adoptedPollInterval, func() (bool, error) {
		held, err := isLockHeld(c.Paths.hubLock())
		if held && !adopted {
			c.Log.Info("a hub runs already; waiting until it ends")
			adopted = true
		}
		return !held, err
	})
}

func (c *ConnectConfig) checkHealth(ctx context.Context) error {
	_, err := requestHealth(ctx, c.Paths)
	return err
}

// logReport logs what a person needs to know, as no panel is open here.
func (c *ConnectConfig) logReport(r supervisor.Report) {
	switch r.State {
	case status.CrashLoop:
		c.Log.Error("the hub is in a crash loop", "exit", r.Note, "next_try", r.Next, "stderr", strings.Join(r.Stderr, "\n"))
	case status.Failed:
		c.Log.Warn("the hub ended", "exit", r.Note)
	default:
		c.Log.Info("the hub's state changed", "state", string(r.State), "note", r.Note, "pid", r.PID)
	}
}
