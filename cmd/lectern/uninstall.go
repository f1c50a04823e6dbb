package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

func uninstallCommand(c *cli) *cobra.Command {
	var keepJournal bool
	cmd := c.newProposalCommand(&cobra.Command{
		Use:   "uninstall",
		Short: "Remove everything that Lectern installed on this machine",
		Long: "Remove everything that Lectern installed on this machine: entries in clients, the\n" +
			"plugin, the skill, the service, logs, tokens and the journal of changes. Your\n" +
			"configuration, your sources and this binary stay, and so does what a Lectern with\n" +
			"another LECTERN_HOME installed; the plan lists what stays and why.",
		Args: rejectArguments,
	}, func(ctx context.Context, _ []string) (*installer.Proposal, error) {
		return proposeUninstall(ctx, c, keepJournal)
	})
	cmd.Flags().BoolVar(&keepJournal, "keep-journal", false, "keep the journal, so that changes can still be undone after installing again")
	return cmd
}

func proposeUninstall(ctx context.Context, c *cli, keepJournal bool) (*installer.Proposal, error) {
	s, _ := c.planner().ServerEntry()
	lost := describeUndoableChanges(ctx, c) // before anything is removed or stopped
	own := filesToUninstall(c.App, keepJournal)
	p, err := c.planner().Machine().Uninstall(ctx, s, app.Name, c.planner().Service(), installer.Plugin{ID: plugin.ID}, own)
	if err != nil {
		return nil, err
	}
	switch {
	case lost == "":
	case keepJournal:
		p.Plan.Risks = append(p.Plan.Risks, "the journal of changes stays in "+c.Paths.Journal())
	default:
		p.Plan.Risks = append([]string{lost + " can no longer be undone; --keep-journal keeps them"}, p.Plan.Risks...)
	}
	if _, err := daemon.GetHealth(ctx, c.Paths.Daemon()); err == nil {
		p.Prepend(status.Step{Description: "stop the hub"}, func(ctx context.Context) error {
			err := c.hub().API().Do(ctx, status.Action{Verb: status.StopHub})
			if errors.Is(err, daemon.ErrNoHub) {
				return nil
			}
			return err
		})
	}
	p.Plan.Risks = append(p.Plan.Risks, "your configuration stays in "+c.Paths.Config,
		"the sample and saved files stay in "+c.Paths.Data, "this binary stays: "+c.Exe)
	return p, nil
}

// maxCountedChanges bounds how many changes are counted.
const maxCountedChanges = 10_000

// describeUndoableChanges says how many changes by agents can be undone now; empty: none.
func describeUndoableChanges(ctx context.Context, c *cli) string {
	if len(filesIn(c.Paths.Journal(), func(string) bool { return true })) == 0 {
		return ""
	}
	found, err := status.Ask(ctx, c.hub().API(), status.ChangesQuery, status.Filter{Limit: maxCountedChanges})
	if errors.Is(err, daemon.ErrNoHub) {
		j := journal.New(journal.Options{Dir: c.Paths.Journal(), Now: c.Now, Log: slog.New(slog.DiscardHandler)})
		found, err = j.Changes(ctx, status.Filter{Limit: maxCountedChanges})
		err = errors.Join(err, j.Close())
	}
	n := 0
	for _, change := range found.Changes {
		if change.CannotUndo == "" && change.Outcome == status.Written && change.Undoes == "" {
			n++
		}
	}
	switch {
	case err != nil:
		return "what agents changed"
	case found.More:
		return fmt.Sprintf("more than %d changes", n)
	case n == 0:
		return ""
	}
	return english.Plural(n, "change", "")
}

// filesToUninstall are the files of State, by name: LECTERN_HOME may have put them into
// a folder with other files.
func filesToUninstall(a *app.App, keepJournal bool) installer.OwnFiles {
	hub, state, tokens := a.Paths.Daemon(), a.Paths.State, string(a.Paths.ClientTokens())
	files := []string{
		a.Paths.SharedClientToken(), a.Paths.PluginToken(), filepath.Join(state, installer.ReceiptsName),
		filepath.Join(state, installer.ServiceLog),
		a.Paths.PanelState(), a.Paths.Clipboard(), a.Paths.SeenClients(), hub.Output(), hub.Discovery(),
	}
	caches, cacheFolders := filesBelow(a.Paths.SourceCaches())
	journalFiles := filesIn(a.Paths.Journal(), func(string) bool { return !keepJournal })
	return installer.OwnFiles{
		Files: slices.Concat(files, hub.Locks(), hub.Sockets(), journalFiles, caches,
			filesIn(state, func(name string) bool { return strings.HasPrefix(name, filepath.Base(a.Paths.Log())) }),
			filesIn(state, func(name string) bool { return strings.HasPrefix(name, "audit.") }),
			filesIn(tokens, func(name string) bool { return strings.HasSuffix(name, ".token") }),
			selfUpdateLeftovers(a)),
		Folders: append(cacheFolders, filepath.Join(state, "downloads"), tokens, a.Paths.Journal(), hub.Runtime(), state),
	}
}

// filesBelow are the files of a folder and of those in it, and the folders, each
// before the one that it is in. Links are files.
func filesBelow(dir string) (files, folders []string) {
	_ = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case entry == nil: // it is not there
		case entry.IsDir() && err == nil:
			folders = append(folders, name)
		case err == nil:
			files = append(files, name)
		}
		if err != nil {
			return fs.SkipDir // what cannot be read stays
		}
		return nil
	})
	slices.Reverse(folders)
	return files, folders
}

// filesIn are the files of a folder that match; none if it cannot be read.
func filesIn(dir string, match func(name string) bool) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var list []string
	for _, f := range entries {
		if match(f.Name()) {
			list = append(list, filepath.Join(dir, f.Name()))
		}
	}
	return list
}

// selfUpdateLeftovers are what self-update leaves: its state, interrupted downloads, and
// the previous binary.
func selfUpdateLeftovers(a *app.App) []string {
	u, err := update.New(thismachine.NewUpdateConfig(a, config.Update{}, slog.New(slog.DiscardHandler))) // a mirror changes none of them
	if err != nil {
		return nil
	}
	return u.Files()
}
