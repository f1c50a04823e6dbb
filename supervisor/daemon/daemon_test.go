//go:build linux

package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/filelock"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func TestColdStart(t *testing.T) {
	w := newHubTest(t)
	a := w.connect()
	a.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`)
	a.expect(`"protocolVersion":"2025-11-25"`)
	d, err := FindHub(w.paths())
	if err != nil {
		t.Fatal(err)
	}
	if d.PID != a.welcome.PID || d.Instance != a.welcome.Instance || d.BuildInfo != w.Stamp {
		t.Errorf("hub.json says %+v, the hub says %+v", d, a.welcome)
	}
	info, err := os.Stat(w.paths().Discovery())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("hub.json: mode %v, %v; want 0600", info.Mode(), err)
	}
}

func TestManyStartsShareOneHub(t *testing.T) {
	for _, n := range []int{8, 100} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			w := newHubTest(t)
			c := w.config()
			instances := make([]string, n)
			errs := make([]error, n)
			var all sync.WaitGroup
			for i := range n {
				all.Go(func() {
					conn, welcome, err := Connect(t.Context(), c)
					if err == nil {
						defer conn.Close()
					}
					instances[i], errs[i] = welcome.Instance, err
				})
			}
			all.Wait()
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			for _, instance := range instances {
				if instance != instances[0] {
					t.Errorf("two hubs: %s and %s", instance, instances[0])
				}
			}
			if pids := w.pids(); len(pids) != 1 {
				t.Errorf("started %d hubs, want 1", len(pids))
			}
		})
	}
}

func TestKilledHubIsReplaced(t *testing.T) {
	w := newHubTest(t)
	first := w.connect()
	if err := syscall.Kill(first.welcome.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	first.expectEnd()
	w.waitGone(first.welcome.PID)
	if _, err := FindHub(w.paths()); !errors.Is(err, ErrNoHub) {
		t.Errorf("Find after kill: %v, want ErrNoHub", err)
	}
	c := w.config()
	c.Start = StartReplacement
	conn, second, err := Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if second.Instance == first.welcome.Instance {
		t.Error("the same hub answers after it was killed")
	}
}

// TestStaleFiles plants what earlier hubs, or others, may have left behind.
func TestStaleFiles(t *testing.T) {
	own, err := processStartTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	stale := func(d Discovery) func(Paths) error {
		d.Schema = discoverySchemaVersion
		return func(p Paths) error { return writeDiscovery(p, d) }
	}
	for name, plant := range map[string]func(Paths) error{
		"dead pid":         stale(Discovery{PID: 1 << 30, StartTime: 1}),
		"reused pid":       stale(Discovery{PID: os.Getpid(), StartTime: own - 1}),
		"our own pid":      stale(Discovery{PID: os.Getpid(), StartTime: own}),
		"garbage hub.json": func(p Paths) error { return os.WriteFile(p.Discovery(), []byte("{\x00"), 0o600) },
		"plain file as socket": func(p Paths) error {
			return errors.Join(os.WriteFile(usualPaths(p)[0], nil, 0o600), os.WriteFile(usualPaths(p)[1], nil, 0o600))
		},
		"leftover sockets": func(p Paths) error {
			for _, path := range usualPaths(p) {
				l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
				if err != nil {
					return err
				}
				l.SetUnlinkOnClose(false)
				if err := l.Close(); err != nil {
					return err
				}
			}
			return nil
		},
		"planted links": func(p Paths) error {
			victim := filepath.Join(p.State, "victim")
			return errors.Join(os.WriteFile(victim, nil, 0o600), os.Symlink(victim, usualPaths(p)[0]), os.Symlink(victim, p.Discovery()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newHubTest(t)
			if err := errors.Join(w.paths().prepare(), plant(w.paths())); err != nil {
				t.Fatal(err)
			}
			if _, err := FindHub(w.paths()); !errors.Is(err, ErrNoHub) {
				t.Errorf("Find: %v, want ErrNoHub", err)
			}
			a := w.connect()
			a.send(ping)
			a.expect(`"id":1`)
			if d, err := FindHub(w.paths()); err != nil || d.PID != a.welcome.PID {
				t.Errorf("Find = pid %d, %v; want %d", d.PID, err, a.welcome.PID)
			}
			if victim, err := os.ReadFile(filepath.Join(w.paths().State, "victim")); err == nil && len(victim) > 0 {
				t.Errorf("wrote through a planted link: %s", victim)
			}
		})
	}
}

// usualPaths are the paths of the sockets in a directory that is not too long.
func usualPaths(p Paths) []string {
	return []string{filepath.Join(p.Runtime(), mcpSocket), filepath.Join(p.Runtime(), controlSocket)}
}

func TestUnsafeDirectoryIsRefused(t *testing.T) {
	w := newHubTest(t)
	if err := errors.Join(os.Mkdir(w.paths().State, 0o700), os.Mkdir(w.paths().Runtime(), 0o755)); err != nil {
		t.Fatal(err)
	}
	_, _, err := Connect(t.Context(), w.config())
	if err == nil || len(w.pids()) != 0 {
		t.Fatalf("a hub was started in a directory that others may enter: %v", err)
	}
	t.Log(err)
}

func TestPlantedLockLink(t *testing.T) {
	w := newHubTest(t)
	victim := w.Dir + "/victim"
	if err := errors.Join(w.paths().prepare(), os.Symlink(victim, w.paths().startLock())); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Connect(t.Context(), w.config()); err == nil {
		t.Error("followed a link instead of a lock file")
	}
	if _, err := os.Lstat(victim); err == nil {
		t.Error("wrote through a planted link")
	}
}

func TestTermDrains(t *testing.T) {
	w := newHubTest(t)
	a := w.connect()
	a.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"hold"}}`)
	w.until("the call to be in flight", func() bool {
		v, err := GetHealth(t.Context(), w.paths())
		return err == nil && v.InFlight == 1
	})
	b := w.connect()
	if err := syscall.Kill(a.welcome.PID, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	w.until("the hub to be leaving", func() bool {
		v, err := GetHealth(t.Context(), w.paths())
		return err == nil && v.ShuttingDown
	})
	// Late-comers are told to come again.
	c := w.config()
	if _, _, err := c.dialHub(t.Context()); !errors.Is(err, errShuttingDown) {
		t.Errorf("connecting to a leaving hub: %v, want errLeaving", err)
	}
	b.expectEnd() // nothing of its own is in flight
	releaseAll(t, w)
	a.expect(`"id":7`)
	a.expectEnd()
	w.waitGone(a.welcome.PID)
	for _, path := range append(usualPaths(w.paths()), w.paths().Discovery()) {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left behind", path)
		}
	}
}

// releaseAll lets held calls end, although the hub hears no new streams: it
// signals the process.
func releaseAll(t *testing.T, w *hubTest) {
	t.Helper()
	if err := syscall.Kill(w.pids()[len(w.pids())-1], syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
}

func TestIdleExit(t *testing.T) {
	w := newHubTest(t)
	w.Idle = 200 * time.Millisecond
	a := w.connect()
	a.send(ping)
	a.expect(`"id":1`)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	w.waitGone(a.welcome.PID)
	c := w.config()
	c.Start = StartReplacement
	if _, _, err := Connect(t.Context(), c); !errors.Is(err, ErrNoHub) {
		t.Errorf("a hub that left when idle: %v, want ErrNoHub", err)
	}
}

// A process that only looks whether the hub answers is no agent, and a hub that
// is stopped does not wait for it.
func TestProbeIsNoAgent(t *testing.T) {
	w := newHubTest(t)
	c := w.config()
	c.Probe = true
	conn, welcome, err := Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if hub, err := GetHealth(t.Context(), w.paths()); err != nil || hub.Sessions != 0 {
		t.Errorf("%d sessions, %v; want none", hub.Sessions, err)
	}
	if _, err := StopHubAndWait(t.Context(), w.paths(), StopRequest{}); err != nil {
		t.Fatal(err)
	}
	w.waitGone(welcome.PID)
}

func TestFailedStartSaysWhy(t *testing.T) {
	for code, final := range map[int]bool{1: false, 78: true} {
		w := newHubTest(t)
		w.Die = code
		_, _, err := Connect(t.Context(), w.config())
		failed, ok := errors.AsType[*StartError](err)
		if !ok || failed.Final() != final {
			t.Errorf("exit %d: %v, final %v; want final %v", code, err, ok && failed.Final(), final)
		}
	}
}

func TestHubThatEndsAtOnce(t *testing.T) {
	w := newHubTest(t)
	w.Die = 75
	if _, _, err := Connect(t.Context(), w.config()); !errors.Is(err, errReplaced) || len(w.pids()) != maxStartAttempts {
		t.Errorf("%v after %d starts; want errReplaced after %d", err, len(w.pids()), maxStartAttempts)
	}
}

func TestStop(t *testing.T) {
	w := newHubTest(t)
	if _, err := StopHubAndWait(t.Context(), w.paths(), StopRequest{}); !errors.Is(err, ErrNoHub) {
		t.Errorf("stop without a hub: %v", err)
	}
	a := w.connect()
	var busy *BusyError
	if _, err := StopHubAndWait(t.Context(), w.paths(), StopRequest{IfIdle: true}); !errors.As(err, &busy) || busy.Hub.Sessions != 1 {
		t.Errorf("stop if idle, with a session open: %v", err)
	}
	if _, err := StopHubAndWait(t.Context(), w.paths(), StopRequest{}); err != nil {
		t.Fatal(err)
	}
	a.expectEnd()
	w.waitGone(a.welcome.PID)
}

// TestHubThatHangs: nobody is killed on suspicion, but named.
func TestHubThatHangs(t *testing.T) {
	w := newHubTest(t)
	a := w.connect()
	w.killHub(a.welcome.PID)
	c := w.config()
	c.hello, c.ReadyTimeout = 50*time.Millisecond, 300*time.Millisecond
	_, _, err := Connect(t.Context(), c)
	if want := fmt.Sprintf("a hub (pid %d, version 1.0.0) runs but does not answer", a.welcome.PID); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Connect: %v, want %s", err, want)
	}
}

func TestStarterThatHangs(t *testing.T) {
	w := newHubTest(t)
	if err := w.paths().prepare(); err != nil {
		t.Fatal(err)
	}
	held, err := filelock.TryFile(w.paths().startLock())
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	c := w.config()
	c.ReadyTimeout = 100*time.Millisecond - stopTimeout
	if _, _, err := Connect(t.Context(), c); err == nil || !strings.Contains(err.Error(), "start.lock") {
		t.Errorf("Connect: %v, want one that names start.lock", err)
	}
}

// A hub learns what became of the one before it, while nobody can connect yet.
func TestRunReportsPreviousHub(t *testing.T) {
	over := errors.New("enough")
	for _, next := range []*BuildInfo{nil, &newer} {
		w := newHubTest(t)
		follow := func() (trace []Discovery) {
			err := Run(t.Context(), HubConfig{
				Paths: w.paths(), Now: time.Now,
				OnPrevious: func(before Discovery) { trace = append(trace, before) },
				Open:       func(context.Context) error { return over },
			})
			if !errors.Is(err, over) {
				t.Fatal(err)
			}
			return trace
		}
		if trace := follow(); len(trace) != 0 {
			t.Errorf("before the first hub there was %+v", trace)
		}
		if err := writeDiscovery(w.paths(), Discovery{Schema: discoverySchemaVersion, PID: 4, Successor: next}); err != nil {
			t.Fatal(err)
		}
		if trace := follow(); len(trace) != 1 || trace[0].PID != 4 || (trace[0].Successor == nil) != (next == nil) {
			t.Errorf("after a hub: %+v", trace)
		}
	}
}

// What a hub has open is closed before another hub, or who has stopped it, takes it for gone.
func TestHubIsGoneWhenItHasClosed(t *testing.T) {
	w := newHubTest(t)
	closing, mayClose := make(chan struct{}), make(chan struct{})
	ended, stopped := make(chan error, 1), make(chan error, 1)
	go func() {
		ended <- Run(t.Context(), HubConfig{
			Paths: w.paths(), Busy: func() (int, int) { return 0, 0 },
			Attach: func(context.Context, Hello, net.Conn) error { return nil },
			Close:  func() error { close(closing); <-mayClose; return nil },
			Log:    slog.New(slog.DiscardHandler), Now: time.Now,
		})
	}()
	w.until("the hub to answer", func() bool { _, err := GetHealth(t.Context(), w.paths()); return err == nil })
	go func() {
		_, err := StopHubAndWait(t.Context(), w.paths(), StopRequest{})
		stopped <- err
	}()
	<-closing
	if held, err := isLockHeld(w.paths().hubLock()); err != nil || !held {
		t.Errorf("while the hub closes its lock is held: %v, %v", held, err)
	}
	close(mayClose)
	for _, err := range []error{<-ended, <-stopped} {
		if err != nil {
			t.Error(err)
		}
	}
}

func TestRunTwice(t *testing.T) {
	w := newHubTest(t)
	w.connect()
	err := Run(t.Context(), HubConfig{Paths: w.paths(), Now: time.Now})
	if !errors.Is(err, ErrRunning) {
		t.Errorf("a second hub: %v, want ErrRunning", err)
	}
}
