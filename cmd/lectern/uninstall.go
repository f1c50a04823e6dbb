package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

func uninstallCommand(w *world) *cobra.Command {
	return w.planned(&cobra.Command{
		Use:   "uninstall",
		Short: "Remove everything that Lectern has put on this machine",
		Long: "Remove everything that Lectern has put on this machine: entries in clients, the\n" +
			"plugin, the skill, the service, logs and tokens. Your configuration, your sources\n" +
			"and this binary stay; what stays is said.",
		Args: noArguments,
	}, func(ctx context.Context, _ []string) (*installer.Proposal, error) { return w.uninstall(ctx) })
}

func (w *world) uninstall(ctx context.Context) (*installer.Proposal, error) {
	s, _ := w.server(w.configured())
	p, err := w.machine().Uninstall(ctx, s, skillName, w.service(), installer.Plugin{ID: plugin.ID}, w.leftovers())
	if err != nil {
		return nil, err
	}
	if _, err := daemon.Ask(ctx, w.hubPaths()); err == nil {
		p.First(status.Step{What: "stop the hub"}, w.stopHub)
	}
	p.Plan.Risks = append(p.Plan.Risks, "your configuration stays in "+w.places.Config,
		"the sample and what was saved stay in "+w.places.Data, "this binary stays: "+w.exe)
	return p, nil
}

// leftovers are the files of State and Runtime, by name: these folders may be
// shared with what is not ours when LECTERN_HOME says so.
func (w *world) leftovers() installer.Leftovers {
	state, run := w.places.State, w.places.Runtime
	l := installer.Leftovers{Files: []string{
		w.tokenFile(), w.pluginTokenFile(), filepath.Join(state, installer.RecordName), filepath.Join(state, installer.ServiceLog),
		w.hubPaths().MCP(), w.hubPaths().Control(),
		filepath.Join(state, panelFile), w.clipboard().file, filepath.Join(state, "hub.out"), filepath.Join(run, "hub.json"), filepath.Join(run, "hub.lock"), filepath.Join(run, "start.lock"),
	}}
	l.Files = slices.Concat(l.Files,
		filesIn(state, func(name string) bool { return strings.HasPrefix(name, filepath.Base(w.logFile())) }),
		filesIn(state, func(name string) bool { return strings.HasPrefix(name, "audit.") }),
		filesIn(w.tokenDir(), func(name string) bool { return strings.HasSuffix(name, tokenSuffix) }),
		filesIn(w.journalDir(), func(string) bool { return true }),
		w.updates())
	l.Folders = []string{filepath.Join(state, "downloads"), w.tokenDir(), w.journalDir(), run, state}
	return l
}

// filesIn are the files of a folder that are wanted; none where there is no such
// folder, or none that we can look into.
func filesIn(dir string, wanted func(name string) bool) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var list []string
	for _, f := range entries {
		if wanted(f.Name()) {
			list = append(list, filepath.Join(dir, f.Name()))
		}
	}
	return list
}

// updates are the files that self-update leaves: what it remembers, downloads
// that were broken off, and the binary before this one.
func (w *world) updates() []string {
	u, err := update.New(w.updateConfig(config.Update{}, slog.New(slog.DiscardHandler))) // a mirror changes none of them
	if err != nil {
		return nil
	}
	return u.Files()
}

// stopHub ends the hub, so that it writes nothing any more.
func (w *world) stopHub(ctx context.Context) error {
	err := daemon.Client(w.connecting(slog.New(slog.DiscardHandler))).Do(ctx, status.Action{Verb: status.StopHub})
	if errors.Is(err, daemon.ErrNoHub) {
		return nil
	}
	return err
}
