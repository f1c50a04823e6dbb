package thismachine

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
)

// newIsolatedApp is an App on a machine without programs of others, so that what is
// found on it does not depend on where the test runs.
func newIsolatedApp(t *testing.T) *app.App {
	t.Helper()
	t.Setenv("PATH", t.TempDir())
	return apptest.New(t)
}

func newMachine(a *app.App, hub status.Client) *Machine {
	return New(Config{App: a, Hub: hub, Warn: func(string) {}, Updates: func() (update.Config, error) {
		conf, err := a.Config()
		return NewUpdateConfig(a, conf.Update, slog.New(slog.DiscardHandler)), err
	}})
}

// A Machine keeps every promise of a Client, also while its state changes.
func TestMachineIsAClient(t *testing.T) {
	a := newIsolatedApp(t)
	statustest.Run(t, func(t *testing.T, f *statustest.Fake) status.Client {
		l := newMachine(a, f)
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		go l.RunScanLoop(ctx)
		return l
	}, status.ChecksQuery.Name, status.SettingsQuery.Name, status.RecordedCallsQuery.Name, status.AgentsQuery.Name, status.CompletePathQuery.Name,
		status.LogPageQuery.Name)
}

// awaitInstallation waits for an Installation in a state.
func awaitInstallation(t *testing.T, c status.Client, id string, want status.State) status.Installation {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), runtest.Timeout)
	defer cancel()
	shots, err := c.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var last status.Installation
	for s := range shots {
		for _, i := range s.Installations {
			if i.ID == id {
				last = i
			}
		}
		if last.State == want {
			return last
		}
	}
	t.Fatalf("%s is %+v, want it %s", id, last, want)
	return last
}

// Every kind of installation can be installed, found and removed without a trace,
// without a hub.
func TestInstallations(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the paths are those of Linux")
	}
	for id, file := range map[string]string{
		"client/cursor":     ".cursor/mcp.json",
		"skill/claude-code": ".claude/skills/lectern/SKILL.md",
		"plugin/logseq":     ".logseq/plugins/logseq-lectern/package.json",
	} {
		t.Run(id, func(t *testing.T) {
			a := newIsolatedApp(t)
			for _, dir := range []string{".cursor", ".claude", ".logseq"} {
				if err := os.Mkdir(filepath.Join(a.Home, dir), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(a.Home, ".claude.json"), []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
			l := newMachine(a, HubClient{a}.API())
			go l.RunScanLoop(t.Context())
			if i := awaitInstallation(t, l, id, status.Stopped); !i.Detected || i.Condition != notInstalled {
				t.Errorf("before: %+v", i)
			}
			in := status.Action{Verb: status.Install, Target: id}
			plan, err := l.Preview(t.Context(), in)
			if err != nil || len(plan.Steps) == 0 {
				t.Fatalf("preview: %+v, %v", plan, err)
			}
			full := filepath.Join(a.Home, file)
			if _, err := os.Stat(full); err == nil {
				t.Fatalf("a preview wrote %s", full)
			}
			if err := l.Do(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(full); err != nil {
				t.Error(err)
			}
			awaitInstallation(t, l, id, status.Ready)
			if plan, err := l.Preview(t.Context(), in); err != nil || len(plan.Steps) != 0 || !strings.HasSuffix(plan.Title, "nothing to do") {
				t.Errorf("again: %+v, %v", plan, err)
			}
			if err := l.Do(t.Context(), status.Action{Verb: status.Uninstall, Target: id}); err != nil {
				t.Fatal(err)
			}
			awaitInstallation(t, l, id, status.Stopped)
			if _, err := os.Stat(full); err == nil {
				t.Errorf("%s is left", full)
			}
		})
	}
}

// Only what a person has confirmed is applied: a file that changed after the
// preview is an error and is not touched.
func TestMachineDoesWhatWasShown(t *testing.T) {
	a := newIsolatedApp(t)
	l := newMachine(a, new(statustest.Fake))
	file := filepath.Join(a.Home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	in := status.Action{Verb: status.Install, Target: "client/cursor"}
	if _, err := l.Preview(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	const theirs = `{"mcpServers":{"other":{"command":"x"}}}`
	if err := os.WriteFile(file, []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Do(t.Context(), in); err == nil || !strings.Contains(err.Error(), "another program has just changed") {
		t.Errorf("error %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != theirs {
		t.Errorf("the file holds %q, %v", text, err)
	}
	if err := l.Do(t.Context(), in); err != nil { // a new proposal
		t.Error(err)
	}
	for _, a := range []status.Action{
		{Verb: status.Install, Target: "client/cursors"}, {Verb: status.Install, Target: "teapot"}, {Verb: status.RotateToken, Target: "teapot"},
	} {
		if _, err := l.Preview(t.Context(), a); err == nil {
			t.Errorf("%+v is planned", a)
		}
	}
}

// A client's broken file is shown with advice, and not touched.
func TestBrokenClient(t *testing.T) {
	a := newIsolatedApp(t)
	l := newMachine(a, new(statustest.Fake))
	file := filepath.Join(a.Home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("{\n  oops\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.scan(t.Context())
	i := awaitInstallation(t, withSnapshot(l), "client/cursor", status.Degraded)
	if i.Condition != "broken" || !strings.Contains(i.Note, "mcp.json:2:") {
		t.Errorf("%+v", i)
	}
}

// withSnapshot gives a Fake something to show.
func withSnapshot(l *Machine) *Machine {
	l.Client.(*statustest.Fake).Set(status.Snapshot{})
	return l
}

// The token of HTTP clients is replaced at once, and the hub, which reads it when
// it starts, is restarted.
func TestRotateTokens(t *testing.T) {
	a := newIsolatedApp(t)
	fake := new(statustest.Fake)
	fake.Set(status.Snapshot{Hub: status.Hub{Component: status.Component{State: status.Ready}}})
	l := newMachine(a, fake)
	act := status.Action{Verb: status.RotateToken, Target: "clients"}
	var before string
	for range 2 {
		plan, err := l.Preview(t.Context(), act)
		if err != nil || len(plan.Steps) != 2 || len(plan.Risks) == 0 {
			t.Fatalf("%+v, %v", plan, err)
		}
		if err := l.Do(t.Context(), act); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(a.Paths.SharedClientToken())
		if err != nil || string(text) == before {
			t.Errorf("the token is %q, %v, as before", text, err)
		}
		before = string(text)
	}
	if got := fake.Actions(); len(got) != 2 || got[0].Verb != status.RestartHub {
		t.Errorf("the hub was asked %v", got)
	}
}

// updatable is a Machine whose lectern 1.0.0 can be updated to 1.1.0, both of
// them scripts; tamper changes what the server publishes.
func updatable(t *testing.T, tamper func(files map[string][]byte)) *Machine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs of this test are shell scripts")
	}
	a := apptest.New(t)
	if err := os.WriteFile(a.Exe, versionScript("1.0.0"), 0o755); err != nil {
		t.Fatal(err)
	}
	url, key := apptest.PublishRelease(t, "1.1.0", versionScript("1.1.0"), tamper)
	l := newMachine(a, HubClient{a}.API())
	usual := l.conf.Updates
	l.conf.Updates = func() (update.Config, error) {
		conf, err := usual()
		conf.Mirror, conf.PlainLoopback, conf.Keys, conf.Version = url, true, []string{key}, "1.0.0"
		conf.Owner = func(context.Context, string) (update.PackageManager, bool) { return update.PackageManager{}, false }
		return conf, err
	}
	l.scan(t.Context())
	return l
}

// versionScript is a lectern that only says its version.
func versionScript(version string) []byte {
	said, _ := json.Marshal(update.Binary{Version: version, OS: runtime.GOOS, Arch: runtime.GOARCH})
	return []byte("#!/bin/sh\n[ \"$1\" = version ] || exit 64\necho '" + string(said) + "'\n")
}

// stepResults are those of the steps, one letter each: ok, fail, skipped, running,
// pending.
func stepResults(u status.Update) string {
	var b strings.Builder
	for _, s := range u.Steps {
		b.WriteByte(s.Result[0])
	}
	return b.String()
}

// recordSteps collects the different states of the steps until stop is called.
func recordSteps(t *testing.T, l *Machine) (stop func() []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var all []string
	var wake <-chan struct{}
	done := make(chan struct{})
	_, wake = l.currentState()
	go func() {
		defer close(done)
		for {
			a, next := l.currentState()
			if r := stepResults(a.update); len(all) == 0 || all[len(all)-1] != r {
				all = append(all, r)
			}
			wake = next
			select {
			case <-wake:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() []string {
		cancel()
		<-done
		return all
	}
}

// A check, an update and a rollback from the panel, without a hub: each step is
// shown when it is done, and the versions are right after each.
func TestUpdates(t *testing.T) {
	l := updatable(t, nil)
	ask := status.Action{Verb: status.CheckUpdate}
	if plan, err := l.Preview(t.Context(), ask); err != nil || len(plan.Steps) != 1 {
		t.Errorf("%+v, %v", plan, err)
	}
	versions := func(want ...string) {
		t.Helper()
		a, _ := l.currentState()
		u := a.update
		if got := []string{u.Installed, u.Available, u.Previous, stepResults(u)}; !slices.Equal(got, want) {
			t.Errorf("installed, available, previous, steps: %q, want %q", got, want)
		}
	}
	versions("1.0.0", "", "", "")
	if err := l.Do(t.Context(), ask); err != nil {
		t.Fatal(err)
	}
	versions("1.0.0", "1.1.0", "", "oo")
	if a, _ := l.currentState(); a.update.Asked.IsZero() || !strings.HasSuffix(a.update.URL, "/tag/v1.1.0") || len(a.notices) != 1 {
		t.Errorf("%+v", a)
	}
	if _, err := l.Preview(t.Context(), status.Action{Verb: status.RollBack}); err == nil {
		t.Error("a roll-back to nothing is planned")
	}
	plan, err := l.Preview(t.Context(), status.Action{Verb: status.InstallUpdate})
	if err != nil || plan.Title != "Update lectern 1.0.0 to 1.1.0" {
		t.Errorf("%+v, %v", plan, err)
	}
	seen := recordSteps(t, l)
	if err := l.Do(t.Context(), status.Action{Verb: status.InstallUpdate}); err != nil {
		t.Fatal(err)
	}
	versions("1.1.0", "1.1.0", "1.0.0", "ooooooooo")
	if shown := seen(); !inOrder(shown) || len(shown) < 3 {
		t.Errorf("shown: %q", shown)
	}
	a, _ := l.currentState()
	if a.update.Done == 0 || a.update.Done != a.update.Total || a.update.Steps[2].Detail != "" || len(a.notices) != 0 {
		t.Errorf("%+v", a)
	}
	if err := l.Do(t.Context(), status.Action{Verb: status.InstallUpdate}); err != nil {
		t.Fatal(err)
	}
	versions("1.1.0", "1.1.0", "1.0.0", "oosssssss")
	if plan, err := l.Preview(t.Context(), status.Action{Verb: status.RollBack}); err != nil || plan.Title != "Roll back from lectern 1.1.0 to 1.0.0" {
		t.Errorf("%+v, %v", plan, err)
	}
	if err := l.Do(t.Context(), status.Action{Verb: status.RollBack}); err != nil {
		t.Fatal(err)
	}
	versions("1.0.0", "1.1.0", "1.1.0", "ooo")
	u, err := l.updater()
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range []string{l.conf.Exe + ".prev", filepath.Join(l.conf.Paths.State, "update.json")} {
		if _, err := os.Stat(left); err != nil || !slices.Contains(u.Files(), left) {
			t.Errorf("`lectern uninstall` would leave %s (%v)", left, err)
		}
	}
}

// inOrder reports whether no picture shows a later step done before an earlier.
func inOrder(shown []string) bool {
	for _, s := range shown {
		if strings.Trim(strings.TrimRight(strings.TrimLeft(s, "o"), "p"), "r") != "" {
			return false
		}
	}
	return true
}

// A tampered release is detected at the right step, and the error says how to
// install by hand.
func TestUpdateRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(map[string][]byte)
		steps string
		says  string
	}{
		"another list":    {func(f map[string][]byte) { f["checksums.txt"] = append(f["checksums.txt"], ' ') }, "fssssssss", "the signature does not match"},
		"another archive": {func(f map[string][]byte) { tamperArchive(f, func(b []byte) []byte { b[len(b)/2]++; return b }) }, "ooofsssss", "changed or damaged"},
		"no archive":      {func(f map[string][]byte) { tamperArchive(f, func([]byte) []byte { return nil }) }, "oofssssss", "no such release"},
	} {
		t.Run(name, func(t *testing.T) {
			l := updatable(t, c.spoil)
			err := l.Do(t.Context(), status.Action{Verb: status.InstallUpdate})
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "install by hand: http") {
				t.Errorf("error %v", err)
			}
			a, _ := l.currentState()
			if got := stepResults(a.update); got != c.steps {
				t.Errorf("steps %s, want %s", got, c.steps)
			}
			bad := a.update.Steps[strings.IndexByte(c.steps, 'f')]
			if !strings.Contains(bad.Detail, c.says) || !strings.Contains(bad.Fix, a.update.URL) || bad.Action == nil || bad.Action.Verb != status.InstallUpdate {
				t.Errorf("%+v", bad)
			}
			if a.update.Installed != "1.0.0" {
				t.Errorf("installed %s", a.update.Installed)
			}
		})
	}
}

func tamperArchive(files map[string][]byte, edit func([]byte) []byte) {
	for name, text := range files {
		if strings.HasSuffix(name, ".tar.gz") {
			if files[name] = edit(text); files[name] == nil {
				delete(files, name)
			}
		}
	}
}

// A build without keys, or one that a package manager owns, says so before an
// update is tried.
func TestCannotUpdate(t *testing.T) {
	l := newMachine(newIsolatedApp(t), new(statustest.Fake))
	l.scan(t.Context())
	if a, _ := l.currentState(); !strings.Contains(a.update.Note, "no release key") {
		t.Errorf("note %q", a.update.Note)
	}
	l = updatable(t, nil)
	usual := l.conf.Updates
	l.conf.Updates = func() (update.Config, error) {
		conf, err := usual()
		conf.Owner = func(context.Context, string) (update.PackageManager, bool) {
			return update.PackageManager{Name: "Pack", Command: "pack up"}, true
		}
		return conf, err
	}
	if _, err := l.Preview(t.Context(), status.Action{Verb: status.InstallUpdate}); err == nil || !strings.Contains(err.Error(), "pack up") {
		t.Errorf("error %v", err)
	}
	l.scan(t.Context())
	if a, _ := l.currentState(); !strings.Contains(a.update.Note, "pack up") {
		t.Errorf("note %q", a.update.Note)
	}
}

// Closing the panel cancels a download, but never a swap that has begun.
func TestFinishUpdate(t *testing.T) {
	l := updatable(t, nil)
	asked := make(chan struct{}, 1)
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer hangs.Close()
	usual := l.conf.Updates
	l.conf.Updates = func() (update.Config, error) {
		conf, err := usual()
		conf.Mirror = hangs.URL
		return conf, err
	}
	end := make(chan error, 1)
	go func() { end <- l.Do(t.Context(), status.Action{Verb: status.InstallUpdate}) }()
	<-asked
	if err := l.Do(t.Context(), status.Action{Verb: status.CheckUpdate}); err == nil || !strings.Contains(err.Error(), "already running") {
		t.Errorf("a second one at once: %v", err)
	}
	l.StopUpdate()
	if err := <-end; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	l.StopUpdate() // nothing is left to end

	parent, leave := context.WithCancel(t.Context())
	ctx, begun := l.newUpdateContext(parent)
	begun()
	leave()
	l.StopUpdate()
	if ctx.Err() != nil {
		t.Error("a swap that has begun is broken off")
	}
	parent, leave = context.WithCancel(t.Context())
	ctx, begun = l.newUpdateContext(parent)
	defer begun()
	leave()
	<-ctx.Done()
}
