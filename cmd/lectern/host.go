package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/internal/logs"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
	"github.com/lectern-mcp/lectern/tools/doc"
)

// A host is the hub with all that its process puts around it: log, status,
// configuration, HTTP.
type host struct {
	*world
	hub     *hub.Hub
	state   *supervisor.State
	logs    *logs.Log
	log     *slog.Logger
	web     web
	plugins *plugins
	journal *journal.Journal
	pinned  atomic.Bool
	trail   atomic.Pointer[audit.Trail] // nil: none could be opened
	// notified is when the desktop was last told of a call that waits.
	notified atomic.Pointer[time.Time]

	mu   sync.Mutex // one reload at a time
	conf config.Config
}

// newHost opens the log and reads the configuration. A broken configuration is
// a Problem for the panel, not an end: the hub then serves nothing and listens
// on no port until the file is mended, because what it was meant to forbid is
// not known.
func (w *world) newHost(level slog.Leveler) (*host, error) {
	if err := os.MkdirAll(w.places.State, 0o700); err != nil {
		return nil, fmt.Errorf("open hub: %w; give yourself the right, or set LECTERN_HOME to a directory that you may write to", err)
	}
	log, err := logs.New(logs.Options{
		File: w.logFile(), Level: level, Now: w.now,
		Escape: func(s string) string { return string(safetext.Line(s)) },
	})
	if err != nil {
		return nil, fmt.Errorf("%w; a hub does not run without a log: mend that, or move what is there away", err)
	}
	h := &host{world: w, logs: log, log: slog.New(log), state: supervisor.NewState(w.now)}
	conf, err := w.config()
	if err != nil {
		conf = config.Default(w.places.File(), w.schema())
		conf.Hub.HTTP = false
		h.blameConfig(err)
	}
	h.lookAtMode()
	h.conf = conf
	h.plugins = h.newPlugins(conf)
	h.journal = w.newJournal(conf, h.log)
	c := hub.Config{
		Journal: h.journal,
		Kinds:   w.kinds(), Limits: limitsOf(conf.Limits), Policy: policyOf(conf), Proves: provenBy, Asks: h.notify,
		Version: lecternVersion, Skill: doc.SkillVersion, State: h.state, Bridge: h.plugins.Bridge, Unmarked: !conf.Hub.Mark, Pasts: conf.Hub.OwnChanges, Log: h.log, Now: w.now,
	}
	if err == nil {
		c.Sources = w.sources(conf)
	}
	h.hub = hub.New(c)
	h.introduce()
	return h, nil
}

// introduce says who this hub is.
func (h *host) introduce() {
	stamp, now := h.stamp(), h.now()
	h.state.Update(func(s *status.Snapshot) {
		s.Hub.Component = status.Component{Name: hubPart, State: status.Ready, Since: now}
		s.Hub.Version, s.Hub.Build, s.Hub.PID, s.Hub.Started = stamp.Version, stamp.Build, os.Getpid(), now
		s.Hub.Config, s.Hub.Skill = h.places.File(), doc.SkillVersion
		s.Snippets = h.snippets("")
		mood(s)
	})
}

// open opens the sources and the HTTP port. It is called when no other hub of
// this user can be running.
func (h *host) open(ctx context.Context) error {
	if err := h.layIfServed(h.conf); err != nil {
		h.log.Error("lay out sample", "part", sampleName, "err", err) // it shows as a source that is gone
	}
	h.openTrail()
	h.logNotices(h.conf)
	if err := h.hub.Start(ctx); err != nil {
		return err
	}
	h.lookAtJournal(nil)
	if h.conf.Hub.HTTP {
		h.listen(ctx, h.conf.Hub.Port)
	}
	return nil
}

// layIfServed lays the sample vault out when conf makes it a source.
func (h *host) layIfServed(conf config.Config) error {
	for _, s := range h.sources(conf) {
		if s.Sample {
			return h.laySample()
		}
	}
	return nil
}

// attach serves one `lectern serve`.
func (h *host) attach(ctx context.Context, hello daemon.Hello, conn net.Conn) error {
	return h.hub.ServeStream(ctx, conn, conn, hub.Attach{
		Scope: hello.Scope, Transport: status.Stdio, Client: h.proven(hello.Token), PID: hello.PID,
	})
}

// close ends what open began. Calls in flight end first.
func (h *host) close() error {
	return errors.Join(h.web.close(), h.hub.Close(), h.journal.Close(), h.closeTrail(), h.plugins.Close(), h.logs.Close())
}

// runHub is the hub's process.
func (w *world) runHub(ctx context.Context, level slog.Leveler) (err error) {
	h, err := w.newHost(level)
	if err != nil {
		return err
	}
	lifeline, err := supervisor.Lifeline(w.env(supervisor.LifelineEnv))
	if err != nil {
		return errors.Join(err, h.close())
	}
	ctx, cancel := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer func() {
		cancel()
		beside.Wait()
		err = errors.Join(err, h.close())
	}()
	return daemon.Run(ctx, daemon.HubConfig{
		Paths: w.hubPaths(), Stamp: w.stamp(), Lifeline: lifeline,
		Open: func(ctx context.Context) error {
			beside.Go(func() { h.watchConfig(ctx) })
			beside.Go(func() { h.measure(ctx) })
			return h.open(ctx)
		},
		Follows: h.follows, Attach: h.attach, Control: h.control(), Busy: h.hub.Busy, Pinned: h.pinned.Load,
		Pending: h.pending, HTTPPort: h.web.port, IdleAfter: h.conf.Hub.IdleAfter, Log: h.log.With("part", "hub"), Now: w.now,
	})
}

// follows logs what became of the hub before this one, in the parts that people
// look for it in.
func (h *host) follows(before daemon.Discovery) {
	if before.Next != nil {
		h.log.Info("hub takes over from another build", "part", "update", "from", before.Version, "to", h.stamp().Version)
		return
	}
	h.log.Warn("the hub before this one died", "part", "supervisor", "pid", before.PID, "version", before.Version, "started", before.StartedAt)
}

// pending tells people that a newer build waits for this hub to be quiet.
func (h *host) pending(next daemon.Stamp) {
	p := hubUpgrade.New(hubPart, status.Args{"version": next.Version})
	p.Action = &status.Action{Verb: status.RestartHub}
	h.raise(p)
}
