// Package apptest makes an App for tests: without a home directory of the
// user's, without a plugin of the build, and with files of its own. The tests
// of the commands and of the rooms beside app import it.
package apptest

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools/all"
)

// New makes an App whose files are in a folder of the test.
func New(t testing.TB) *app.App {
	t.Helper()
	root := t.TempDir()
	a := &app.App{
		Environ: []string{"LECTERN_HOME=" + root}, Now: time.Now, Version: "0.1.0-dev",
		Exe: filepath.Join(t.TempDir(), "lectern"), Home: t.TempDir(), Paths: Paths(root), Systems: sync.OnceValue(all.Systems),
		Environment: all.Environment, Plugin: PluginFiles("1.2.3"),
	}
	if err := os.WriteFile(a.Exe, []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	a.Started = sync.OnceValue(a.BuildInfo)
	return a
}

// Paths are the files of a Lectern whose LECTERN_HOME is root.
func Paths(root string) app.Paths {
	return app.Paths{Paths: config.Paths{
		Config: root, Data: filepath.Join(root, "data"), State: filepath.Join(root, "state"),
	}}
}

// PluginFiles is a plugin that does nothing.
func PluginFiles(version string) fs.FS {
	return fstest.MapFS{
		"package.json": {Data: []byte(`{"name": "` + plugin.ID + `", "version": "` + version + `", "` + plugin.System +
			`": {"title": "T", "icon": "./dist/icon.svg"}}`)},
		"README.md":     {Data: []byte("# Read\n")},
		"dist/index.js": {Data: []byte("run()\n")},
		"dist/icon.svg": {Data: []byte("<svg/>\n")},
	}
}

// WriteConfig writes the configuration file of a.
func WriteConfig(t testing.TB, a *app.App, text string) {
	t.Helper()
	if err := os.WriteFile(a.Paths.File(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// AwaitSnapshot waits for a snapshot that ok accepts; what names it in the failure.
func AwaitSnapshot(t testing.TB, c status.Client, what string, ok func(status.Snapshot) bool) status.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), runtest.Timeout)
	defer cancel()
	shots, err := c.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var last status.Snapshot
	for last = range shots {
		if ok(last) {
			return last
		}
	}
	t.Fatalf("no snapshot with %s; last %+v", what, last)
	return last
}

// HasProblemFunc returns a function that accepts snapshots with a problem of this type.
func HasProblemFunc(kind status.ProblemType) func(status.Snapshot) bool {
	return func(s status.Snapshot) bool {
		for _, p := range s.Problems {
			if p.Code == kind.Code {
				return true
			}
		}
		return false
	}
}
