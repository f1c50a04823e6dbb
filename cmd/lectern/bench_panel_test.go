//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/internal/logs"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/loopback"
	"github.com/lectern-mcp/lectern/supervisor"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// From the start of `lectern` to its first frame, and to the first that shows a
// hub that serves.
func BenchmarkPanelStart(b *testing.B) {
	exe, home, _ := startHub(b)
	for name, gone := range map[string]bool{"hub": false, "none": true} {
		b.Run(name, func(b *testing.B) {
			var frame, ready []time.Duration
			for b.Loop() {
				if gone {
					killHub(daemonPaths(home))
				}
				began := time.Now()
				x := openScreen(b, 120, 40, environIn(home), exe)
				x.waitFor("1 Overview")
				frame = append(frame, time.Since(began))
				x.waitFor("● ready", "● notes")
				ready = append(ready, time.Since(began))
				x.close()
			}
			printMedian(b, frame)
			b.ReportMetric(float64(median(ready).Microseconds()), "us-ready-p50")
		})
	}
}

// A panel that has as much in it as it takes: a million lines went by and the
// last of them are kept, as are ten thousand calls, and there are 500 sources.
// What it holds in memory, and what a key that draws another frame costs in CPU
// in each pane, the drawing to the terminal and the collector included.
func BenchmarkPanelFull(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("read from /proc")
	}
	exe, home := buildRelease(b), b.TempDir()
	conf := "[hub]\nhttp = false\n"
	for i := range 500 {
		conf += fmt.Sprintf("\n[[source]]\nname = \"notes-%d\"\nkind = \"markdown\"\npath = \"notes\"\n", i)
	}
	if err := os.MkdirAll(filepath.Join(home, "notes"), 0o700); err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{"config.toml": conf, "notes/a.md": "words\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	log := benchHub(b, exe, home)
	x := openScreen(b, 140, 45, environIn(home), exe)
	x.waitFor("● ready", "─ Sources 500 ─")
	x.typeKeys("7")
	for i := range 1_000_000 {
		log.Info("call done", "component", "notes", "tool", "markdown_read_page", "session", i+1, "page", "日本語/会議", "duration_ms", 2, "bytes", 1840)
	}
	x.waitFor("session=1000000 ")
	p := startServe(b, exe, home)
	for i := range 10_000 {
		p.roundTrip(b, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_page","arguments":{"path":"a.md","source":"notes-%d"}}}`, i+2, i%500)+"\n")
	}
	defer p.disconnect(b)
	x.typeKeys("3")
	x.waitFor("9,999+ calls, 1 event") // it is full: the agent that came is one of its rows
	for i, pane := range []string{"overview", "sources", "activity", "changes", "clients", "tools", "logs", "doctor", "settings"} {
		b.Run(pane, func(b *testing.B) {
			x.typeKeys(strconv.Itoa(i + 1))
			x.waitQuiet()
			spent, frames := cpuOf(b, x.cmd.Process.Pid), 0
			for b.Loop() {
				x.typeKeys([]string{"j", "k"}[frames%2])
				x.waitQuiet()
				frames++
			}
			b.ReportMetric(float64((cpuOf(b, x.cmd.Process.Pid)-spent).Microseconds())/float64(frames), "cpu-us/frame")
		})
	}
	b.Run("memory", func(b *testing.B) {
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(megabytes(b, x.cmd.Process.Pid, "VmRSS:"), "MB")
		b.ReportMetric(megabytes(b, x.cmd.Process.Pid, "RssAnon:"), "own-MB")
	})
}

// benchHub is a hub in this process with the configuration of home, for the
// panel of exe. What is written to the log that it returns is the hub's.
func benchHub(b *testing.B, exe, home string) *slog.Logger {
	b.Helper()
	a := apptest.New(b)
	a.Exe, a.Paths = exe, apptest.Paths(home)
	conf, err := a.Config()
	if err != nil {
		b.Fatal(err)
	}
	log, err := logs.New(logs.Options{File: a.Paths.Log(), Level: slog.LevelInfo, Now: a.Now})
	if err != nil {
		b.Fatal(err)
	}
	var sources []hub.Source
	for _, s := range a.Sources(conf) {
		sources = append(sources, hub.Source{Name: s.Name, Kind: s.Kind, Options: s.Options, Location: s.Path})
	}
	state := supervisor.NewSnapshotStore(a.Now)
	h := hub.New(hub.Config{Systems: a.Systems(), Sources: sources, Version: a.Version, State: state, Log: slog.New(log), Now: a.Now})
	state.Update(func(s *status.Snapshot) {
		s.Hub.Component = status.Component{Name: "hub", State: status.Ready, Since: a.Now()}
	})
	queries := status.QueryHandlers{}
	status.HandleStream(queries, status.LogsQuery, supervisor.NewLogsQueryHandler(log))
	status.HandleStream(queries, status.CallsQuery, h.Calls().Stream)
	status.HandleQuery(queries, status.ChangesQuery, h.Changes().List)
	status.HandleQuery(queries, status.ToolsQuery, func(ctx context.Context, f status.ToolFilter) ([]status.Tool, error) {
		return h.PersonAPI().ClientTools(ctx, f.Source, f.Client)
	})
	api := supervisor.HubAPI{State: state, BeforeWatch: h.UpdateSnapshot, Router: status.Router{Queries: queries}}
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() {
		done <- daemon.Run(ctx, daemon.HubConfig{
			Paths: a.Paths.Daemon(), Self: a.BuildInfo(), Open: h.Start, Control: loopback.Handler(api), Busy: h.ActivityCounts,
			Attach: func(ctx context.Context, hello daemon.Hello, conn net.Conn) error {
				return h.MCP().ServeStream(ctx, conn, conn, mcp.ConnectionInfo{Scope: hello.Scope, Transport: status.Stdio})
			},
			Pinned: func() bool { return true }, HTTPPort: func() int { return 0 }, IdleAfter: time.Hour, Log: slog.New(log), Now: a.Now,
		})
	}()
	b.Cleanup(func() {
		cancel()
		if err := errors.Join(<-done, h.Close(), log.Close()); err != nil {
			b.Error(err)
		}
	})
	for {
		if _, err := daemon.GetHealth(ctx, a.Paths.Daemon()); err == nil {
			return slog.New(log)
		}
		select {
		case err := <-done:
			b.Fatal(err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// waitQuiet waits until what was typed is drawn: for the first bytes, and then
// for a frame's time without any.
func (x *screen) waitQuiet() {
	x.t.Helper()
	late := time.After(300 * time.Millisecond) // a key may change nothing
	for {
		x.mu.Lock()
		changed := x.changed
		x.mu.Unlock()
		select {
		case <-changed:
			late = time.After(20 * time.Millisecond)
		case <-late:
			return
		}
	}
}

// cpuOf is what a process has spent in user and system mode.
func cpuOf(b *testing.B, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	if err1 != nil || err2 != nil {
		b.Fatalf("read %q", text)
	}
	return time.Duration(user+system) * 10 * time.Millisecond // Linux counts in hundredths
}
