package thismachine

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

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/internal/logs"
)

// The export contains every line of every log file, with secrets redacted as in
// the log; it is private and overwrites nothing.
func TestExportLog(t *testing.T) {
	a := apptest.New(t)
	if _, _, err := ExportLog(t.Context(), a, ""); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("without a log: %v", err)
	}
	l, err := logs.New(logs.Options{File: a.Paths.Log(), FileSize: 64 << 10, Level: slog.LevelDebug})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(l)
	const lines = 1500 // three files
	for i := range lines {
		log.Debug("call done\x1b[2J", "component", "notes", "number", i, "access_token", "hunter2-hunter2")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(a.Paths.Log() + ".1"); err != nil {
		t.Fatalf("the log has not rotated: %v", err)
	}
	for _, c := range [][2]string{
		{"", filepath.Join(a.Paths.SavedFiles(), "lectern-log.txt")},
		{" ", filepath.Join(a.Paths.SavedFiles(), "lectern-log-2.txt")},
		{"~/whole.txt", filepath.Join(a.Home, "whole.txt")},
		{"here.txt", filepath.Join(a.Home, "here.txt")},
		{a.Home, filepath.Join(a.Home, "lectern-log.txt")},
		{filepath.Join(a.Home, "a b"), filepath.Join(a.Home, "a b")},
	} {
		name, want := c[0], c[1]
		path, n, err := ExportLog(t.Context(), a, name)
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
		"here.txt":       "here.txt already exists; choose another name",
		"/none/at/all/x": "not found; create it",
	} {
		if _, _, err := ExportLog(t.Context(), a, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := ExportLog(ctx, a, "half.txt"); !errors.Is(err, context.Canceled) {
		t.Errorf("a panel that is closed: %v", err)
	}
	if _, err := os.Stat(filepath.Join(a.Home, "half.txt")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half an export is left: %v", err)
	}
}
