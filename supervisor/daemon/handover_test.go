//go:build linux

package daemon

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/supervisor"
)

var newer = BuildInfo{Version: "1.1.0", Build: "b", Built: 200}

func TestNewerTakesOverIdleHub(t *testing.T) {
	w := newHubTest(t)
	old := w.connect()
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	w.untilIdle()
	a := w.withBuild(newer).connect()
	if a.welcome.BuildInfo != newer {
		t.Errorf("attached to %+v, want the newer build", a.welcome.BuildInfo)
	}
	w.waitGone(old.welcome.PID)
}

func TestOlderAttachesToNewer(t *testing.T) {
	w := newHubTest(t)
	w.Stamp = newer
	first := w.connect()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	w.untilIdle()
	a := w.withBuild(BuildInfo{Version: "1.0.9", Build: "z", Built: 900}).connect()
	if a.welcome.Instance != first.welcome.Instance {
		t.Errorf("an older client replaced the hub by %+v", a.welcome.BuildInfo)
	}
}

func TestSameVersionOtherBuild(t *testing.T) {
	w := newHubTest(t)
	first := w.connect()
	_ = first.Close()
	w.untilIdle()
	older := w.withBuild(BuildInfo{Version: "1.0.0", Build: "x", Built: 50}).connect()
	if older.welcome.Instance != first.welcome.Instance {
		t.Error("an older build of the same version replaced the hub")
	}
	_ = older.Close()
	w.untilIdle()
	later := w.withBuild(BuildInfo{Version: "1.0.0", Build: "y", Built: 150}).connect()
	if later.welcome.Build != "y" {
		t.Errorf("attached to build %s, want y", later.welcome.Build)
	}
}

// TestBusyHubHandsOverWhenQuiet also has an older client fight for the start:
// it must leave it to the newer one.
func TestBusyHubHandsOverWhenQuiet(t *testing.T) {
	w := newHubTest(t)
	a := w.connect()
	a.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"hold"}}`)
	w.until("the call to be in flight", func() bool {
		v, err := GetHealth(t.Context(), w.paths())
		return err == nil && v.InFlight == 1
	})
	b := w.withBuild(newer).connect()
	if b.welcome.Instance != a.welcome.Instance {
		t.Fatal("a busy hub was replaced")
	}
	v, err := GetHealth(t.Context(), w.paths())
	if err != nil || v.Successor == nil || *v.Successor != newer {
		t.Errorf("pending: %+v, %v; want %+v", v.Successor, err, newer)
	}
	b.send(`{"jsonrpc":"2.0","method":"release"}`)
	a.expect(`"id":7`)
	a.expectEnd()
	b.expectEnd()
	older := make(chan string)
	go func() {
		conn, welcome, err := Connect(t.Context(), w.config())
		if err != nil {
			welcome.Version = err.Error()
		} else {
			_ = conn.Close()
		}
		older <- welcome.Version
	}()
	c := w.withBuild(newer).connect()
	if c.welcome.BuildInfo != newer {
		t.Errorf("after the hand-over: %+v, want %+v", c.welcome.BuildInfo, newer)
	}
	if got := <-older; got != newer.Version {
		t.Errorf("the older client is at %q, want %s", got, newer.Version)
	}
}

func TestYoungHubDoesNotHandOver(t *testing.T) {
	w := newHubTest(t)
	w.Timing.Cooldown = time.Hour
	first := w.connect()
	_ = first.Close()
	w.untilIdle()
	a := w.withBuild(newer).connect()
	if a.welcome.Instance != first.welcome.Instance {
		t.Error("a hub handed over within its cooldown")
	}
	if v, err := GetHealth(t.Context(), w.paths()); err != nil || v.Successor == nil {
		t.Errorf("the newer build is not noted: %+v, %v", v.Successor, err)
	}
}

func TestUnknownWireIsRefused(t *testing.T) {
	w := newHubTest(t)
	w.connect()
	conn, err := w.paths().dialSocket(t.Context(), mcpSocket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := writeJSONLine(conn, Hello{Lectern: lineTypeHello, Wire: WireVersion + 2, BuildInfo: BuildInfo{Version: "9.9.9"}}); err != nil {
		t.Fatal(err)
	}
	var answer HelloAnswer
	if err := readJSONLine(conn, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Lectern != lineTypeRefuse || answer.Retry {
		t.Errorf("answer: %+v; want a final refusal", answer)
	}
	for _, want := range []string{"1.0.0", "9.9.9", "lectern hub restart"} {
		if !strings.Contains(answer.Reason, want) {
			t.Errorf("reason %q does not name %s", answer.Reason, want)
		}
	}
	if !supervisor.IsFinalError(errors.Join(&RefusedError{answer.Reason})) {
		t.Error("a joined refusal is not final")
	}
}

// untilIdle waits for the hub to have noticed that everybody went away.
func (w *hubTest) untilIdle() {
	w.t.Helper()
	w.until("the hub to be idle", func() bool {
		v, err := GetHealth(w.t.Context(), w.paths())
		return err == nil && v.Sessions == 0
	})
}

func TestNewer(t *testing.T) {
	for _, c := range []struct {
		a, b BuildInfo
		want bool
	}{
		{BuildInfo{Version: "1.2.0"}, BuildInfo{Version: "1.1.9"}, true},
		{BuildInfo{Version: "1.10.0"}, BuildInfo{Version: "1.9.0"}, true},
		{BuildInfo{Version: "v1.2.0"}, BuildInfo{Version: "1.2.0"}, false},
		{BuildInfo{Version: "1.2.0"}, BuildInfo{Version: "1.2.0-rc.1"}, true},
		{BuildInfo{Version: "1.2.0-rc.2"}, BuildInfo{Version: "1.2.0-rc.10"}, false},
		{BuildInfo{Version: "1.2.0-rc.10"}, BuildInfo{Version: "1.2.0-rc.2"}, true},
		{BuildInfo{Version: "1.2.0-rc.1"}, BuildInfo{Version: "1.2.0-1"}, true},
		{BuildInfo{Version: "1.2.0-rc.1"}, BuildInfo{Version: "1.2.0-rc"}, true},
		{BuildInfo{Version: "1.2.0+z"}, BuildInfo{Version: "1.2.0+a"}, false},
		{BuildInfo{Version: "2.0.0"}, BuildInfo{Version: "devel"}, false},
		{BuildInfo{Version: "devel"}, BuildInfo{Version: "2.0.0"}, false},
		{BuildInfo{Version: "1.2"}, BuildInfo{Version: "1.1.0"}, false},
		{BuildInfo{"1.0.0", "a", 2}, BuildInfo{"1.0.0", "b", 1}, true},
		{BuildInfo{"devel", "a", 2}, BuildInfo{"devel", "b", 1}, true},
		{BuildInfo{"1.0.0", "a", 2}, BuildInfo{"1.0.0", "a", 1}, false},
		{BuildInfo{"1.0.0", "a", 2}, BuildInfo{"1.0.0", "b", 0}, false},
		{BuildInfo{"1.0.0", "a", 1}, BuildInfo{"1.0.0", "b", 2}, false},
		{BuildInfo{"0.9.0", "a", 9}, BuildInfo{"1.0.0", "b", 1}, false},
	} {
		if got := c.a.Newer(c.b); got != c.want {
			t.Errorf("%+v newer than %+v: %v, want %v", c.a, c.b, got, c.want)
		}
		if c.want && c.b.Newer(c.a) {
			t.Errorf("%+v and %+v are each newer than the other", c.a, c.b)
		}
	}
}
