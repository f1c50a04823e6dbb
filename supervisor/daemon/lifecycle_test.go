package daemon

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// use is what a hub's life is asked about.
type use struct {
	inFlight, sessions atomic.Int64
	pinned             atomic.Bool
}

// newTestLife returns a life that is watched. The test runs in a bubble, where
// time passes at once.
func newTestLife(t *testing.T, u *use, idle time.Duration) *lifecycle {
	l := newLifecycle(&HubConfig{
		Stamp: Stamp{Version: "1.0.0", Build: "a", Built: 1}, Timing: Timing{}.withDefaults(), IdleAfter: idle, Now: time.Now,
		Busy:   func() (int, int) { return int(u.inFlight.Load()), int(u.sessions.Load()) },
		Pinned: u.pinned.Load,
	})
	done := make(chan struct{})
	go l.run(done)
	t.Cleanup(func() { close(done) })
	return l
}

// stays lets d pass and wants the hub to be there, then leaves within slack.
func stays(t *testing.T, l *lifecycle, d time.Duration) {
	t.Helper()
	<-time.After(d) // in a bubble: not a wait but a clock
	if why := l.decision(); why != nil {
		t.Fatalf("left within %s: %s", d, why.reason)
	}
}

func leaves(t *testing.T, l *lifecycle, within time.Duration, why string) {
	t.Helper()
	select {
	case <-l.shuttingDown:
	case <-time.After(within):
		t.Fatalf("did not leave within %s", within)
	}
	if got := l.decision().reason; got != why {
		t.Errorf("left because: %s; want: %s", got, why)
	}
}

const tenMinutes = 10 * time.Minute

func hello(s Stamp) Hello { return Hello{Lectern: typeHello, Wire: Wire, Stamp: s, Replace: true} }

func TestLifeIdle(t *testing.T) {
	for name, hold := range map[string]func(*lifecycle, *use) (release func()){
		"nothing":            func(*lifecycle, *use) func() { return func() {} },
		"a stream":           func(l *lifecycle, _ *use) func() { l.admit(hello(l.self)); return l.detach },
		"a session on HTTP":  func(_ *lifecycle, u *use) func() { u.sessions.Store(1); return func() { u.sessions.Store(0) } },
		"a panel that looks": func(l *lifecycle, _ *use) func() { l.countControl(1); return func() { l.countControl(-1) } },
		"a pin":              func(_ *lifecycle, u *use) func() { u.pinned.Store(true); return func() { u.pinned.Store(false) } },
		"a call":             func(_ *lifecycle, u *use) func() { u.inFlight.Store(1); return func() { u.inFlight.Store(0) } },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u := new(use)
				l := newTestLife(t, u, tenMinutes)
				release := hold(l, u)
				if name != "nothing" {
					stays(t, l, 3*tenMinutes)
				}
				release()
				stays(t, l, tenMinutes-20*time.Second)
				leaves(t, l, time.Minute, "idle")
			})
		})
	}
}

func TestLifeForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newTestLife(t, new(use), 0)
		stays(t, l, 1000*time.Hour)
	})
}

// TestLifeHandOver: a busy hub hands over when nothing was in flight for two
// seconds, whatever sessions are open, and not within ten seconds of its start.
func TestLifeHandOver(t *testing.T) {
	newer := Stamp{Version: "2.0.0", Build: "b", Built: 2}
	synctest.Test(t, func(t *testing.T) {
		u := new(use)
		u.inFlight.Store(1)
		u.sessions.Store(3)
		l := newTestLife(t, u, tenMinutes)
		if w := l.admit(hello(newer)); w.Lectern != typeWelcome {
			t.Fatalf("a busy hub said %+v", w)
		}
		stays(t, l, time.Hour)
		u.inFlight.Store(0)
		stays(t, l, 1500*time.Millisecond)
		leaves(t, l, time.Second, "handing over to a newer build")
		if d := l.decision(); !d.restart || d.successor == nil || *d.successor != newer {
			t.Errorf("decided %+v", d)
		}
		if w := l.admit(hello(l.self)); w.Lectern != typeRefuse || !w.Retry {
			t.Errorf("a late-comer hears %+v", w)
		}
		if !l.stop(shutdown{}, true) {
			t.Error("a hub that leaves says that it stays")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		l := newTestLife(t, new(use), tenMinutes)
		l.admit(hello(newer)) // idle, but young
		stays(t, l, 9*time.Second)
		leaves(t, l, 2*time.Second, "handing over to a newer build")
	})
	synctest.Test(t, func(t *testing.T) {
		l := newTestLife(t, new(use), tenMinutes)
		<-time.After(time.Minute)
		if w := l.admit(hello(newer)); w.Lectern != typeRefuse || !w.Retry {
			t.Errorf("an idle hub said %+v", w)
		}
		leaves(t, l, time.Nanosecond, "handing over to a newer build")
	})
	synctest.Test(t, func(t *testing.T) {
		l := newTestLife(t, new(use), tenMinutes)
		<-time.After(time.Minute)
		cannot := hello(newer)
		cannot.Replace = false // a client that starts no hub
		if w := l.admit(cannot); w.Lectern != typeWelcome {
			t.Errorf("an idle hub said %+v", w)
		}
		stays(t, l, time.Hour)
	})
}
