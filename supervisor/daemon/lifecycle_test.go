package daemon

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// usage is what a hub's life is asked about.
type usage struct {
	inFlight, waiting, sessions atomic.Int64
	pinned                      atomic.Bool
}

// newTestLifecycle returns a life that is watched. The test runs in a bubble, where
// time passes at once.
func newTestLifecycle(t *testing.T, u *usage, idle time.Duration) *hubLifecycle {
	l := newLifecycle(&HubConfig{
		Self: BuildInfo{Version: "1.0.0", Build: "a", Built: 1}, Timing: HubTiming{}.withDefaults(), IdleAfter: idle, Now: time.Now,
		Busy:    func() (int, int) { return int(u.inFlight.Load()), int(u.sessions.Load()) },
		Waiting: func() int { return int(u.waiting.Load()) },
		Pinned:  u.pinned.Load,
	})
	done := make(chan struct{})
	go l.run(done)
	t.Cleanup(func() { close(done) })
	return l
}

// mustKeepRunning lets d pass and wants the hub to be there, then leaves within slack.
func mustKeepRunning(t *testing.T, l *hubLifecycle, d time.Duration) {
	t.Helper()
	<-time.After(d) // in a bubble: not a wait but a clock
	if why := l.decidedShutdown(); why != nil {
		t.Fatalf("left within %s: %s", d, why.reason)
	}
}

func mustShutDown(t *testing.T, l *hubLifecycle, within time.Duration, why string) {
	t.Helper()
	select {
	case <-l.shuttingDown:
	case <-time.After(within):
		t.Fatalf("did not leave within %s", within)
	}
	if got := l.decidedShutdown().reason; got != why {
		t.Errorf("left because: %s; want: %s", got, why)
	}
}

const tenMinutes = 10 * time.Minute

func hello(s BuildInfo) Hello {
	return Hello{Lectern: lineTypeHello, Wire: WireVersion, BuildInfo: s, Replace: true}
}

func attach(l *hubLifecycle, h Hello) (release func()) {
	l.admit(h)
	return func() { l.uncountStream(h) }
}

func TestShutdownWhenIdle(t *testing.T) {
	for name, hold := range map[string]func(*hubLifecycle, *usage) (release func()){
		"nothing":           func(*hubLifecycle, *usage) func() { return func() {} },
		"a stream":          func(l *hubLifecycle, _ *usage) func() { return attach(l, hello(l.self)) },
		"a probe":           func(l *hubLifecycle, _ *usage) func() { return attach(l, Hello{Wire: WireVersion, Probe: true}) },
		"a session on HTTP": func(_ *hubLifecycle, u *usage) func() { u.sessions.Store(1); return func() { u.sessions.Store(0) } },
		"a panel that looks": func(l *hubLifecycle, _ *usage) func() {
			l.adjustControlRequestCount(1)
			return func() { l.adjustControlRequestCount(-1) }
		},
		"a pin":  func(_ *hubLifecycle, u *usage) func() { u.pinned.Store(true); return func() { u.pinned.Store(false) } },
		"a call": func(_ *hubLifecycle, u *usage) func() { u.inFlight.Store(1); return func() { u.inFlight.Store(0) } },
		"a call that waits for a person": func(_ *hubLifecycle, u *usage) func() {
			u.waiting.Store(1)
			return func() { u.waiting.Store(0) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u := new(usage)
				l := newTestLifecycle(t, u, tenMinutes)
				release := hold(l, u)
				if name != "nothing" {
					mustKeepRunning(t, l, 3*tenMinutes)
				}
				release()
				mustKeepRunning(t, l, tenMinutes-20*time.Second)
				mustShutDown(t, l, time.Minute, "idle")
			})
		})
	}
}

func TestNoIdleShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newTestLifecycle(t, new(usage), 0)
		mustKeepRunning(t, l, 1000*time.Hour)
	})
}

// TestHandover: a busy hub hands over when nothing was in flight for two
// seconds, whatever sessions are open, and not within ten seconds of its start.
func TestHandover(t *testing.T) {
	newer := BuildInfo{Version: "2.0.0", Build: "b", Built: 2}
	synctest.Test(t, func(t *testing.T) {
		u := new(usage)
		u.inFlight.Store(1)
		u.sessions.Store(3)
		l := newTestLifecycle(t, u, tenMinutes)
		if w := l.admit(hello(newer)); w.Lectern != lineTypeWelcome {
			t.Fatalf("a busy hub said %+v", w)
		}
		mustKeepRunning(t, l, time.Hour)
		u.waiting.Store(1)
		u.inFlight.Store(0)
		mustKeepRunning(t, l, time.Hour)
		u.waiting.Store(0)
		mustKeepRunning(t, l, 1500*time.Millisecond)
		mustShutDown(t, l, time.Second, "handing over to a newer build")
		if d := l.decidedShutdown(); !d.restart || d.successor == nil || *d.successor != newer {
			t.Errorf("decided %+v", d)
		}
		if w := l.admit(hello(l.self)); w.Lectern != lineTypeRefuse || !w.Retry {
			t.Errorf("a late-comer hears %+v", w)
		}
		if !l.stop(shutdownDecision{}, true) {
			t.Error("a hub that leaves says that it stays")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		l := newTestLifecycle(t, new(usage), tenMinutes)
		l.admit(hello(newer)) // idle, but young
		mustKeepRunning(t, l, 9*time.Second)
		mustShutDown(t, l, 2*time.Second, "handing over to a newer build")
	})
	synctest.Test(t, func(t *testing.T) {
		l := newTestLifecycle(t, new(usage), tenMinutes)
		<-time.After(time.Minute)
		if w := l.admit(hello(newer)); w.Lectern != lineTypeRefuse || !w.Retry {
			t.Errorf("an idle hub said %+v", w)
		}
		mustShutDown(t, l, time.Nanosecond, "handing over to a newer build")
	})
	synctest.Test(t, func(t *testing.T) {
		l := newTestLifecycle(t, new(usage), tenMinutes)
		<-time.After(time.Minute)
		cannot := hello(newer)
		cannot.Replace = false // a client that starts no hub
		if w := l.admit(cannot); w.Lectern != lineTypeWelcome {
			t.Errorf("an idle hub said %+v", w)
		}
		mustKeepRunning(t, l, time.Hour)
	})
}
