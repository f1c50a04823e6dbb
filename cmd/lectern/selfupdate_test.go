package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
)

// The versions of two releases of this program, between which tests update. They are as
// long as each other and nowhere else in the binary, so that one can be made the other.
const oldVersion, newVersion = "1.0.7236154", "1.1.7236154"

// buildReleases builds this program as a release, once, and of that the next one: linking
// takes seconds. Only linking differs from what the tests are built of, so that nothing is
// compiled again.
var buildReleases = sync.OnceValues(func() (releases [2][]byte, err error) {
	folder, err := os.MkdirTemp("", "release")
	if err != nil {
		return releases, err
	}
	defer os.RemoveAll(folder)
	for i, version := range []string{oldVersion, newVersion} {
		if i > 0 && runtime.GOOS != "darwin" { // which runs no program whose bytes are not those that were signed
			releases[i] = bytes.ReplaceAll(releases[0], []byte(oldVersion), []byte(newVersion))
			break
		}
		exe := filepath.Join(folder, version)
		build := exec.Command("go", "build", "-buildvcs=false", "-ldflags", "-s -w -X main.lecternVersion="+version, "-o", exe, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return releases, fmt.Errorf("build: %w\n%s", err, out)
		}
		if releases[i], err = os.ReadFile(exe); err != nil {
			return releases, err
		}
	}
	return releases, nil
})

// An installation is a lectern of oldVersion that is installed, with its hub and a
// release of newVersion to be had.
type installation struct {
	t        *testing.T
	c        *cli
	config   update.Config
	said     *bytes.Buffer
	exe      string
	home     string
	old, new []byte
}

// newInstallation makes an installation; next is the program that its release brings, nil: this one.
func newInstallation(t *testing.T, next []byte) *installation {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("this test makes archives for unix")
	}
	if runtest.UnderRace {
		t.Skip("the releases that it runs are built without the race detector")
	}
	releases, err := buildReleases()
	if err != nil {
		t.Fatal(err)
	}
	if next == nil {
		next = releases[1]
	}
	i := &installation{t: t, home: newHome(t), old: releases[0], new: next, said: &bytes.Buffer{}}
	i.exe = filepath.Join(t.TempDir(), "lectern")
	if err := os.WriteFile(i.exe, i.old, 0o755); err != nil {
		t.Fatal(err)
	}
	if i.c, err = newCLI(&bytes.Buffer{}, i.said, i.said, append(os.Environ(), "LECTERN_HOME="+i.home)); err != nil {
		t.Fatal(err)
	}
	i.c.Exe = i.exe
	conf, err := i.c.selfUpdateConfig(i.c.stderrLog())
	if err != nil {
		t.Fatal(err)
	}
	url, key := apptest.PublishRelease(t, newVersion, next, nil)
	conf.Mirror, conf.PlainLoopback, conf.Keys, conf.Version = url, true, []string{key}, oldVersion
	i.config = conf
	return i
}

func (i *installation) checkBinary(want []byte) {
	i.t.Helper()
	if text, err := os.ReadFile(i.exe); err != nil || !bytes.Equal(text, want) {
		i.t.Errorf("what is installed is not what should be: %v", err)
	}
}

// Updates and rollbacks between two release builds, while two agents read page
// after page: the agents notice only a pause.
func TestSelfUpdateUnderAgents(t *testing.T) {
	i := newInstallation(t, nil)
	agents := []*agent{connect(t, i.exe, i.home), connect(t, i.exe, i.home)}
	stop, pauses := make(chan struct{}), make(chan time.Duration, len(agents))
	for _, a := range agents {
		a.nextAnswer(t)
		a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		a.send(`{"jsonrpc":"2.0","id":999999,"method":"tools/list"}`)
		a.nextAnswer(t)
		go func() { pauses <- a.readPages(t, stop) }()
	}
	if v := askHub(t, i.home).Version; v != oldVersion {
		t.Fatalf("the hub is of version %s", v)
	}
	panel := thismachine.New(thismachine.Config{
		App: i.c.App, Hub: i.c.hub().API(), Updates: func() (update.Config, error) { return i.config, nil }, Warn: func(string) {},
	})
	asked := func(verb status.Verb) func() error {
		return func() error { return panel.Do(t.Context(), status.Action{Verb: verb}) }
	}
	typed := func(f updateFlags) func() error {
		return func() error { return selfUpdate(t.Context(), i.c.console, i.config, f) }
	}
	for _, step := range []struct {
		name  string
		do    func() error
		want  string
		bytes []byte
	}{
		{"self-update", typed(updateFlags{}), newVersion, i.new},
		{"self-update --rollback", typed(updateFlags{rollback: true}), oldVersion, i.old},
		{"the panel's update", asked(status.InstallUpdate), newVersion, i.new},
		{"the panel's roll-back", asked(status.RollBack), oldVersion, i.old},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v\n%s", step.name, err, i.said)
		}
		i.checkBinary(step.bytes)
		if v := askHub(t, i.home); v.Version != step.want {
			t.Errorf("after %s the hub is of version %s", step.name, v.Version)
		}
		awaitSessions(t, i.home, len(agents))
	}
	apptest.AwaitSnapshot(t, panel, "the rolled back update", func(s status.Snapshot) bool {
		done := func(c status.Check) bool { return c.Result != status.CheckOK }
		return len(s.Update.Steps) == 3 && !slices.ContainsFunc(s.Update.Steps, done) && s.Update.Installed == oldVersion && s.Update.Previous == newVersion
	})
	close(stop)
	for range agents {
		t.Logf("longest pause of an agent: %s", <-pauses)
	}
	for _, a := range agents {
		a.disconnect(t)
	}
	stopTestHub(t, i.home)
	if !strings.Contains(i.said.String(), "updated lectern "+oldVersion+" to "+newVersion) {
		t.Errorf("said:\n%s", i.said)
	}
}

// An agent that started after an update, and is newer than the hub after a
// rollback, does not replace that hub.
func TestRollbackUnderNewerAgent(t *testing.T) {
	i := newInstallation(t, nil)
	if err := selfUpdate(t.Context(), i.c.console, i.config, updateFlags{}); err != nil {
		t.Fatal(err)
	}
	a := connect(t, i.exe, i.home)
	a.nextAnswer(t)
	if err := selfUpdate(t.Context(), i.c.console, i.config, updateFlags{rollback: true}); err != nil {
		t.Fatal(err)
	}
	a.send(`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`)
	if v := a.nextAnswer(t); v.Error != nil {
		t.Errorf("%s", v.Error)
	}
	awaitSessions(t, i.home, 1)
	if v := askHub(t, i.home); v.Version != oldVersion || v.Successor != nil {
		t.Errorf("the hub is %+v", v)
	}
	a.disconnect(t)
	stopTestHub(t, i.home)
}

// If the hub of a new release does not start, the old binary and its hub are
// restored.
func TestSelfUpdateToSickHub(t *testing.T) {
	sick := fmt.Appendf(nil, "#!/bin/sh\n[ \"$1\" = version ] || exit 64\necho '{\"version\":%q,\"os\":%q,\"arch\":%q}'\n", newVersion, runtime.GOOS, runtime.GOARCH)
	i := newInstallation(t, sick)
	a := connect(t, i.exe, i.home)
	a.nextAnswer(t)
	err := selfUpdate(t.Context(), i.c.console, i.config, updateFlags{})
	if err == nil || !strings.Contains(err.Error(), "version "+oldVersion+" is installed again") {
		t.Errorf("error %v", err)
	}
	i.checkBinary(i.old)
	if v := askHub(t, i.home).Version; v != oldVersion {
		t.Errorf("the hub is of version %s", v)
	}
	a.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read_page","arguments":{"path":"a.md"}}}`)
	if v := a.nextAnswer(t); v.Error != nil || !strings.Contains(string(v.Result), "words") {
		t.Errorf("%s %s", v.Error, v.Result)
	}
	a.disconnect(t)
	stopTestHub(t, i.home)
}

// readPages reads a page again and again until stop is closed, and returns the
// longest time that an answer took.
func (a *agent) readPages(t *testing.T, stop <-chan struct{}) (longest time.Duration) {
	for id := 1; ; id++ {
		select {
		case <-stop:
			return longest
		default:
		}
		began := time.Now()
		_, _ = io.WriteString(a.in, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_page","arguments":{"path":"a.md"}}}`+"\n", id))
		select {
		case v, open := <-a.answers:
			if !open || v.ID != id || v.Error != nil || !strings.Contains(string(v.Result), "words") {
				t.Errorf("call %d: open %v, %d %s %s", id, open, v.ID, v.Error, v.Result)
				return longest
			}
		case <-time.After(runtest.Timeout):
			t.Errorf("call %d: no answer", id)
			return longest
		}
		longest = max(longest, time.Since(began))
	}
}
