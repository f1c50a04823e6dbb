package daemon

import (
	"fmt"
	"sync"
	"time"
)

// A shutdownDecision is the decision to end a hub.
type shutdownDecision struct {
	reason    string
	successor *BuildInfo // the build that takes over; nil: none
	// restart asks the supervisor of this hub to start another at once.
	restart bool
}

// hubLifecycle decides which clients may attach and when the hub shuts down. That is
// decided once: from then on every client is refused and asked to retry, which
// starts the next hub. It does no I/O, so tests drive it with their own clock.
type hubLifecycle struct {
	self      BuildInfo
	timing    HubTiming
	idleAfter time.Duration // shut down after so long without use; 0: never
	busy      func() (inFlight, sessions int)
	waiting   func() int
	pinned    func() bool
	now       func() time.Time

	shuttingDown chan struct{} // closed when the decision is made
	wake         chan struct{} // makes run compute its interval again

	mu              sync.Mutex
	started         time.Time
	lastUsed        time.Time
	quietSince      time.Time  // since when nothing is in flight; zero: something is
	attached        int        // streams of agents between hello and end
	probes          int        // other streams between hello and end
	controlRequests int        // control requests being served
	successor       *BuildInfo // a newer build that waits for this hub to be quiet
	shutdown        *shutdownDecision
}

func newLifecycle(c *HubConfig) *hubLifecycle {
	now := c.Now()
	return &hubLifecycle{
		self: c.Self, timing: c.Timing, idleAfter: c.IdleAfter, busy: c.Busy, waiting: c.Waiting, pinned: c.Pinned, now: c.Now,
		shuttingDown: make(chan struct{}), wake: make(chan struct{}, 1),
		started: now, lastUsed: now, quietSince: now,
	}
}

// admit answers a hello. When it returns a welcome, the stream counts as
// attached until detach is called.
func (l *hubLifecycle) admit(h Hello) HelloAnswer {
	l.mu.Lock()
	defer l.mu.Unlock()
	newer := h.Replace && h.Newer(l.self)
	now := l.now()
	if l.shutdown == nil && newer && l.isUnused() && now.Sub(l.started) >= l.timing.Cooldown {
		l.beginShutdown(shutdownDecision{reason: "handing over to a newer build", successor: &h.BuildInfo, restart: true})
	}
	switch {
	case l.shutdown != nil:
		return HelloAnswer{Lectern: lineTypeRefuse, Reason: l.shutdown.reason, Retry: true}
	case !supportsWire(h.Wire):
		return HelloAnswer{Lectern: lineTypeRefuse, Reason: fmt.Sprintf(
			"the hub is version %s with wire version %d, and this lectern is version %s with wire version %d; run `lectern hub restart`",
			l.self.Version, WireVersion, h.Version, h.Wire)}
	}
	if newer && (l.successor == nil || h.Newer(*l.successor)) {
		l.successor = &h.BuildInfo
		l.wakeUp()
	}
	l.adjustStreamCount(h, +1)
	l.lastUsed = now
	return HelloAnswer{Lectern: lineTypeWelcome}
}

// uncountStream ends what admit began.
func (l *hubLifecycle) uncountStream(h Hello) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.adjustStreamCount(h, -1)
	l.lastUsed = l.now()
}

// adjustStreamCount counts a stream in, or out again. mu is held.
func (l *hubLifecycle) adjustStreamCount(h Hello, by int) {
	if h.Probe {
		l.probes += by
		return
	}
	l.attached += by
}

// adjustControlRequestCount counts a control request in, or out again.
func (l *hubLifecycle) adjustControlRequestCount(by int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.controlRequests += by
	l.lastUsed = l.now()
}

// stop shuts the hub down, unless ifIdle is set and it is in use. It reports
// whether the hub shuts down.
func (l *hubLifecycle) stop(d shutdownDecision, ifIdle bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shutdown != nil {
		return true
	}
	if ifIdle && !l.isUnused() {
		return false
	}
	l.beginShutdown(d)
	return true
}

// shutDownIfDue looks at the clock: has the hub been quiet long enough to hand over, or
// idle long enough to shut down?
func (l *hubLifecycle) shutDownIfDue() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	inFlight, sessions := l.busy()
	inFlight += l.waiting() // a question to a person is not cut off
	switch {
	case inFlight > 0:
		l.quietSince = time.Time{}
	case l.quietSince.IsZero():
		l.quietSince = now
	}
	if inFlight > 0 || sessions > 0 || l.attached+l.probes > 0 || l.controlRequests > 0 || l.pinned() {
		l.lastUsed = now
	}
	switch {
	case l.shutdown != nil:
	case l.successor != nil && !l.quietSince.IsZero() && now.Sub(l.quietSince) >= l.timing.QuietFor && now.Sub(l.started) >= l.timing.Cooldown:
		l.beginShutdown(shutdownDecision{reason: "handing over to a newer build", successor: l.successor, restart: true})
	case l.idleAfter > 0 && now.Sub(l.lastUsed) >= l.idleAfter:
		l.beginShutdown(shutdownDecision{reason: "idle"})
	}
}

// checkInterval is how often shutDownIfDue is to be called.
func (l *hubLifecycle) checkInterval() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	every := 15 * time.Second
	if l.idleAfter > 0 {
		every = min(every, l.idleAfter/10)
	}
	if l.successor != nil {
		every = min(every, l.timing.QuietFor/10)
	}
	return max(every, 5*time.Millisecond)
}

// run calls shutDownIfDue until the hub shuts down.
func (l *hubLifecycle) run(done <-chan struct{}) {
	timer := time.NewTimer(l.checkInterval())
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			l.shutDownIfDue()
		case <-l.wake:
		case <-l.shuttingDown:
			return
		case <-done:
			return
		}
		timer.Reset(l.checkInterval())
	}
}

// pendingSuccessor returns the newer build that waits, or nil.
func (l *hubLifecycle) pendingSuccessor() *BuildInfo {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.successor
}

// countAttachedStreams counts the attached streams of agents, also those without a message yet.
func (l *hubLifecycle) countAttachedStreams() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.attached
}

// decidedShutdown returns the shutdown, or nil before it is decided.
func (l *hubLifecycle) decidedShutdown() *shutdownDecision {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shutdown
}

// isUnused, beginShutdown and wakeUp are called with mu held.

func (l *hubLifecycle) isUnused() bool {
	inFlight, sessions := l.busy()
	return inFlight == 0 && sessions == 0 && l.attached+l.probes == 0
}

func (l *hubLifecycle) beginShutdown(d shutdownDecision) {
	l.shutdown = &d
	close(l.shuttingDown)
}

func (l *hubLifecycle) wakeUp() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}
