package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
	"github.com/lectern-mcp/lectern/tools"
)

func sourceCommand(c *cli) *cobra.Command {
	return newParentCommand(&cobra.Command{Use: "source", Short: "Manage the knowledge bases that are open to agents"},
		sourceFindCommand(c), sourceAddCommand(c), sourceKindsCommand(c), sourceListCommand(c), sourceShowCommand(c),
		sourceSetCommand(c), sourceRemoveCommand(c))
}

func sourceListCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the sources",
		Args:  rejectArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			conf, err := c.Config()
			if err != nil {
				return err
			}
			states := fetchSourceReports(cmd.Context(), c)
			rows := table{{"NAME", "KIND", "ACCESS", "STATE", "PLACE"}}
			for _, s := range c.Sources(conf) {
				rows.add(s.Name, s.Kind, describeSourceAccess(s), states[s.Name].String(), s.Location())
			}
			return c.printTable(rows)
		},
	}
}

func sourceShowCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Show what a source opens, and its state",
		Args:              requireArgumentCount(1, 1, "the name of a source"),
		ValidArgsFunction: newCompletionFunc(c.completeSourceName),
		RunE: func(cmd *cobra.Command, args []string) error {
			conf, err := c.Config()
			if err != nil {
				return err
			}
			var names []string
			for _, s := range c.Sources(conf) {
				if s.Name == args[0] {
					return showSource(cmd.Context(), c, conf, s)
				}
				names = append(names, s.Name)
			}
			return fmt.Errorf("show source: %s not found%s (sources: %s)", args[0], didYouMean(args[0], names), strings.Join(names, ", "))
		},
	}
}

// describeCache says how large the files are that a source keeps to be fast, and when
// they were written last; empty: there are none.
func describeCache(dir string) string {
	var size int64
	var last time.Time
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil //nolint:nilerr // a cache may go while it is looked at
		}
		if info, err := e.Info(); err == nil {
			size += info.Size()
			if info.ModTime().After(last) {
				last = info.ModTime()
			}
		}
		return nil
	})
	if size == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f MB, written %s", float64(size)/1e6, last.Local().Format("2006-01-02 15:04"))
}

func showSource(ctx context.Context, c *cli, conf config.Config, s app.Source) error {
	from := "the environment (" + s.Variable + ")"
	switch {
	case s.Line > 0:
		from = fmt.Sprintf("%s, line %d", conf.Path, s.Line)
	case s.Sample != nil:
		from = "Lectern itself, until you add a source of your own"
	}
	rows := table{{"name", s.Name}, {"kind", s.Kind}}
	if place := s.Location(); place != "" {
		rows.add("place", place)
	}
	rows.add("access", describeSourceAccess(s))
	if s.Role != "" {
		rows.add("role", s.Role)
	}
	if len(s.Tools) > 0 {
		rows.add("more tools", strings.Join(s.Tools, ", "))
	}
	if cache := describeCache(filepath.Join(c.Paths.SourceCaches(), app.SourceFolderName(s.Kind, s.Name))); cache != "" {
		rows.add("cache", cache)
	}
	for _, rule := range s.Exclude {
		rows.add("exclude", rule)
	}
	for _, rule := range s.Only {
		rows.add("only", rule)
	}
	state := fetchSourceReports(ctx, c)[s.Name]
	if state.State != "" {
		hidden, err := status.Ask(ctx, c.hub().API(), status.HiddenPagesQuery, s.Name)
		switch {
		case len(s.Exclude)+len(s.Only) == 0: // a kind that cannot count has nothing to say
		case err != nil:
			rows.add("privacy", err.Error())
		case len(hidden.Unmatched) > 0:
			rows.add("privacy", hidden.String())
			rows.add("warning", unmatchedRulesWarning(hidden))
		default:
			rows.add("privacy", hidden.String())
		}
		for _, names := range hidden.LeftOut {
			rows.add("left out", names)
		}
	}
	rows.add("from", from)
	rows.add("state", state.String())
	for _, p := range state.problems {
		rows.add("problem", p.Title)
		rows.add("fix", p.Fix)
	}
	return c.printTable(rows)
}

func describeSourceAccess(s app.Source) string {
	effects, ask, _ := s.GrantedEffects()
	switch {
	case s.ReadOnly:
		return "read"
	case len(effects) == 0:
		return "none"
	case len(ask) > 0:
		free := slices.DeleteFunc(slices.Clone(effects), func(e tools.Effect) bool { return slices.Contains(ask, e) })
		return strings.TrimPrefix(joinEffects(free)+"; ", "nothing; ") + "asks before " + joinEffects(ask)
	}
	return joinEffects(effects)
}

// A sourceReport is what a running hub reports about one source. The zero value:
// no hub reports anything.
type sourceReport struct {
	status.Source

	problems []status.Problem
}

func (s sourceReport) String() string {
	switch {
	case s.State == "":
		return "-"
	case s.Note != "":
		return fmt.Sprintf("%s: %s", s.State, s.Note)
	}
	return string(s.State)
}

// fetchSourceReports asks the hub, if one is running.
func fetchSourceReports(ctx context.Context, c *cli) map[string]sourceReport {
	states := map[string]sourceReport{}
	if _, err := daemon.GetHealth(ctx, c.Paths.Daemon()); err != nil {
		return states
	}
	snap, err := c.hub().Snapshot(ctx)
	if err != nil {
		return states
	}
	for _, s := range snap.Sources {
		state := sourceReport{Source: s}
		for _, p := range snap.Problems {
			if p.Component == s.Name {
				state.problems = append(state.problems, p)
			}
		}
		states[s.Name] = state
	}
	return states
}
