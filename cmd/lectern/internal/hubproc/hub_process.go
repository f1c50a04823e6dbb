// Package hubproc is the hub process: it makes the hub, the journal, the bridge
// to plugins and the audit trail from the configuration, serves them on the
// control socket and over HTTP, and answers what people ask of a running hub.
// How calls are passed on is hub's; locks, sockets and handing over to another
// build are supervisor/daemon's. Only the commands import it.
//
// Start reading at [Run], then actions.go.
package hubproc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/discover"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/doctor"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/install"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/internal/logs"
	"github.com/lectern-mcp/lectern/internal/pauses"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
	"github.com/lectern-mcp/lectern/tools"
)

// Config is what a hub process is made of. All fields but Only are required.
type Config struct {
	*app.App

	Level slog.Leveler // of the log
	// Only is the source to serve; empty: all. An unknown one is an error.
	Only string
	// Check runs the doctor's checks whose names begin with prefix.
	Check func(ctx context.Context, prefix string) (<-chan status.Check, error)
}

// A hubProcess is the hub and what its process puts around it: log, status,
// configuration, HTTP.
type hubProcess struct {
	Config

	hub     *hub.Hub
	state   *supervisor.SnapshotStore
	logs    *logs.Log
	log     *slog.Logger
	web     webServer
	remote  webServer // the second listener
	plugins *pluginBridge
	journal *journal.Journal
	pinned  atomic.Bool
	seen    *app.SeenClients
	audit   atomic.Pointer[audit.Trail] // nil: it could not be opened
	// notified is when the last desktop notification of a pending approval was shown.
	notified atomic.Pointer[time.Time]

	mu      sync.Mutex // one reload at a time
	conf    config.Config
	applied fileStamp // of the file as it was read last
}

// newHubOfThisProcess opens the log and reads the configuration. A broken
// configuration is a problem on the panel and not an error: until the file is
// fixed the hub serves nothing and listens on no port, because it cannot know
// what the file was meant to forbid.
func newHubOfThisProcess(c Config) (*hubProcess, error) {
	if err := os.MkdirAll(c.Paths.State, 0o700); err != nil {
		return nil, fmt.Errorf("open hub: %w; make the folder writable for you, or set LECTERN_HOME to a folder that is", err)
	}
	log, err := logs.New(logs.Options{
		File: c.Paths.Log(), Level: c.Level, Now: c.Now,
		Escape: func(s string) string { return string(safetext.Line(s)) },
	})
	if err != nil {
		return nil, fmt.Errorf("%w; a hub does not run without a log: fix this, or move the file away", err)
	}
	h := &hubProcess{Config: c, logs: log, log: slog.New(log), state: supervisor.NewSnapshotStore(c.Now)}
	h.seen = app.NewSeenClients(c.Paths.SeenClients(), c.Now)
	h.applied = readFileStamp(c.Paths.File())
	conf, err := c.App.Config()
	if err != nil {
		conf = config.Default(c.Paths.File(), c.ConfigSchema())
		conf.Hub.HTTP = false
		h.reportBrokenConfig(err)
	}
	h.refreshConfigModeProblem()
	h.conf = conf
	h.plugins = h.newPluginBridge(conf)
	h.journal = newJournal(c.App, conf, h.log)
	hubConfig := newHubConfig(c.App, conf, h.journal, h.log)
	hubConfig.VerifyClient, hubConfig.OnApproval, hubConfig.State, hubConfig.Bridge = provenClient, h.notifyDesktop, h.state, h.plugins.Bridge
	if err == nil {
		hubConfig.Sources = toHubSources(c.sources(conf))
		if c.Only != "" && len(hubConfig.Sources) == 0 {
			return nil, errors.Join(fmt.Errorf("no source named %q; `lectern source list` shows them", c.Only), h.journal.Close(), h.plugins.Close(),
				log.Close())
		}
		newSourceFolders(c.App).removeExpiredCaches(sourceFolderNames(hubConfig.Sources), h.log)
	}
	h.hub = hub.New(hubConfig)
	h.setSnapshotIdentity()
	return h, nil
}

// sources are those that this hub serves.
func (c Config) sources(conf config.Config) []app.Source {
	return slices.DeleteFunc(c.Sources(conf), func(s app.Source) bool { return c.Only != "" && s.Name != c.Only })
}

// newHubConfig is what hubs with and without a process of their own share.
func newHubConfig(a *app.App, conf config.Config, j *journal.Journal, log *slog.Logger) hub.Config {
	return hub.Config{
		Systems: a.Systems(), Limits: toHubLimits(conf.Limits), Policy: app.NewPolicy(conf, a.Sources(conf)), Journal: j,
		Version: a.Version, Skill: tools.SkillVersion(a.Systems()), NoDataMarker: !conf.Hub.DataMarker, OwnChanges: conf.Hub.OwnChanges,
		Reveal: a.RevealSecret, Getenv: a.Getenv, Log: log, Now: a.Now,
		Folders: newSourceFolders(a).createFolders, Pauses: pauses.Open(a.Paths.Pauses(), a.Now),
	}
}

// setSnapshotIdentity shows which hub this is.
func (h *hubProcess) setSnapshotIdentity() {
	stamp, now := h.BuildInfo(), h.Now()
	h.state.Update(func(s *status.Snapshot) {
		s.Hub.Component = status.Component{Name: problems.HubComponent, State: status.Ready, Since: now}
		s.Hub.Version, s.Hub.Build, s.Hub.PID, s.Hub.Started = stamp.Version, stamp.Build, os.Getpid(), now
		s.Hub.Config = h.Paths.File()
		s.Snippets = h.snippets("")
		refreshHubState(s)
	})
}

func (h *hubProcess) snippets(endpoint string) []status.Snippet {
	return install.Planner{App: h.App}.Snippets(endpoint)
}

// open opens the sources and the HTTP port. No other hub of this user may be
// running.
func (h *hubProcess) open(ctx context.Context) error {
	h.logConfigNotices(h.conf)
	h.writeSample(h.conf)
	h.openAudit(ctx)
	if err := h.hub.Start(ctx); err != nil {
		return err
	}
	h.refreshJournalProblem(nil)
	if h.conf.Hub.HTTP {
		h.startHTTPServer(ctx, h.conf.Hub.Port)
	}
	if h.conf.Listen.Address != "" {
		h.startRemoteServer(ctx, h.conf.Listen)
	}
	return nil
}

// writeSample writes the sample if it is served. A failure shows as a source
// that cannot be opened.
func (h *hubProcess) writeSample(conf config.Config) {
	if err := writeSample(h.sources(conf)); err != nil {
		h.log.Error("write sample", "err", err)
	}
}

func writeSample(sources []app.Source) error {
	for _, s := range sources {
		if s.Sample != nil {
			return discover.WriteSample(s.Sample.Files, s.Path)
		}
	}
	return nil
}

// serveAgentStream serves one `lectern serve`.
func (h *hubProcess) serveAgentStream(ctx context.Context, hello daemon.Hello, conn net.Conn) error {
	client := h.Paths.ClientTokens().Owner(hello.Token)
	defer h.seen.RecordConnected(client)
	return h.hub.MCP().ServeStream(ctx, h.seen.WrapReader(conn, client), conn, mcp.ConnectionInfo{
		Scope: hello.Scope, Transport: status.Stdio, Proven: client, PID: hello.PID, Relay: hello.Relay,
	})
}

// close undoes open. Calls in flight end first.
func (h *hubProcess) close() error {
	return errors.Join(h.web.close(), h.remote.close(), h.hub.Close(), h.journal.Close(), h.closeAudit(), h.plugins.Close(), h.logs.Close())
}

// Run is the hub process, until ctx ends or the hub is stopped.
func Run(ctx context.Context, c Config) (err error) {
	h, err := newHubOfThisProcess(c)
	if err != nil {
		return err
	}
	lifeline, err := supervisor.WatchLifeline(h.Getenv(supervisor.LifelineEnv))
	if err != nil {
		return errors.Join(err, h.close())
	}
	ctx, cancel := context.WithCancel(ctx)
	var background sync.WaitGroup
	closed := false
	closeHub := func() error {
		closed = true
		cancel()
		background.Wait()
		return h.close()
	}
	defer func() {
		if !closed { // another hub has the lock
			err = errors.Join(err, closeHub())
		}
	}()
	served := h.daemonConfig(lifeline)
	served.Open = func(ctx context.Context) error {
		background.Go(func() { h.watchConfig(ctx) })
		background.Go(func() { h.watchHealth(ctx) })
		background.Go(func() { h.sweepTempFiles(ctx) })
		return h.open(ctx)
	}
	served.Close = closeHub
	return daemon.Run(ctx, served)
}

func (h *hubProcess) daemonConfig(lifeline <-chan struct{}) daemon.HubConfig {
	return daemon.HubConfig{
		Paths: h.Paths.Daemon(), Self: h.BuildInfo(), Exclusive: doctor.HubFiles(h.Paths), FormerRuntimes: h.Paths.FormerRuntimes,
		Lifeline:   lifeline,
		OnPrevious: h.logPredecessor, Attach: h.serveAgentStream, Control: h.controlHandler(), Busy: h.hub.ActivityCounts,
		Waiting:     func() int { return len(h.hub.Approvals().Pending()) },
		Drain:       func(context.Context) error { h.hub.Approvals().Close(); return nil },
		Pinned:      func() bool { return h.pinned.Load() || h.hub.BlocksIdleExit() },
		OnSuccessor: h.reportUpgradePending, HTTPPort: h.web.port, IdleAfter: h.conf.Hub.IdleAfter,
		Log: h.log.With("component", "hub"), Now: h.Now,
	}
}

// logPredecessor logs how the hub before this one ended, under the components
// where people look for it.
func (h *hubProcess) logPredecessor(before daemon.Discovery) {
	if before.Successor != nil {
		h.log.Info("hub takes over from another build", "component", "update", "from", before.Version, "to", h.BuildInfo().Version)
		return
	}
	h.state.Update(func(s *status.Snapshot) { s.Hub.AfterCrash = true })
	said := []any{"component", "supervisor", "pid", before.PID, "version", before.Version, "started", before.StartedAt}
	if line := readCrashLine(h.Paths.Daemon(), before.StartedAt); line != "" {
		said = append(said, "reason", line)
	}
	h.log.Error("the hub before this one crashed: it ended without shutting down", append(said, "output", h.Paths.Daemon().Output())...)
}

// reportUpgradePending shows that a newer build waits until this hub has no calls.
func (h *hubProcess) reportUpgradePending(next daemon.BuildInfo) {
	p := problems.HubUpgradePending.New(problems.HubComponent, status.Args{"version": next.Version})
	p.Action = &status.Action{Verb: status.RestartHub}
	h.raiseProblem(p)
}
