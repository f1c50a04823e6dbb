package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/configedit"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/install"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
	"github.com/lectern-mcp/lectern/tools/all"
)

// A cli is what the commands are made from, so that none of them touches the
// process itself.
type cli struct {
	*app.App
	console
}

func newCLI(stdin io.Reader, stdout, stderr io.Writer, environ []string) (*cli, error) {
	a := &app.App{
		Environ: environ, Now: time.Now, Version: lecternVersion, Revision: thisBuild().Revision,
		Systems: sync.OnceValue(all.Systems), Environment: all.Environment, Plugin: plugin.Files(),
	}
	a.Started = sync.OnceValue(a.BuildInfo)
	var err error
	if a.Exe, err = os.Executable(); err != nil {
		return nil, fmt.Errorf("find own binary: %w", err)
	}
	if a.Home, err = os.UserHomeDir(); err != nil {
		a.Home = "" // LECTERN_HOME can replace it
	}
	if a.Paths.Paths, err = config.PathsFor(a.Getenv, runtime.GOOS, a.Home); err != nil {
		return nil, fmt.Errorf("find folders: %w", err)
	}
	return &cli{a, console{in: stdin, out: stdout, err: stderr, getenv: a.Getenv, json: &jsonOutput{}, lost: new(atomic.Pointer[error])}}, nil
}

func (c *cli) hub() thismachine.HubClient      { return thismachine.HubClient{App: c.App} }
func (c *cli) planner() install.Planner        { return install.Planner{App: c.App} }
func (c *cli) configEditor() configedit.Editor { return configedit.Editor{App: c.App} }

// connectToHub finds the hub or starts it. While the connection is open the hub does
// not exit for being idle.
func (c *cli) connectToHub(ctx context.Context) (io.Closer, daemon.HelloAnswer, error) {
	return daemon.Connect(ctx, c.HubConnectConfig(c.stderrLog()))
}

// stderrLog is for processes whose stderr a person or a client may read: only
// warnings and errors.
func (c *cli) stderrLog() *slog.Logger {
	return slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
