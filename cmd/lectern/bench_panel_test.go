//go:build unix

package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// From the start of `lectern` to its first frame, and to the first that shows a
// hub that serves.
func BenchmarkPanelStart(b *testing.B) {
	exe, home, _ := running(b)
	for name, gone := range map[string]bool{"hub": false, "none": true} {
		b.Run(name, func(b *testing.B) {
			var frame, ready []time.Duration
			for b.Loop() {
				if gone {
					killHub(home)
				}
				began := time.Now()
				x := openScreen(b, 120, 40, in(home), exe)
				x.shows("1 Overview")
				frame = append(frame, time.Since(began))
				x.shows("● ready", "● notes")
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
	exe, home := released(b), b.TempDir()
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
	log := hubHere(b, exe, home)
	x := openScreen(b, 140, 45, in(home), exe)
	x.shows("● ready", "notes-499")
	x.types("7")
	for i := range 1_000_000 {
		log.Info("call done", "part", "notes", "tool", "markdown_read_page", "session", i+1, "page", "日本語/会議", "duration_ms", 2, "bytes", 1840)
	}
	x.shows("session=1000000 ")
	p := serving(b, exe, home)
	for i := range 10_000 {
		p.ask(b, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_page","arguments":{"path":"a.md","source":"notes-%d"}}}`, i+2, i%500)+"\n")
	}
	defer p.leave(b)
	x.types("3")
	x.shows("10,000 calls")
	for i, pane := range []string{"overview", "sources", "activity", "changes", "clients", "tools", "logs", "doctor", "settings"} {
		b.Run(pane, func(b *testing.B) {
			x.types(strconv.Itoa(i + 1))
			x.settles()
			spent, frames := cpuOf(b, x.cmd.Process.Pid), 0
			for b.Loop() {
				x.types([]string{"j", "k"}[frames%2])
				x.settles()
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

// hubHere is a hub in this process, for the panel of exe; what is written to
// the log that it returns is the hub's.
func hubHere(b *testing.B, exe, home string) *slog.Logger {
	b.Helper()
	w, err := newWorld(strings.NewReader(""), b.Output(), b.Output(), in(home))
	if err != nil {
		b.Fatal(err)
	}
	w.exe = exe
	h, err := w.newHost(slog.LevelInfo)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() {
		done <- daemon.Run(ctx, daemon.HubConfig{
			Paths: w.hubPaths(), Stamp: w.stamp(), Open: h.open, Attach: h.attach, Control: h.control(), Busy: h.hub.Busy,
			Pinned: func() bool { return true }, Pending: h.pending, HTTPPort: h.web.port, IdleAfter: time.Hour, Log: h.log, Now: w.now,
		})
	}()
	b.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
		if err := h.close(); err != nil {
			b.Error(err)
		}
	})
	for {
		if _, err := daemon.Ask(ctx, w.hubPaths()); err == nil {
			return h.log
		}
		select {
		case err := <-done:
			b.Fatal(err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// settles waits until what was typed is drawn: for the first bytes, and then
// for a frame's time without any.
func (x *screen) settles() {
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
