package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"

	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/status"
)

// built builds this program as a release of a version.
func built(t *testing.T, version string) []byte {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "lectern")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.lecternVersion="+version, "-o", exe, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	text, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// published serves a signed release and returns its URL and key. spoil changes
// what is served; nil: nothing.
func published(t *testing.T, version string, binary []byte, spoil func(files map[string][]byte)) (url, key string) {
	t.Helper()
	public, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(text []byte, comment string) []byte {
		return minisign.SignWithComments(private, text, comment, "a test")
	}
	var archive bytes.Buffer
	zipped := gzip.NewWriter(&archive)
	w := tar.NewWriter(zipped)
	for name, text := range map[string][]byte{
		"lectern": binary, "lectern.minisig": sign(binary, fmt.Sprintf("lectern %s %s/%s", version, runtime.GOOS, runtime.GOARCH)),
	} {
		err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg})
		if _, werr := w.Write(text); err != nil || werr != nil {
			t.Fatal(err, werr)
		}
	}
	if err := errors.Join(w.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("lectern_%s_%s_%s.tar.gz", version, runtime.GOOS, runtime.GOARCH)
	list := fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(archive.Bytes()), name)
	files := map[string][]byte{"checksums.txt": list, "checksums.txt.minisig": sign(list, "lectern "+version), name: archive.Bytes()}
	if spoil != nil {
		spoil(files)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := files[filepath.Base(r.URL.Path)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(text)
	}))
	t.Cleanup(server.Close)
	return server.URL, public.String()
}

// An install is a lectern 1.0.0 that is installed, with its hub and a release
// 1.1.0 to be had.
type install struct {
	t        *testing.T
	w        *world
	config   update.Config
	said     *bytes.Buffer
	exe      string
	home     string
	old, new []byte
}

func installed(t *testing.T, next []byte) *install {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("this test makes archives for unix")
	}
	i := &install{t: t, home: household(t), old: built(t, "1.0.0"), new: next, said: &bytes.Buffer{}}
	i.exe = filepath.Join(t.TempDir(), "lectern")
	if err := os.WriteFile(i.exe, i.old, 0o755); err != nil {
		t.Fatal(err)
	}
	var err error
	if i.w, err = newWorld(&bytes.Buffer{}, i.said, i.said, append(os.Environ(), "LECTERN_HOME="+i.home)); err != nil {
		t.Fatal(err)
	}
	i.w.exe = i.exe
	conf, err := i.w.updating()
	if err != nil {
		t.Fatal(err)
	}
	url, key := published(t, "1.1.0", next, nil)
	conf.Mirror, conf.PlainLoopback, conf.Keys, conf.Version = url, true, []string{key}, "1.0.0"
	i.config = conf
	return i
}

func (i *install) holds(want []byte) {
	i.t.Helper()
	if text, err := os.ReadFile(i.exe); err != nil || !bytes.Equal(text, want) {
		i.t.Errorf("what is installed is not what should be: %v", err)
	}
}

// Old, new, and back, between two binaries as they are released, while two
// agents read page after page: they notice a pause and nothing else.
func TestSelfUpdateUnderAgents(t *testing.T) {
	i := installed(t, built(t, "1.1.0"))
	agents := []*agent{connect(t, i.exe, i.home), connect(t, i.exe, i.home)}
	stop, pauses := make(chan struct{}), make(chan time.Duration, len(agents))
	for _, a := range agents {
		a.next(t)
		a.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		a.say(`{"jsonrpc":"2.0","id":999999,"method":"tools/list"}`)
		a.next(t)
		go func() { pauses <- a.readOn(t, stop) }()
	}
	if v := hubOf(t, i.home).Version; v != "1.0.0" {
		t.Fatalf("the hub is of version %s", v)
	}
	panel := i.w.onMachine(i.w.client(nil))
	panel.settings = func() (update.Config, error) { return i.config, nil }
	asked := func(verb status.Verb) func() error {
		return func() error { return panel.Do(t.Context(), status.Action{Verb: verb}) }
	}
	typed := func(f updateFlags) func() error {
		return func() error { return i.w.selfUpdate(t.Context(), i.config, f) }
	}
	for _, step := range []struct {
		name  string
		do    func() error
		want  string
		bytes []byte
	}{
		{"self-update", typed(updateFlags{}), "1.1.0", i.new},
		{"self-update --rollback", typed(updateFlags{rollback: true}), "1.0.0", i.old},
		{"the panel's update", asked(status.InstallUpdate), "1.1.0", i.new},
		{"the panel's roll-back", asked(status.RollBack), "1.0.0", i.old},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v\n%s", step.name, err, i.said)
		}
		i.holds(step.bytes)
		if v := hubOf(t, i.home); v.Version != step.want {
			t.Errorf("after %s the hub is of version %s", step.name, v.Version)
		}
		awaitSessions(t, i.home, len(agents))
	}
	if a, _ := panel.present(); results(a.update) != "ggg" || a.update.Installed != "1.0.0" || a.update.Previous != "1.1.0" {
		t.Errorf("the panel shows %+v", a.update)
	}
	close(stop)
	for range agents {
		t.Logf("longest pause of an agent: %s", <-pauses)
	}
	for _, a := range agents {
		a.leave(t)
	}
	stopHub(t, i.home)
	if !strings.Contains(i.said.String(), "lectern 1.1.0 is installed in place of 1.0.0") {
		t.Errorf("said:\n%s", i.said)
	}
}

// An agent that started after an update, so that it is newer than what a
// rollback brings, does not drive the older hub away.
func TestRollbackUnderNewerAgent(t *testing.T) {
	i := installed(t, built(t, "1.1.0"))
	if err := i.w.selfUpdate(t.Context(), i.config, updateFlags{}); err != nil {
		t.Fatal(err)
	}
	a := connect(t, i.exe, i.home)
	a.next(t)
	if err := i.w.selfUpdate(t.Context(), i.config, updateFlags{rollback: true}); err != nil {
		t.Fatal(err)
	}
	a.say(`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`)
	if v := a.next(t); v.Error != nil {
		t.Errorf("%s", v.Error)
	}
	awaitSessions(t, i.home, 1)
	if v := hubOf(t, i.home); v.Version != "1.0.0" || v.Next != nil {
		t.Errorf("the hub is %+v", v)
	}
	a.leave(t)
	stopHub(t, i.home)
}

// A release whose hub does not start brings the old binary and its hub back.
func TestSelfUpdateToSickHub(t *testing.T) {
	sick := fmt.Appendf(nil, "#!/bin/sh\n[ \"$1\" = version ] || exit 64\necho '{\"version\":\"1.1.0\",\"os\":%q,\"arch\":%q}'\n", runtime.GOOS, runtime.GOARCH)
	i := installed(t, sick)
	a := connect(t, i.exe, i.home)
	a.next(t)
	err := i.w.selfUpdate(t.Context(), i.config, updateFlags{})
	if err == nil || !strings.Contains(err.Error(), "version 1.0.0 is installed again") {
		t.Errorf("error %v", err)
	}
	i.holds(i.old)
	if v := hubOf(t, i.home).Version; v != "1.0.0" {
		t.Errorf("the hub is of version %s", v)
	}
	a.say(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read_page","arguments":{"path":"a.md"}}}`)
	if v := a.next(t); v.Error != nil || !strings.Contains(string(v.Result), "words") {
		t.Errorf("%s %s", v.Error, v.Result)
	}
	a.leave(t)
	stopHub(t, i.home)
}

// readOn reads a page again and again until stop is closed, and returns the
// longest time that an answer took.
func (a *agent) readOn(t *testing.T, stop <-chan struct{}) (longest time.Duration) {
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
		case <-time.After(30 * time.Second):
			t.Errorf("call %d: no answer for 30 s", id)
			return longest
		}
		longest = max(longest, time.Since(began))
	}
}

// The environment and the configuration end the daily question.
func TestMayNotice(t *testing.T) {
	for env, want := range map[string]bool{
		"A=b": true, "DO_NOT_TRACK=1": false, "LECTERN_NO_UPDATE_CHECK=1": false, "DO_NOT_TRACK=0": true,
	} {
		w := testWorld(t, env)
		conf, err := w.config()
		if err != nil {
			t.Fatal(err)
		}
		if got := w.mayNotice(conf.Update); got != want {
			t.Errorf("%s: may notice %v, want %v", env, got, want)
		}
		conf.Update.Check = false
		if w.mayNotice(conf.Update) {
			t.Errorf("%s: the configuration is not heard", env)
		}
	}
}

// A process that outlives an update of its file, as panels do, asks no hub to
// make room for a build that is gone.
func TestConnectingAfterAnUpdate(t *testing.T) {
	w := quiet(t)
	before := w.connecting(w.stderrLog())
	if before.Stale() {
		t.Error("stale from the start")
	}
	if err := os.WriteFile(w.exe, []byte("another"), 0o755); err != nil {
		t.Fatal(err)
	}
	if to := w.connecting(w.stderrLog()); !to.Stale() || to.Stamp != before.Stamp {
		t.Errorf("stale %v, stamp %+v, want %+v", to.Stale(), to.Stamp, before.Stamp)
	}
}
