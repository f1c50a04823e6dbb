package org

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgedit"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A Source is the open Org files. Its methods may be called from any goroutine;
// writes run one at a time. The types that it is made of are its layers: which files
// there are and what a URI means in them, the tools that read, and those that write.
type Source struct{ editor }

// An editor has the tools that write.
type editor struct{ agendaReader }

// An agendaReader has the tools about dates and time, and queries.
type agendaReader struct{ reader }

// A reader has the tools that read.
type reader struct{ *catalog }

// A catalog knows the open files: it finds, parses and edits them.
type catalog struct {
	opened   *rootSet
	settings orgfile.Settings // of a file that sets nothing itself
	privacy  tools.Privacy
	config   Config
	cache    *fileCache // nil: it is a draft
	ids      *idIndex
	hints    idHints
	watched  *watchList
	now      func() time.Time
	log      *slog.Logger
	changed  func(uri string)

	subscribed    func() []string // URIs
	subscriptions *subscriptionLog

	report   tools.Reporter
	writing  *semaphore.Weighted
	buffers  *openBuffers
	imported importedVariables
}

// Open opens the folders of a configuration. The error is Unavailable, with the
// path in the message, if one does not exist or cannot be read.
func Open(ctx context.Context, c Config, env tools.Env) (*Source, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c.Inbox = cmp.Or(c.Inbox, defaultInbox)
	settings, buffers := orgfile.DefaultSettings(), newOpenBuffers(c, env)
	buffers.refresh(ctx)
	var imported importedVariables
	if c.EmacsVars {
		imported = buffers.importVariables(ctx, &settings)
	}
	settings, err := c.applyTo(settings)
	if err != nil {
		return nil, err
	}
	s := &catalog{
		settings: settings, privacy: env.Privacy, config: c, cache: newFileCache(), ids: newIDIndex(), hints: newIDHints(c),
		watched: newWatchList(),
		now:     env.Now, log: env.Log, changed: env.ResourceChanged, subscribed: env.Subscribed, subscriptions: newSubscriptionLog(),
		report: env.Report, writing: semaphore.NewWeighted(1),
		buffers: buffers, imported: imported,
	}
	s.opened, err = openRoots(c, env.Privacy, buffers, func(path string, data []byte, setup orgfile.SetupReader) (*orgfile.File, error) {
		return orgfile.Parse(data, path, settings, setup)
	})
	if err != nil {
		return nil, err
	}
	return newSource(s), nil
}

func newSource(s *catalog) *Source { return &Source{editor{agendaReader{reader{s}}}} }

// Draft implements [tools.Drafter]: the source over drafts that are never committed.
func (s *Source) Draft(context.Context) (tools.Source, error) {
	d := *s.catalog
	var drafted []*root
	d.cache, d.ids, d.watched, d.changed = nil, newIDIndex(), newWatchList(), func(string) {}
	d.writing = semaphore.NewWeighted(1)
	d.subscribed, d.subscriptions = func() []string { return nil }, newSubscriptionLog()
	for _, r := range s.roots() {
		over := folder.NewDraft(r.view, r.modes, maxDrafted)
		drafted = append(drafted, &root{
			prefix: r.prefix, dir: r.dir, order: r.order, globs: r.globs, except: r.except, view: over.View(), store: over, disk: r.disk,
			rules: r.rules, modes: r.modes,
			close: func() error { return nil },
		})
	}
	d.opened = &rootSet{}
	d.opened.all.Store(&drafted)
	return newSource(&d), nil
}

// Close closes the folders.
func (s *Source) Close() error {
	return s.opened.close()
}

// Check reports that a folder is missing or was replaced. Its hint is for the user,
// not for an agent.
func (s *Source) Check(ctx context.Context) error {
	s.buffers.refresh(ctx)
	for _, r := range s.roots() {
		if err := r.view.Check(); err != nil {
			return &tools.Error{
				Code: tools.Unavailable, Message: "the folder " + r.dir + " is missing or was replaced by another one",
				Hint: "Restore the folder; Lectern checks again every 30 s. " +
					"Or correct its path, by `lectern source set` or by e in Sources of the panel.",
				Cause: err,
			}
		}
	}
	return nil
}

// sweep removes temporary files that a killed process has left.
func (s *catalog) sweep(ctx context.Context) error {
	for _, r := range s.roots() {
		if r.sweep == nil {
			continue
		}
		err := r.sweep(func(dir *os.Root) error {
			removed, err := atomicfile.Sweep(ctx, dir, s.now)
			if removed > 0 || err != nil {
				s.log.InfoContext(ctx, "removed temporary files that killed writers left", "removed", removed, "err", err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// editEnv is what an edit takes from its call: the time, and IDs that are the same
// each time that the hub runs the call. Those that it makes are put into made.
func (s *editor) editEnv(c tools.CallContext, made map[string]bool) orgedit.Env {
	now := c.Began
	if now.IsZero() {
		now = s.now()
	}
	random := rand.New(rand.NewPCG(c.Seed, uint64(now.UnixNano()))) //nolint:gosec // an ID is no secret, and must be the same again
	if c.Seed == 0 {
		random = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())) //nolint:gosec // an ID is no secret
	}
	return orgedit.Env{Now: now, NewID: func() string {
		id := newID(random)
		made[id] = true
		return id
	}}
}
