package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/logs"
)

// The export has every line of every file that is left, secrets redacted as in
// the log, is private, and overwrites nothing.
func TestExportLog(t *testing.T) {
	w := testWorld(t)
	w.home = t.TempDir()
	if _, _, err := w.exportLog(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "there is none yet") {
		t.Errorf("without a log: %v", err)
	}
	l, err := logs.New(logs.Options{File: w.logFile(), FileSize: 64 << 10, Level: slog.LevelDebug})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(l)
	const lines = 1500 // three files
	for i := range lines {
		log.Debug("call done\x1b[2J", "part", "notes", "number", i, "access_token", "hunter2-hunter2")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(w.logFile() + ".1"); err != nil {
		t.Fatalf("the log has not rotated: %v", err)
	}
	for _, c := range [][2]string{
		{"", filepath.Join(w.savedDir(), "lectern-log.txt")},
		{" ", filepath.Join(w.savedDir(), "lectern-log-2.txt")},
		{"~/whole.txt", filepath.Join(w.home, "whole.txt")},
		{"here.txt", filepath.Join(w.home, "here.txt")},
		{w.home, filepath.Join(w.home, "lectern-log.txt")},
		{filepath.Join(w.home, "a b"), filepath.Join(w.home, "a b")},
	} {
		name, want := c[0], c[1]
		path, n, err := w.exportLog(t.Context(), name)
		if err != nil || path != want || n != lines {
			t.Errorf("%q went to %s with %d lines, %v; want %s", name, path, n, err, want)
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
			if !strings.Contains(line, fmt.Sprintf(" DEBUG notes call done\\x1b[2J number=%d ", i)) {
				t.Fatalf("line %d is %q", i, line)
			}
		}
		if strings.Contains(text, "hunter2") || strings.Contains(text, "\x1b") {
			t.Error("a secret or an escape is in the export")
		}
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
	for name, want := range map[string]string{
		"here.txt":       "here.txt is there already; name another file",
		"/none/at/all/x": "no such directory",
	} {
		if _, _, err := w.exportLog(t.Context(), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := w.exportLog(ctx, "half.txt"); !errors.Is(err, context.Canceled) {
		t.Errorf("a panel that is closed: %v", err)
	}
	if _, err := os.Stat(filepath.Join(w.home, "half.txt")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half an export is left: %v", err)
	}
}
