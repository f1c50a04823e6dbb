package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
)

// quiet is a machine without any program of others, so that what is found on
// it does not depend on where the test runs.
func quiet(t *testing.T) *world {
	t.Helper()
	t.Setenv("PATH", t.TempDir())
	w := testWorld(t)
	w.home, w.plugin = t.TempDir(), smallPlugin
	w.exe = filepath.Join(t.TempDir(), "lectern")
	if err := os.WriteFile(w.exe, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return w
}

// What the panel adds keeps every promise of a Client, also while it changes.
func TestLocalIsAClient(t *testing.T) {
	w := quiet(t)
	statustest.Run(t, func(t *testing.T, f *statustest.Fake) status.Client {
		l := w.onMachine(f)
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		go l.run(ctx)
		return l
	}, status.ChecksQuery.Name, status.SettingsQuery.Name)
}

// placeIs waits for the picture of one place, in that state.
func placeIs(t *testing.T, c status.Client, id string, want status.State) status.Installation {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
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

// Every kind of place goes in, is found there, and comes out without a trace;
// there is no hub all the while.
func TestLocalPlaces(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the paths are those of Linux")
	}
	for id, file := range map[string]string{
		"client/cursor":     ".cursor/mcp.json",
		"skill/claude-code": ".claude/skills/lectern/SKILL.md",
		"plugin/logseq":     ".logseq/plugins/logseq-lectern/package.json",
	} {
		t.Run(id, func(t *testing.T) {
			w := quiet(t)
			for _, dir := range []string{".cursor", ".claude", ".logseq"} {
				if err := os.Mkdir(filepath.Join(w.home, dir), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(w.home, ".claude.json"), []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
			l := w.onMachine(w.client(nil))
			go l.run(t.Context())
			if i := placeIs(t, l, id, status.Stopped); !i.Here || i.Condition != "not there" {
				t.Errorf("before: %+v", i)
			}
			in := status.Action{Verb: status.Install, Target: id}
			plan, err := l.Preview(t.Context(), in)
			if err != nil || len(plan.Steps) == 0 {
				t.Fatalf("preview: %+v, %v", plan, err)
			}
			full := filepath.Join(w.home, file)
			if _, err := os.Stat(full); err == nil {
				t.Fatalf("a preview wrote %s", full)
			}
			if err := l.Do(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(full); err != nil {
				t.Error(err)
			}
			placeIs(t, l, id, status.Ready)
			if plan, err := l.Preview(t.Context(), in); err != nil || len(plan.Steps) != 0 || !strings.HasSuffix(plan.Title, "nothing to do") {
				t.Errorf("again: %+v, %v", plan, err)
			}
			if err := l.Do(t.Context(), status.Action{Verb: status.Uninstall, Target: id}); err != nil {
				t.Fatal(err)
			}
			placeIs(t, l, id, status.Stopped)
			if _, err := os.Stat(full); err == nil {
				t.Errorf("%s is left", full)
			}
		})
	}
}

// What a person agreed to is what happens: a file that changed since the
// preview is an error, and stays as it is.
func TestLocalDoesWhatWasShown(t *testing.T) {
	w := quiet(t)
	l := w.onMachine(new(statustest.Fake))
	file := filepath.Join(w.home, ".cursor", "mcp.json")
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
	if err := l.Do(t.Context(), in); err == nil || !strings.Contains(err.Error(), "changed by another program") {
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

// A broken file of a client is shown with what to do, and not touched.
func TestLocalBrokenClient(t *testing.T) {
	w := quiet(t)
	l := w.onMachine(new(statustest.Fake))
	file := filepath.Join(w.home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("{\n  oops\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.look(t.Context())
	i := placeIs(t, watchable(l), "client/cursor", status.Degraded)
	if i.Condition != "broken" || !strings.Contains(i.Note, "mcp.json:2:") {
		t.Errorf("%+v", i)
	}
}

// watchable gives a Fake something to show.
func watchable(l *local) *local {
	l.Client.(*statustest.Fake).Set(status.Snapshot{})
	return l
}

// The token of HTTP clients is replaced at once, and the hub that reads it when
// it starts is restarted.
func TestLocalRotatesTokens(t *testing.T) {
	w := quiet(t)
	fake := new(statustest.Fake)
	fake.Set(status.Snapshot{Hub: status.Hub{Component: status.Component{State: status.Ready}}})
	l := w.onMachine(fake)
	a := status.Action{Verb: status.RotateToken, Target: "clients"}
	var before string
	for range 2 {
		plan, err := l.Preview(t.Context(), a)
		if err != nil || len(plan.Steps) != 2 || len(plan.Risks) == 0 {
			t.Fatalf("%+v, %v", plan, err)
		}
		if err := l.Do(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(w.tokenFile())
		if err != nil || string(text) == before {
			t.Errorf("the token is %q, %v, as before", text, err)
		}
		before = string(text)
	}
	if got := fake.Did(); len(got) != 2 || got[0].Verb != status.RestartHub {
		t.Errorf("the hub was asked %v", got)
	}
}

// renewable is a local whose lectern 1.0.0 can be updated to 1.1.0, both of
// them scripts; spoil changes what the server publishes.
func renewable(t *testing.T, spoil func(files map[string][]byte)) *local {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs of this test are shell scripts")
	}
	w := testWorld(t)
	w.exe = filepath.Join(t.TempDir(), "lectern")
	if err := os.WriteFile(w.exe, script("1.0.0"), 0o755); err != nil {
		t.Fatal(err)
	}
	url, key := published(t, "1.1.0", script("1.1.0"), spoil)
	l := w.onMachine(w.client(nil))
	usual := l.settings
	l.settings = func() (update.Config, error) {
		conf, err := usual()
		conf.Mirror, conf.PlainLoopback, conf.Keys, conf.Version = url, true, []string{key}, "1.0.0"
		conf.Owner = func(context.Context, string) (update.Owner, bool) { return update.Owner{}, false }
		return conf, err
	}
	l.look(t.Context())
	return l
}

// script is a lectern that only says its version.
func script(version string) []byte {
	said, _ := json.Marshal(update.Binary{Version: version, OS: runtime.GOOS, Arch: runtime.GOARCH})
	return []byte("#!/bin/sh\n[ \"$1\" = version ] || exit 64\necho '" + string(said) + "'\n")
}

// results are those of the steps, one letter each: good, bad, skipped, looking,
// pending.
func results(u status.Update) string {
	var b strings.Builder
	for _, s := range u.Steps {
		b.WriteByte(s.Result[0])
	}
	return b.String()
}

// pictures collects the different states of the steps until stop is called.
func pictures(t *testing.T, l *local) (stop func() []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var all []string
	var wake <-chan struct{}
	done := make(chan struct{})
	_, wake = l.present()
	go func() {
		defer close(done)
		for {
			a, next := l.present()
			if r := results(a.update); len(all) == 0 || all[len(all)-1] != r {
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

// A check, an update and a roll-back from the panel, without a hub: each step
// is shown as it is done, and the versions are right after each.
func TestLocalUpdates(t *testing.T) {
	l := renewable(t, nil)
	ask := status.Action{Verb: status.CheckUpdate}
	if plan, err := l.Preview(t.Context(), ask); err != nil || len(plan.Steps) != 1 {
		t.Errorf("%+v, %v", plan, err)
	}
	versions := func(want ...string) {
		t.Helper()
		a, _ := l.present()
		u := a.update
		if got := []string{u.Installed, u.Available, u.Previous, results(u)}; !slices.Equal(got, want) {
			t.Errorf("installed, available, previous, steps: %q, want %q", got, want)
		}
	}
	versions("1.0.0", "", "", "")
	if err := l.Do(t.Context(), ask); err != nil {
		t.Fatal(err)
	}
	versions("1.0.0", "1.1.0", "", "gg")
	if a, _ := l.present(); a.update.Asked.IsZero() || !strings.HasSuffix(a.update.URL, "/tag/v1.1.0") || len(a.notice) != 1 {
		t.Errorf("%+v", a)
	}
	if _, err := l.Preview(t.Context(), status.Action{Verb: status.RollBack}); err == nil {
		t.Error("a roll-back to nothing is planned")
	}
	plan, err := l.Preview(t.Context(), status.Action{Verb: status.InstallUpdate})
	if err != nil || plan.Title != "Update lectern 1.0.0 to 1.1.0" {
		t.Errorf("%+v, %v", plan, err)
	}
	seen := pictures(t, l)
	if err := l.Do(t.Context(), status.Action{Verb: status.InstallUpdate}); err != nil {
		t.Fatal(err)
	}
	versions("1.1.0", "1.1.0", "1.0.0", "ggggggggg")
	if shown := seen(); !inOrder(shown) || len(shown) < 3 {
		t.Errorf("shown: %q", shown)
	}
	a, _ := l.present()
	if a.update.Done == 0 || a.update.Done != a.update.Total || a.update.Steps[2].Detail != "" || len(a.notice) != 0 {
		t.Errorf("%+v", a)
	}
	if err := l.Do(t.Context(), status.Action{Verb: status.InstallUpdate}); err != nil {
		t.Fatal(err)
	}
	versions("1.1.0", "1.1.0", "1.0.0", "ggsssssss")
	if plan, err := l.Preview(t.Context(), status.Action{Verb: status.RollBack}); err != nil || plan.Title != "Go back from lectern 1.1.0 to 1.0.0" {
		t.Errorf("%+v, %v", plan, err)
	}
	if err := l.Do(t.Context(), status.Action{Verb: status.RollBack}); err != nil {
		t.Fatal(err)
	}
	versions("1.0.0", "1.1.0", "1.1.0", "ggg")
	for _, left := range []string{l.exe + ".prev", filepath.Join(l.places.State, "update.json")} {
		if _, err := os.Stat(left); err != nil || !slices.Contains(l.leftovers().Files, left) {
			t.Errorf("`lectern uninstall` would leave %s (%v)", left, err)
		}
	}
}

// inOrder reports whether no picture shows a later step done before an earlier.
func inOrder(shown []string) bool {
	for _, s := range shown {
		if strings.Trim(strings.TrimRight(strings.TrimLeft(s, "g"), "p"), "l") != "" {
			return false
		}
	}
	return true
}

// A server that lies is found out at the right step, and the person is told
// where to go; trying again once it is honest works.
func TestLocalUpdateRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(map[string][]byte)
		steps string
		says  string
	}{
		"another list":    {func(f map[string][]byte) { f["checksums.txt"] = append(f["checksums.txt"], ' ') }, "bssssssss", "the signature does not fit"},
		"another archive": {func(f map[string][]byte) { spoilArchive(f, func(b []byte) []byte { b[len(b)/2]++; return b }) }, "gggbsssss", "changed or damaged"},
		"no archive":      {func(f map[string][]byte) { spoilArchive(f, func([]byte) []byte { return nil }) }, "ggbssssss", "no such release"},
	} {
		t.Run(name, func(t *testing.T) {
			l := renewable(t, c.spoil)
			err := l.Do(t.Context(), status.Action{Verb: status.InstallUpdate})
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "install by hand: http") {
				t.Errorf("error %v", err)
			}
			a, _ := l.present()
			if got := results(a.update); got != c.steps {
				t.Errorf("steps %s, want %s", got, c.steps)
			}
			bad := a.update.Steps[strings.IndexByte(c.steps, 'b')]
			if !strings.Contains(bad.Detail, c.says) || !strings.Contains(bad.Fix, a.update.URL) || bad.Action == nil || bad.Action.Verb != status.InstallUpdate {
				t.Errorf("%+v", bad)
			}
			if a.update.Installed != "1.0.0" {
				t.Errorf("installed %s", a.update.Installed)
			}
		})
	}
}

func spoilArchive(files map[string][]byte, edit func([]byte) []byte) {
	for name, text := range files {
		if strings.HasSuffix(name, ".tar.gz") {
			if files[name] = edit(text); files[name] == nil {
				delete(files, name)
			}
		}
	}
}

// A build without keys, or one that a package manager owns, says so before
// anybody tries.
func TestLocalCannotUpdate(t *testing.T) {
	l := quiet(t).onMachine(new(statustest.Fake))
	l.look(t.Context())
	if a, _ := l.present(); !strings.Contains(a.update.Note, "no release key") {
		t.Errorf("note %q", a.update.Note)
	}
	l = renewable(t, nil)
	usual := l.settings
	l.settings = func() (update.Config, error) {
		conf, err := usual()
		conf.Owner = func(context.Context, string) (update.Owner, bool) {
			return update.Owner{Manager: "Pack", Command: "pack up"}, true
		}
		return conf, err
	}
	if _, err := l.Preview(t.Context(), status.Action{Verb: status.InstallUpdate}); err == nil || !strings.Contains(err.Error(), "pack up") {
		t.Errorf("error %v", err)
	}
	l.look(t.Context())
	if a, _ := l.present(); !strings.Contains(a.update.Note, "pack up") {
		t.Errorf("note %q", a.update.Note)
	}
}

// Closing the panel breaks a download off, and never a swap that has begun.
func TestLocalFinish(t *testing.T) {
	l := renewable(t, nil)
	asked := make(chan struct{}, 1)
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer hangs.Close()
	usual := l.settings
	l.settings = func() (update.Config, error) {
		conf, err := usual()
		conf.Mirror = hangs.URL
		return conf, err
	}
	end := make(chan error, 1)
	go func() { end <- l.Do(t.Context(), status.Action{Verb: status.InstallUpdate}) }()
	<-asked
	if err := l.Do(t.Context(), status.Action{Verb: status.CheckUpdate}); err == nil || !strings.Contains(err.Error(), "under way") {
		t.Errorf("a second one at once: %v", err)
	}
	l.finish()
	if err := <-end; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	l.finish() // nothing is left to end

	parent, leave := context.WithCancel(t.Context())
	ctx, begun := l.breakable(parent)
	begun()
	leave()
	l.finish()
	if ctx.Err() != nil {
		t.Error("a swap that has begun is broken off")
	}
	parent, leave = context.WithCancel(t.Context())
	ctx, begun = l.breakable(parent)
	defer begun()
	leave()
	<-ctx.Done()
}
