//go:build linux

package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/loopback"
	"github.com/lectern-mcp/lectern/status/statustest"
	"github.com/lectern-mcp/lectern/supervisor"
	"github.com/lectern-mcp/lectern/supervisor/internal/echo"
)

// hubEnv makes the test binary a hub; its value is a hubSpec.
const hubEnv = "LECTERN_TEST_HUB"

type hubSpec struct {
	Dir    string
	Stamp  BuildInfo
	Timing HubTiming
	Idle   time.Duration
	Die    int // exit code with which to end at once; 0: serve

	Exclusive string // a file for HubConfig.Exclusive; empty: none
}

func TestMain(m *testing.M) {
	if text := os.Getenv(hubEnv); text != "" {
		var spec hubSpec
		if err := json.Unmarshal([]byte(text), &spec); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(hubMain(spec))
	}
	os.Exit(m.Run())
}

func hubMain(spec hubSpec) int {
	// Every hub ever started is written down, so that the test can look for
	// each by its pid afterwards.
	pids, err := os.OpenFile(filepath.Join(spec.Dir, "pids"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(pids, "%d\n", os.Getpid())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if spec.Die != 0 {
		fmt.Fprintln(os.Stderr, "lectern: config.toml:3:1: unknown key \"prot\", did you mean \"port\"?")
		return spec.Die
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	hub := &echo.Hub{Name: spec.Stamp.Version + " " + strconv.Itoa(os.Getpid())}
	usr1 := make(chan os.Signal, 1)
	signal.Notify(usr1, syscall.SIGUSR1)
	go func() {
		for range usr1 {
			hub.ReleaseCalls()
		}
	}()
	lifeline, err := supervisor.WatchLifeline(os.Getenv(supervisor.LifelineEnv))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fake := new(statustest.Fake)
	fake.Set(status.Snapshot{Seq: 1, Hub: status.Hub{Component: status.Component{Name: "hub", State: status.Ready}, PID: os.Getpid()}})
	fake.AddLine(status.Line{Level: status.Info, Component: "hub", Text: "this is " + strconv.Itoa(os.Getpid())})
	fake.AddCall(status.Call{Session: strconv.Itoa(os.Getpid())})
	var exclusive []string
	open := func(context.Context) error { return nil }
	if spec.Exclusive != "" {
		exclusive = append(exclusive, spec.Exclusive)
		open = func(context.Context) error {
			f, err := os.Create(spec.Exclusive)
			if err == nil {
				go func() { <-ctx.Done(); _ = f.Close() }()
			}
			return err
		}
	}
	err = Run(ctx, HubConfig{
		Exclusive: exclusive, FormerRuntimes: formerRuntimes, Open: open, Lifeline: lifeline, Control: loopback.Handler(fake),
		Paths: specPaths(spec.Dir), Self: spec.Stamp, Busy: hub.ActivityCounts, IdleAfter: spec.Idle, Timing: spec.Timing,
		Attach: func(ctx context.Context, _ Hello, conn net.Conn) error { return hub.Serve(ctx, conn) },
		Log:    slog.New(slog.NewTextHandler(os.Stderr, nil)), Now: time.Now,
	})
	switch {
	case errors.Is(err, ErrRestart):
		return 75
	case err != nil:
		fmt.Fprintln(os.Stderr, "lectern:", err)
		return 1
	}
	return 0
}

// formerRuntimes are named by a variable of a test's hub, beside that of the test.
func formerRuntimes(getenv func(string) string) []string {
	return []string{"/missing", getenv("LECTERN_TEST_STRANGER"), getenv("LECTERN_TEST_RUNTIME")}
}

func specPaths(dir string) Paths {
	return Paths{State: filepath.Join(dir, "state")}
}

// hubTest is one user's directories, and the hubs started in them.
type hubTest struct {
	t *testing.T
	hubSpec
}

func newHubTest(t *testing.T) *hubTest {
	t.Helper()
	dir, err := os.MkdirTemp("", "lectern") // t.TempDir is too long for a socket's path
	if err != nil {
		t.Fatal(err)
	}
	w := &hubTest{t, hubSpec{Dir: dir, Stamp: BuildInfo{Version: "1.0.0", Build: "a", Built: 100}}}
	w.Timing = HubTiming{
		QuietFor: 50 * time.Millisecond, Cooldown: time.Millisecond, Drain: 5 * time.Second, CheckFiles: 20 * time.Millisecond,
		Unreachable: time.Minute, OtherHub: 200 * time.Millisecond,
	}
	t.Cleanup(func() {
		for _, pid := range w.pids() {
			if isTestHub(pid) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			w.waitGone(pid)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return w
}

// isTestHub guards against a pid that meanwhile names somebody else's process.
func isTestHub(pid int) bool {
	cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && strings.HasPrefix(string(cmdline), os.Args[0]+"\x00")
}

// pids returns every hub that was ever started here, oldest first.
func (w *hubTest) pids() []int {
	text, err := os.ReadFile(filepath.Join(w.Dir, "pids"))
	if err != nil {
		return nil
	}
	var pids []int
	for line := range strings.Lines(string(text)) {
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			w.t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

func (w *hubTest) paths() Paths { return specPaths(w.Dir) }

// config is a client of the same build as the hub it would start.
func (w *hubTest) config() ConnectConfig {
	w.t.Helper()
	spec, err := json.Marshal(w.hubSpec)
	if err != nil {
		w.t.Fatal(err)
	}
	return ConnectConfig{
		Paths: w.paths(), Self: w.Stamp, Command: []string{os.Args[0], "hub"},
		Env: append(os.Environ(), hubEnv+"="+string(spec)), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}
}

// withBuild returns the world as another build sees it.
func (w *hubTest) withBuild(s BuildInfo) *hubTest {
	other := *w
	other.Stamp = s
	return &other
}

// testAgent is an attached stream.
type testAgent struct {
	t *testing.T
	net.Conn
	r       *bufio.Reader
	welcome HelloAnswer
}

func (w *hubTest) connect() *testAgent {
	w.t.Helper()
	conn, welcome, err := Connect(w.t.Context(), w.config())
	if err != nil {
		w.t.Fatalf("connect: %v\nhub says: %s", err, w.output())
	}
	w.t.Cleanup(func() { _ = conn.Close() })
	return &testAgent{w.t, conn, bufio.NewReader(conn), welcome}
}

func (w *hubTest) output() string {
	text, _ := os.ReadFile(w.paths().Output())
	return string(text)
}

func (a *testAgent) send(line string) {
	a.t.Helper()
	if _, err := io.WriteString(a.Conn, line+"\n"); err != nil {
		a.t.Fatal(err)
	}
}

// expect waits for one line that contains want.
func (a *testAgent) expect(want string) {
	a.t.Helper()
	_ = a.SetReadDeadline(time.Now().Add(runtest.Timeout))
	line, err := a.r.ReadString('\n')
	if err != nil || !strings.Contains(line, want) {
		a.t.Fatalf("heard %q, %v; want %s", line, err, want)
	}
}

// expectEnd waits for the hub to close the stream.
func (a *testAgent) expectEnd() {
	a.t.Helper()
	_ = a.SetReadDeadline(time.Now().Add(runtest.Timeout))
	if line, err := a.r.ReadString('\n'); !errors.Is(err, io.EOF) {
		a.t.Fatalf("heard %q, %v; want the end", line, err)
	}
}

// until waits for a condition of another process.
func (w *hubTest) until(what string, ok func() bool) {
	w.t.Helper()
	if !runtest.Until(ok) {
		w.t.Fatalf("never: %s\nhub says: %s", what, w.output())
	}
}

func (w *hubTest) waitGone(pid int) {
	w.t.Helper()
	w.until(fmt.Sprintf("process %d to end", pid), func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		return err != nil || strings.Contains(string(stat), ") Z ") && len(threads) <= 1 // a zombie holds no files
	})
}

// killHub stops a process. The signal alone returns while threads still run, and
// one of them may answer.
func (w *hubTest) killHub(pid int) {
	w.t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		w.t.Fatal(err)
	}
	w.until(fmt.Sprintf("process %d to stop", pid), func() bool {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		for _, thread := range threads {
			if stat, err := os.ReadFile(thread); err != nil || !strings.Contains(string(stat), ") T ") {
				return false
			}
		}
		return err == nil && len(threads) > 0
	})
}
