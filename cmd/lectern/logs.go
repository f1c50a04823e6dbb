package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/internal/logs"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

func logsCommand(w *world) *cobra.Command {
	q := status.LogFilter{}
	var level, export string
	c := &cobra.Command{
		Use:   "logs",
		Short: "Show what the hub logged",
		Long:  "Show what the hub logged. Without a running hub the end of its log file is shown.",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("export") {
				return w.sayExported(c.Context(), export)
			}
			q.Level = status.Level(level)
			if !slices.Contains(levels, q.Level) {
				return usagef("--level %q: allowed are debug, info, warn and error", level)
			}
			if q.Last < 0 {
				return usagef("-n %d: give the number of lines, or 0 for all", q.Last)
			}
			if _, err := daemon.Ask(c.Context(), w.hubPaths()); err != nil {
				return w.logTail(q)
			}
			return w.logLines(c.Context(), q)
		},
	}
	c.Flags().BoolVarP(&q.Follow, "follow", "f", false, "go on as lines arrive")
	c.Flags().StringVar(&level, "level", string(status.Info), "this level and graver: debug, info, warn, error")
	c.Flags().StringVar(&q.Component, "part", "", "only lines about this part, such as a source")
	c.Flags().IntVarP(&q.Last, "lines", "n", 100, "how many of the lines that are there; 0: all")
	c.Flags().StringVar(&export, "export", "", "write the whole log on disk, all levels and parts, to this new `FILE` and end")
	return c
}

func (w *world) sayExported(ctx context.Context, name string) error {
	if name != "" && !strings.HasPrefix(name, "~") {
		abs, err := filepath.Abs(name)
		if err != nil {
			return fmt.Errorf("export log: %w", err)
		}
		name = abs
	}
	path, lines, err := w.exportLog(ctx, name)
	if err != nil {
		return err
	}
	w.say("wrote %d lines to %s\n", lines, line(path))
	return nil
}

// levels from least to gravest.
var levels = []status.Level{status.Debug, status.Info, status.Warn, status.Fail}

func (w *world) logLines(ctx context.Context, q status.LogFilter) error {
	lines, err := status.Open(ctx, w.client(nil), status.LogsQuery, q)
	if err != nil {
		return err
	}
	for n := range lines {
		if err := w.printLine(n); err != nil {
			return err
		}
	}
	return nil
}

// logTail shows the end of the file that the last hub left.
func (w *world) logTail(q status.LogFilter) error {
	last := q.Last
	if last == 0 {
		last = logs.DefaultLines
	}
	lines, err := logs.ReadTail(w.logFile(), last)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read log: there is none yet: %s begins when a hub first runs", w.logFile())
	}
	if err != nil {
		return err
	}
	for _, l := range lines {
		n := supervisor.StatusLine(l)
		if slices.Index(levels, n.Level) < slices.Index(levels, q.Level) || q.Component != "" && q.Component != n.Component {
			continue
		}
		if err := w.printLine(n); err != nil {
			return err
		}
	}
	if q.Follow {
		return noHub(fmt.Errorf("follow log: %w", daemon.ErrNoHub))
	}
	return nil
}

func (w *world) printLine(n status.Line) error {
	if n.Missed > 0 {
		if _, err := fmt.Fprintf(w.out, "... %d lines are missing here\n", n.Missed); err != nil {
			return err
		}
	}
	return writeLine(w.out, n)
}

// writeLine writes n as people read it, fit for a terminal.
func writeLine(out io.Writer, n status.Line) error {
	_, err := fmt.Fprintf(out, "%s %-5s %s %s\n", n.Time.Local().Format("2006-01-02 15:04:05.000"), strings.ToUpper(string(n.Level)),
		safetext.Line(n.Component), safetext.Line(n.Text))
	return err
}
