package doctor

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/install"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/all"
)

// testDoctor is a doctor on a machine where nothing is set up.
func testDoctor(t *testing.T) Doctor {
	t.Helper()
	home, exe := t.TempDir(), os.Args[0]
	a := &app.App{Environ: []string{"LECTERN_HOME=" + home}, Now: time.Now, Exe: exe, Version: "1.0.0", Systems: sync.OnceValue(func() []tools.Kind { return append(all.Systems(), farSystem()) }), Environment: all.Environment, Plugin: pluginOfVersion("1.2.3")}
	a.Started = func() daemon.BuildInfo { return a.BuildInfo() }
	paths, err := config.PathsFor(a.Getenv, runtime.GOOS, "")
	if err != nil {
		t.Fatal(err)
	}
	a.Paths = app.Paths{Paths: paths}
	return Doctor{
		Planner:  install.Planner{App: a},
		Snapshot: func(context.Context) (status.Snapshot, error) { return status.Snapshot{}, daemon.ErrNoHub },
		Updater: func(c config.Update) (*update.Updater, error) {
			return update.New(update.Config{Mirror: c.Mirror, Pin: c.Pin, Version: a.Version, OS: runtime.GOOS, Arch: runtime.GOARCH, Target: exe, State: paths.State, Now: a.Now})
		},
	}
}

// farSystem is a System with a Check, for the doctor to find.
func farSystem() tools.Kind {
	return tools.Erase(tools.System[tools.Source, struct{}]{
		Name: "far", Title: "Far",
		Checks: []tools.Check[tools.Source]{{Name: "wings", Title: "It has wings", Look: func(tools.Source, context.Context, tools.Doctor) status.Check {
			return status.Check{Result: status.CheckOK}
		}}},
	})
}

// pluginOfVersion is a plugin that does nothing.
func pluginOfVersion(version string) fs.FS {
	return fstest.MapFS{"package.json": {Data: []byte(`{"name": "` + plugin.ID + `", "version": "` + version + `"}`)}}
}

// A check that never returns does not hold up the others.
func TestCheckTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		defer close(never)
		got := testDoctor(t).newRun(t.Context(), "").runCheck(t.Context(), check{name: "a.b", title: "A", timeout: time.Minute, look: func(context.Context, *checkRun) status.Check {
			<-never
			return okResult("late")
		}})
		want := status.Check{
			Name: "a.b", Title: "A", Result: status.CheckFail, Detail: "timed out after 1m0s",
			Fix: "Check whether the disk or the program behind it still responds.",
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// The channel closes when ctx ends, even if nobody reads.
func TestChecksEndWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	found, err := testDoctor(t).Check(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	if c := <-found; c.Name != "config.file" || c.Result != status.CheckOK || c.Title == "" {
		t.Errorf("first came %+v", c)
	}
	cancel()
	for range found { // at most one is on its way
	}
	if _, err := testDoctor(t).Check(t.Context(), "nothing"); err == nil {
		t.Error("accepted a prefix of no check")
	}
}

// Names are lower case and unique, and the checks of a group stand together.
func TestNames(t *testing.T) {
	names := testDoctor(t).Names()
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] || strings.Count(name, ".") != 1 || strings.ToLower(name) != name {
			t.Errorf("%s", name)
		}
		seen[name] = true
	}
	in := map[string]bool{}
	last := ""
	for _, name := range names {
		group, _, _ := strings.Cut(name, ".")
		if group != last && in[group] {
			t.Errorf("group %s stands in two places", group)
		}
		last, in[group] = group, true
	}
}

func TestClock(t *testing.T) {
	d := testDoctor(t)
	if err := os.MkdirAll(d.Paths.State, 0o700); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for want, at := range map[string]time.Time{
		"on the disk as well":           now,
		"but this binary was written":   now.Add(-24 * 365 * 10 * time.Hour),
		"the clock of the disk is 2h0m": now.Add(2 * time.Hour),
	} {
		d.Now = func() time.Time { return at }
		got := checkClock(t.Context(), d.newRun(t.Context(), ""))
		if !strings.Contains(got.Detail, want) {
			t.Errorf("%+v, want %s", got, want)
		}
	}
	left, err := filepath.Glob(filepath.Join(d.Paths.State, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
