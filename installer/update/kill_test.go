package update

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	killAt   = "UPDATE_TEST_KILL_AT"
	killDo   = "UPDATE_TEST_DO"
	killFrom = "UPDATE_TEST_FROM" // URL, key and target, one a line
)

// TestMain lets this binary be an updater that ends at a point, as by kill -9.
func TestMain(m *testing.M) {
	if os.Getenv(killAt) != "" {
		os.Exit(dieAt(os.Getenv(killAt)))
	}
	os.Exit(m.Run())
}

func dieAt(point string) int {
	from := strings.Split(os.Getenv(killFrom), "\n")
	die := func() { _ = kill(os.Getpid()) }
	c := Config{
		Mirror: from[0], PlainLoopback: true, Keys: from[1:2], Version: "1.0.0", OS: from[4], Arch: from[5],
		Target: from[2], State: from[3], Now: time.Now,
		Owner: func(context.Context, string) (PackageManager, bool) { return PackageManager{}, false },
		Progress: func(p Progress) {
			if string(p.Step) == point {
				die()
			}
		},
		atPoint: func(at string) {
			if at == point {
				die()
			}
		},
	}
	u, err := New(c)
	if err == nil && os.Getenv(killDo) == "rollback" {
		_, err = u.Rollback(context.Background(), false)
	} else if err == nil {
		_, err = u.Apply(context.Background(), ApplyOptions{})
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func kill(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

// Killed at every point: what is installed is the old binary or the new one,
// whole and running; the next update completes it, and the way back leads to
// the version before.
func TestKilledAtEveryPoint(t *testing.T) {
	s := newFakeServer(t)
	s.offer("1.1.0")
	points := []string{
		string(Signature), string(Version), string(Download), string(Checksum), string(Extract), string(Platform), string(Run),
		pointStaged, pointOldSaved, pointSwapped, pointSynced, pointPrev, string(Swap),
	}
	for i, point := range points {
		t.Run(point, func(t *testing.T) {
			h := newTestInstall(t, s)
			h.expectAfterKill("update", point)
			if i < slices.Index(points, pointSwapped) {
				h.expectRuns("1.0.0")
			} else {
				h.expectRuns("1.1.0")
			}
			if _, err := h.updater().Apply(t.Context(), ApplyOptions{}); err != nil {
				t.Fatal(err)
			}
			h.expect("1.1.0", "lectern.prev")
			if _, err := h.updater().Rollback(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			h.expect("1.0.0", "lectern.prev")

			// And on the way back.
			if !slices.Contains([]string{pointStaged, pointOldSaved, pointSwapped, pointSynced, pointPrev}, point) {
				return
			}
			h.expectAfterKill("rollback", point)
			h.expectRuns(map[bool]string{true: "1.0.0", false: "1.1.0"}[i < slices.Index(points, pointSwapped)])
			if _, err := h.updater().Rollback(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			h.expect(map[bool]string{true: "1.1.0", false: "1.0.0"}[i < slices.Index(points, pointSwapped)], "lectern.prev")
		})
	}
}

// expectAfterKill runs an updater in a process of its own, which ends at the point.
func (h *testInstall) expectAfterKill(what, point string) {
	h.t.Helper()
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	cmd := exec.CommandContext(h.t.Context(), self)
	from := []string{h.config.Mirror, h.config.Keys[0], h.target, h.config.State, h.config.OS, h.config.Arch}
	cmd.Env = append(os.Environ(), killAt+"="+point, killDo+"="+what, killFrom+"="+strings.Join(from, "\n"))
	out, err := cmd.CombinedOutput()
	if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.Exited() {
		h.t.Fatalf("%s was not killed at %s: %v\n%s", what, point, err, out)
	}
}

// expectRuns fails unless the installed binary says that it is of this version.
func (h *testInstall) expectRuns(version string) {
	h.t.Helper()
	said, err := exec.CommandContext(h.t.Context(), h.target, "version", "--json").Output()
	if err != nil || !strings.Contains(string(said), version) {
		h.t.Errorf("the installed binary says %q, %v; want %s", said, err, version)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	s := newFakeServer(t)
	s.offer("1.1.0")
	h := newTestInstall(t, s)
	if os.Getuid() == 0 {
		readOnlyMount(t, h.dir)
	} else {
		if err := os.Chmod(h.dir, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(h.dir, 0o755) })
	}
	_, err := h.updater().Apply(t.Context(), ApplyOptions{})
	if err == nil || !strings.Contains(err.Error(), "you cannot write to "+h.dir) {
		t.Errorf("error %v", err)
	}
	h.expect("1.0.0")
}

func TestFullDisk(t *testing.T) {
	s := newFakeServer(t)
	padded := append(program("1.1.0"), []byte(strings.Repeat("#", 200<<10)+"\n")...)
	s.offerArchive("1.1.0", tarball(t, s.signed(string(padded))...))
	h := newTestInstall(t, s)
	small := t.TempDir()
	mount(t, small, "-t", "tmpfs", "-o", "size=64k", "tmpfs")
	h.dir, h.target = small, filepath.Join(small, "lectern")
	h.config.Target = h.target
	if err := os.WriteFile(h.target, program("1.0.0"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := h.updater().Apply(t.Context(), ApplyOptions{})
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("error %v", err)
	}
	h.expect("1.0.0")

	h.config.State = filepath.Join(small, "state") // and where downloads go
	s.offerArchive("1.1.0", tarball(t, append(s.signed(string(padded)), archiveFile{name: "noise", text: randomBytes(300 << 10)})...))
	if _, err = h.updater().Apply(t.Context(), ApplyOptions{}); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("error %v", err)
	}
	h.expect("1.0.0", "state")
}

// randomBytes does not compress.
func randomBytes(n int) []byte {
	out := make([]byte, n)
	x := uint32(1)
	for i := range out {
		x = x*1664525 + 1013904223
		out[i] = byte(x >> 24)
	}
	return out
}

func readOnlyMount(t *testing.T, dir string) {
	t.Helper()
	mount(t, dir, "--bind", dir)
	if out, err := exec.CommandContext(t.Context(), "mount", "-o", "remount,ro,bind", dir).CombinedOutput(); err != nil {
		t.Skipf("cannot mount here: %s", out)
	}
}

func mount(t *testing.T, dir string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "mount", append(args, dir)...).CombinedOutput(); err != nil {
		t.Skipf("cannot mount here: %v %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", dir).Run() })
}

// A planted link or file with a name of ours is not followed.
func TestPlantedNames(t *testing.T) {
	s := newFakeServer(t)
	s.offer("1.1.0")
	h := newTestInstall(t, s)
	victim := filepath.Join(t.TempDir(), "victim")
	writeFile(t, victim, []byte("mine"))
	for _, name := range []string{".lectern.new", "lectern.new", stagingPrefix + "planted", "lectern.prev"} {
		if err := os.Symlink(victim, filepath.Join(h.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.updater().Apply(t.Context(), ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "mine" {
		t.Errorf("victim is %q, %v", text, err)
	}
	h.expectRuns("1.1.0")
	if info, err := os.Lstat(h.target); err != nil || !info.Mode().IsRegular() {
		t.Errorf("installed is %v, %v", info.Mode(), err)
	}
}

// Without a server there is an error within reason, not a hang.
func TestNoServer(t *testing.T) {
	s := newFakeServer(t)
	h := newTestInstall(t, s)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.config.Mirror = "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := h.updater().Apply(t.Context(), ApplyOptions{}); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("error %v", err)
	}
	h.expect("1.0.0")
}

// Debian's minisign signs a release, and ours reads it; one tool alone could
// agree with itself.
func TestDebianMinisign(t *testing.T) {
	minisign, err := exec.LookPath("minisign")
	if err != nil {
		t.Skip("no minisign here")
	}
	s := newFakeServer(t)
	s.offer("1.1.0")
	h := newTestInstall(t, s)
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), minisign, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("minisign %v: %v\n%s", args, err, out)
		}
	}
	run("-G", "-W", "-p", "key.pub", "-s", "key")
	sign := func(text []byte, comment string) []byte {
		t.Helper()
		writeFile(t, filepath.Join(dir, "f"), text)
		run("-S", "-s", "key", "-m", "f", "-x", "f.minisig", "-t", comment)
		sig, err := os.ReadFile(filepath.Join(dir, "f.minisig"))
		if err != nil {
			t.Fatal(err)
		}
		return sig
	}
	binary := program("1.1.0")
	s.offerArchive("1.1.0", tarball(t, archiveFile{name: "lectern", text: binary},
		archiveFile{name: "lectern.minisig", text: sign(binary, "lectern 1.1.0 "+h.config.OS+"/"+h.config.Arch)}))
	s.files["/latest/download/"+checksumsFile+signatureSuffix] = sign(s.files["/latest/download/"+checksumsFile], "lectern 1.1.0")
	public, err := os.ReadFile(filepath.Join(dir, "key.pub"))
	if err != nil {
		t.Fatal(err)
	}
	h.config.Keys = []string{string(public)}
	if _, err := h.updater().Apply(t.Context(), ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	h.expect("1.1.0", "lectern.prev")
}

func TestNotice(t *testing.T) {
	s := newFakeServer(t)
	s.offer("1.1.0")
	h := newTestInstall(t, s)
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	h.config.Now = func() time.Time { return now }
	for range 3 {
		if v := h.updater().Notice(t.Context()); v != "1.1.0" {
			t.Fatalf("noticed %q", v)
		}
	}
	if len(s.asked) != 2 { // the list and its signature, once
		t.Errorf("asked for %v", s.asked)
	}
	now = now.Add(noticeInterval)
	s.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusInternalServerError)
		return true
	}
	for range 3 { // a server in trouble is not asked again either, and nobody is told
		_ = h.updater().Notice(t.Context())
	}
	if len(s.asked) != 3 {
		t.Errorf("asked for %v", s.asked)
	}
	h.config.Pin, h.config.Version = "1.1.0", "1.1.0"
	if v := h.updater().Notice(t.Context()); v != "" {
		t.Errorf("at the pinned version: noticed %q", v)
	}
}

func TestOwners(t *testing.T) {
	for file, want := range map[string]string{
		"/opt/homebrew/Cellar/lectern/1.0.0/bin/lectern":                             "Homebrew",
		"/opt/homebrew/Caskroom/lectern/1.0.0/lectern":                               "Homebrew",
		"/nix/store/abc-lectern-1.0.0/bin/lectern":                                   "Nix",
		`C:\Users\me\scoop\apps\lectern\current\lectern.exe`:                         "Scoop",
		`C:\Users\me\AppData\Local\Microsoft\WinGet\Packages\LecternMCP\lectern.exe`: "winget",
		"/home/me/.local/bin/lectern":                                                "",
		"/usr/local/bin/lectern":                                                     "",
		"/home/me/cellar-notes/lectern":                                              "",
	} {
		if o, _ := packageManagerByPath(file); o.Name != want {
			t.Errorf("%s belongs to %q, want %q", file, o.Name, want)
		}
	}
	if _, err := exec.LookPath("dpkg"); err == nil {
		if o, ok := findPackageManager(t.Context(), "/usr/bin/dpkg"); !ok || o.Name != "dpkg" {
			t.Errorf("/usr/bin/dpkg belongs to %+v", o)
		}
	}
	mine := filepath.Join(t.TempDir(), "lectern")
	writeFile(t, mine, nil)
	if o, ok := findPackageManager(t.Context(), mine); ok {
		t.Errorf("%s belongs to %+v", mine, o)
	}
}
