package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/internal/logs"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// logLevels from least to most severe.
var logLevels = []status.Level{status.Debug, status.Info, status.Warn, status.Fail}

func logsCommand(c *cli) *cobra.Command {
	q := status.LogFilter{}
	var level, export string
	cmd := &cobra.Command{
		Use:   "logs",
		Short: "Show the hub's log",
		Long:  "Show the hub's log. If no hub is running, the end of the log file is shown.",
		Args:  rejectArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("export") {
				return exportLog(cmd.Context(), c, export)
			}
			q.Level = status.Level(level)
			if !slices.Contains(logLevels, q.Level) {
				return usageErrorf("invalid --level %q (want debug, info, warn or error)", level)
			}
			if q.Last < 0 {
				return usageErrorf("invalid --lines %d (want the number of lines, or 0 for all)", q.Last)
			}
			if _, err := daemon.GetHealth(cmd.Context(), c.Paths.Daemon()); err != nil {
				return showLogFile(c, q)
			}
			return showHubLog(cmd.Context(), c, q)
		},
	}
	cmd.Flags().BoolVarP(&q.Follow, "follow", "f", false, "keep printing new lines")
	cmd.Flags().StringVar(&level, "level", string(status.Info), "the least severe `LEVEL` to show: debug, info, warn or error")
	cmd.Flags().StringVar(&q.Component, "component", "", "only lines about this `COMPONENT`, such as a source")
	cmd.Flags().IntVarP(&q.Last, "lines", "n", 100, "the `NUMBER` of lines to show; 0 means all")
	cmd.Flags().StringVar(&export, "export", "", "write the whole log, all levels and components, to this new `FILE` and exit")
	return cmd
}

func exportLog(ctx context.Context, c *cli, name string) error {
	if name != "" && !strings.HasPrefix(name, "~") {
		abs, err := filepath.Abs(name)
		if err != nil {
			return fmt.Errorf("export log: %w", err)
		}
		name = abs
	}
	path, lines, err := thismachine.ExportLog(ctx, c.App, name)
	if err != nil {
		return err
	}
	c.printf("wrote %s to %s\n", english.Plural(lines, "line", ""), path)
	return nil
}

func showHubLog(ctx context.Context, c *cli, q status.LogFilter) error {
	lines, err := status.Open(ctx, c.hub().API(), status.LogsQuery, q)
	if err != nil {
		return err
	}
	for n := range lines {
		if err := c.printLogLine(n); err != nil {
			return err
		}
	}
	return nil
}

// showLogFile shows the end of the file that the last hub wrote.
func showLogFile(c *cli, q status.LogFilter) error {
	last := q.Last
	if last == 0 {
		last = logs.DefaultLines
	}
	lines, err := logs.ReadTail(c.Paths.Log(), last)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read log: %s not found; the hub creates it when it first runs", c.Paths.Log())
	}
	if err != nil {
		return err
	}
	for _, l := range lines {
		n := supervisor.LogLineToStatus(l)
		if slices.Index(logLevels, n.Level) < slices.Index(logLevels, q.Level) || q.Component != "" && q.Component != n.Component {
			continue
		}
		if err := c.printLogLine(n); err != nil {
			return err
		}
	}
	if q.Follow {
		return addStartHubAdvice(fmt.Errorf("follow log: %w", daemon.ErrNoHub))
	}
	return nil
}

func (c console) printLogLine(n status.Line) error {
	if n.Missed > 0 {
		c.printf("... %s missing here\n", english.Plural(int(n.Missed), "line", ""))
	}
	return thismachine.PrintLogLine(c.out, n)
}
