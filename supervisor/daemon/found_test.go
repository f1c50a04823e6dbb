//go:build linux

package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/filelock"
	"github.com/lectern-mcp/lectern/status"
)

// removeRuntime removes the folder at once, before the hub puts anything back into it.
func removeRuntime(p Paths) error {
	dir, err := os.MkdirTemp(filepath.Dir(p.State), "removed")
	return errors.Join(err, os.Rename(p.Runtime(), filepath.Join(dir, "run")))
}

// What clients find a hub by is put back, whoever removes or replaces it, and the streams
// that are open go on.
func TestRemovedFilesArePutBack(t *testing.T) {
	for name, remove := range map[string]func(Paths) error{
		"folder":         removeRuntime,
		"discovery file": func(p Paths) error { return os.Remove(p.Discovery()) },
		"another's discovery file": func(p Paths) error {
			return writeDiscovery(p, Discovery{Schema: discoverySchemaVersion, PID: 1, Instance: "another", MCP: "/nowhere"})
		},
		"sockets": func(p Paths) error { return errors.Join(os.Remove(usualPaths(p)[0]), os.Remove(usualPaths(p)[1])) },
		"files in place of sockets": func(p Paths) error {
			return errors.Join(os.Remove(usualPaths(p)[0]), os.WriteFile(usualPaths(p)[0], nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newHubTest(t)
			a := w.connect()
			if err := remove(w.paths()); err != nil {
				t.Fatal(err)
			}
			w.until("the hub to be found", func() bool {
				d, err := readDiscovery(w.paths())
				return err == nil && d.Instance == a.welcome.Instance && d.MCP == usualPaths(w.paths())[0]
			})
			w.until("the hub to answer", func() bool { _, err := requestHealth(t.Context(), w.paths()); return err == nil })
			w.until("agents to be accepted", func() bool {
				conn, err := w.paths().dialSocket(t.Context(), mcpSocket)
				return err == nil && conn.Close() == nil
			})
			if b := w.connect(); b.welcome.Instance != a.welcome.Instance || len(w.pids()) != 1 {
				t.Errorf("%d hubs", len(w.pids()))
			}
			a.send(ping)
			a.expect(`"id":1`)
			if _, err := StopHubAndWait(t.Context(), w.paths(), StopRequest{}); err != nil {
				t.Fatal(err)
			}
			a.expectEnd()
			for _, path := range append(usualPaths(w.paths()), w.paths().Discovery()) {
				if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s is left behind", path)
				}
			}
		})
	}
}

// A client that comes while the folder is gone waits for the running hub.
func TestHubWithoutItsFolderIsWaitedFor(t *testing.T) {
	w := newHubTest(t)
	w.Timing.CheckFiles = 300 * time.Millisecond
	a := w.connect()
	if err := removeRuntime(w.paths()); err != nil {
		t.Fatal(err)
	}
	if hub, err := GetHealth(t.Context(), w.paths()); err != nil || hub.Instance != a.welcome.Instance {
		t.Errorf("hub %+v, %v", hub, err)
	}
	if err := removeRuntime(w.paths()); err != nil {
		t.Fatal(err)
	}
	if b := w.connect(); b.welcome.Instance != a.welcome.Instance {
		t.Error("another hub serves")
	}
}

// A hub whose lock another could take ends itself, after the calls in flight.
func TestHubWithoutItsLockEnds(t *testing.T) {
	for name, remove := range map[string]func(Paths) error{
		"lock":         func(p Paths) error { return os.Remove(p.hubLock()) },
		"state folder": func(p Paths) error { return os.Rename(p.State, p.State+".away") },
		"another's lock": func(p Paths) error {
			return errors.Join(os.Remove(p.hubLock()), os.WriteFile(p.hubLock(), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newHubTest(t)
			a := w.connect()
			a.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"hold"}}`)
			w.until("the call to be in flight", func() bool {
				v, err := requestHealth(t.Context(), w.paths())
				return err == nil && v.InFlight == 1
			})
			if err := remove(w.paths()); err != nil {
				t.Fatal(err)
			}
			if name != "state folder" { // whose sockets are gone as well
				w.until("the hub to shut down", func() bool {
					v, err := requestHealth(t.Context(), w.paths())
					return err == nil && v.ShuttingDown
				})
			}
			releaseAll(t, w)
			a.expect(`"id":7`)
			a.expectEnd()
			w.waitGone(a.welcome.PID)
			if b := w.connect(); b.welcome.Instance == a.welcome.Instance {
				t.Error("the hub did not end")
			}
		})
	}
}

// A hub whose folder a hub on another machine has taken ends itself, and leaves that hub its file.
func TestHubMakesRoomForAnotherMachine(t *testing.T) {
	w := newHubTest(t)
	a := w.connect()
	other := Discovery{Schema: discoverySchemaVersion, Machine: "elsewhere", PID: a.welcome.PID, Instance: "another", MCP: "/nowhere"}
	if err := writeDiscovery(w.paths(), other); err != nil {
		t.Fatal(err)
	}
	a.expectEnd()
	w.waitGone(a.welcome.PID)
	if d, err := readDiscovery(w.paths()); err != nil || d.Instance != other.Instance {
		t.Errorf("its discovery file: %+v, %v", d, err)
	}
}

// A hub on another machine that shares the folder is not dead: it is named, and nobody starts a
// second one. If it has left its files behind and no lock, another starts.
func TestHubOnAnotherMachine(t *testing.T) {
	w := newHubTest(t)
	other := Discovery{Schema: discoverySchemaVersion, Machine: "elsewhere", PID: 1 << 30, Instance: "another"}
	if err := errors.Join(w.paths().prepare(), writeDiscovery(w.paths(), other)); err != nil {
		t.Fatal(err)
	}
	held, err := filelock.TryFile(w.paths().hubLock())
	if err != nil {
		t.Fatal(err)
	}
	for name, try := range map[string]func() error{
		"find":    func() error { _, err := FindHub(w.paths()); return err },
		"health":  func() error { _, err := GetHealth(t.Context(), w.paths()); return err },
		"connect": func() error { _, _, err := Connect(t.Context(), w.config()); return err },
		"run":     func() error { return Run(t.Context(), HubConfig{Paths: w.paths(), Now: time.Now}) },
		"stop":    func() error { return Client(w.config()).Do(t.Context(), status.Action{Verb: status.StopHub}) },
	} {
		err := try()
		if e, ok := errors.AsType[*OtherMachineError](err); !ok || e.Hub.Machine != "elsewhere" || errors.Is(err, ErrNoHub) {
			t.Errorf("%s: %v, want the machine", name, err)
		}
	}
	if err := held.Release(); err != nil {
		t.Fatal(err)
	}
	w.connect()
	if d, err := FindHub(w.paths()); err != nil || d.Machine == "" || d.Machine == other.Machine {
		t.Errorf("the hub of this machine: %+v, %v", d, err)
	}
}

// A hub that nobody can reach any more makes room for the next.
func TestUnreachableHubEnds(t *testing.T) {
	w := newHubTest(t)
	w.Timing.Unreachable = 100 * time.Millisecond
	a := w.connect()
	if err := errors.Join(removeRuntime(w.paths()), os.WriteFile(w.paths().Runtime(), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	a.expectEnd()
	w.waitGone(a.welcome.PID)
}

// A hub is found in a folder whose path is too long for sockets, or where a socket cannot
// stand, also by who calls the folder by another name.
func TestHubElsewhere(t *testing.T) {
	for name, prepare := range map[string]func(*hubTest) error{
		"long path": func(w *hubTest) error {
			w.Dir = filepath.Join(w.Dir, strings.Repeat("d", 120))
			return os.MkdirAll(w.Dir, 0o700)
		},
		"socket cannot stand": func(w *hubTest) error {
			return errors.Join(w.paths().prepare(), os.MkdirAll(filepath.Join(usualPaths(w.paths())[0], "full"), 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newHubTest(t)
			short := filepath.Join(w.Dir, "short")
			if err := errors.Join(prepare(w), os.Symlink(w.Dir, short)); err != nil {
				t.Fatal(err)
			}
			a := w.connect()
			for _, at := range []Paths{w.paths(), {State: filepath.Join(short, "state")}, {State: filepath.Join(w.Dir, "..", filepath.Base(w.Dir), "state")}} {
				c := w.config()
				c.Paths, c.Start = at, StartNever
				conn, welcome, err := Connect(t.Context(), c)
				if err != nil {
					t.Fatalf("from %s: %v", at.State, err)
				}
				if welcome.Instance != a.welcome.Instance {
					t.Errorf("from %s another hub answers", at.State)
				}
				_ = conn.Close()
				if hub, err := GetHealth(t.Context(), at); err != nil || hub.Instance != a.welcome.Instance {
					t.Errorf("from %s: %+v, %v", at.State, hub, err)
				}
			}
			if _, err := StopHubAndWait(t.Context(), w.paths(), StopRequest{}); err != nil {
				t.Fatal(err)
			}
			w.waitGone(a.welcome.PID)
		})
	}
}

// A hub that clients do not find, as one of an older build, is not joined by a second one;
// it is named.
func TestOtherHub(t *testing.T) {
	old, w := newHubTest(t), newHubTest(t)
	old.Exclusive, w.Exclusive = filepath.Join(w.Dir, "sole"), filepath.Join(w.Dir, "sole")
	other := old.connect()
	if hubs := OtherHubs([]string{w.Exclusive}); len(hubs) != 1 || hubs[0].PID != other.welcome.PID {
		t.Errorf("hubs %v, want process %d", hubs, other.welcome.PID)
	}
	_, _, err := Connect(t.Context(), w.config())
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("kill %d", other.welcome.PID)) {
		t.Errorf("beside another hub: %v", err)
	}
	if err := syscall.Kill(other.welcome.PID, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	w.connect()
}

// A hub of an older build, found where that had its sockets, hands over after its calls; one of
// another Lectern there is left alone.
func TestFormerHubHandsOver(t *testing.T) {
	stranger, old, w := newHubTest(t), newHubTest(t), newHubTest(t)
	old.Exclusive, w.Exclusive = filepath.Join(w.Dir, "sole"), filepath.Join(w.Dir, "sole")
	t.Setenv("LECTERN_TEST_STRANGER", stranger.paths().Runtime())
	t.Setenv("LECTERN_TEST_RUNTIME", old.paths().Runtime())
	bystander, busy := stranger.connect(), old.connect()
	busy.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"hold"}}`)
	old.until("the call to be in flight", func() bool {
		v, err := requestHealth(t.Context(), old.paths())
		return err == nil && v.InFlight == 1
	})
	connected := make(chan error, 1)
	go func() {
		conn, _, err := Connect(t.Context(), w.config())
		if err == nil {
			err = conn.Close()
		}
		connected <- err
	}()
	old.until("it to hand over", func() bool { v, err := requestHealth(t.Context(), old.paths()); return err == nil && v.ShuttingDown })
	releaseAll(t, old)
	busy.expect(`"id":7`)
	busy.expectEnd()
	old.waitGone(busy.welcome.PID)
	if err := <-connected; err != nil {
		t.Error(err)
	}
	bystander.send(ping)
	bystander.expect(`"id":1`)
}
