package daemon

import (
	"fmt"
	"sync"
	"time"
)

// A departure is why a hub leaves.
type departure struct {
	why  string
	next *Stamp // the build that takes over; nil: nobody in particular
	// again says that another hub is wanted at once: whoever supervises this
	// one starts it anew.
	again bool
}

// life decides who may attach and when the hub leaves. The decision to leave
// is made once: from then on everybody is turned away, and told to start the
// next hub. life does no I/O, so tests drive it with a clock of their own.
type life struct {
	self   Stamp
	timing Timing
	idle   time.Duration // leave after so long without use; 0: never
	busy   func() (inFlight, sessions int)
	pinned func() bool
	now    func() time.Time

	left chan struct{} // closed when the decision is made
	wake chan struct{} // tells the watch that it should look more often

	mu       sync.Mutex
	started  time.Time
	lastUsed time.Time
	quiet    time.Time // since when nothing is in flight; zero: something is
	attached int       // streams between hello and end
	watchers int       // control requests being served
	next     *Stamp    // a newer build that waits for this hub to be quiet
	leaving  *departure
}

func newLife(c *HubConfig) *life {
	now := c.Now()
	return &life{
		self: c.Stamp, timing: c.Timing, idle: c.IdleAfter, busy: c.Busy, pinned: c.Pinned, now: c.Now,
		left: make(chan struct{}), wake: make(chan struct{}, 1),
		started: now, lastUsed: now, quiet: now,
	}
}

// admit answers a hello. When it returns a welcome, the stream counts as
// attached until detach is called.
func (l *life) admit(h Hello) Welcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	newer := h.Replace && h.Newer(l.self)
	now := l.now()
	if l.leaving == nil && newer && l.unused() && now.Sub(l.started) >= l.timing.Cooldown {
		l.leave(departure{why: "handing over to a newer build", next: &h.Stamp, again: true})
	}
	switch {
	case l.leaving != nil:
		return Welcome{Lectern: sayRefuse, Reason: l.leaving.why, Retry: true}
	case !speaks(h.Wire):
		return Welcome{Lectern: sayRefuse, Reason: fmt.Sprintf(
			"the hub is version %s and speaks wire %d, this lectern is version %s and speaks wire %d; run `lectern hub restart`",
			l.self.Version, Wire, h.Version, h.Wire)}
	}
	if newer && (l.next == nil || h.Newer(*l.next)) {
		l.next = &h.Stamp
		l.rouse()
	}
	l.attached++
	l.lastUsed = now
	return Welcome{Lectern: sayWelcome}
}

// detach ends what admit began.
func (l *life) detach() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attached--
	l.lastUsed = l.now()
}

// watching counts a control request in, or out again.
func (l *life) watching(by int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watchers += by
	l.lastUsed = l.now()
}

// stop makes the hub leave, unless ifIdle is set and somebody uses it. It
// reports whether the hub leaves.
func (l *life) stop(d departure, ifIdle bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leaving != nil {
		return true
	}
	if ifIdle && !l.unused() {
		return false
	}
	l.leave(d)
	return true
}

// tick looks at the clock: has the hub been quiet long enough to hand over, or
// idle long enough to leave?
func (l *life) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	inFlight, sessions := l.busy()
	switch {
	case inFlight > 0:
		l.quiet = time.Time{}
	case l.quiet.IsZero():
		l.quiet = now
	}
	if inFlight > 0 || sessions > 0 || l.attached > 0 || l.watchers > 0 || l.pinned() {
		l.lastUsed = now
	}
	switch {
	case l.leaving != nil:
	case l.next != nil && !l.quiet.IsZero() && now.Sub(l.quiet) >= l.timing.Settle && now.Sub(l.started) >= l.timing.Cooldown:
		l.leave(departure{why: "handing over to a newer build", next: l.next, again: true})
	case l.idle > 0 && now.Sub(l.lastUsed) >= l.idle:
		l.leave(departure{why: "idle"})
	}
}

// interval is how often tick is to be called.
func (l *life) interval() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	every := 15 * time.Second
	if l.idle > 0 {
		every = min(every, l.idle/10)
	}
	if l.next != nil {
		every = min(every, l.timing.Settle/10)
	}
	return max(every, 5*time.Millisecond)
}

// watch calls tick until the hub leaves.
func (l *life) watch(done <-chan struct{}) {
	timer := time.NewTimer(l.interval())
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			l.tick()
		case <-l.wake:
		case <-l.left:
			return
		case <-done:
			return
		}
		timer.Reset(l.interval())
	}
}

// pending returns the newer build that waits, or nil.
func (l *life) pending() *Stamp {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next
}

// streams counts the attached streams, even those that have said nothing yet.
func (l *life) streams() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.attached
}

// decided returns why the hub leaves, or nil while it stays.
func (l *life) decided() *departure {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leaving
}

// unused, leave and rouse are called with mu held.

func (l *life) unused() bool {
	inFlight, sessions := l.busy()
	return inFlight == 0 && sessions == 0 && l.attached == 0
}

func (l *life) leave(d departure) {
	l.leaving = &d
	close(l.left)
}

func (l *life) rouse() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}
