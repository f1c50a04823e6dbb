package loopnet

import (
	"cmp"
	"net/http"
	"sync"
	"time"
)

// uncountedBody is how large a body may be without counting against BodyBytes.
// The slots bound these already (64 x 64 KiB), and a small call must not wait for
// large ones.
const uncountedBody = 64 << 10

// A Budget bounds what happens behind a [Guard] at the same time. A zero field
// means the default in its comment.
type Budget struct {
	Calls       int           // calls in flight: 64
	CallsEach   int           // of one principal: 32
	Streams     int           // open streams and WebSockets: 128
	StreamsEach int           // of one principal: 64
	BodyBytes   int64         // sum of all bodies above 64 KiB in flight: 8 MiB
	Wait        time.Duration // how long a request waits for room: 2 s
}

// A budget counts what is in flight. A request that finds no room waits a moment
// for it.
type budget struct {
	Budget
	mu             sync.Mutex
	calls, streams slotPool
	bytes          int64
	freed          chan struct{} // closed, and replaced, at every release
}

type slotPool struct {
	used int
	each map[string]int
}

func newBudget(b Budget) *budget {
	b.Calls = cmp.Or(b.Calls, 64)
	b.CallsEach = cmp.Or(b.CallsEach, 32)
	b.Streams = cmp.Or(b.Streams, 128)
	b.StreamsEach = cmp.Or(b.StreamsEach, 64)
	b.BodyBytes = cmp.Or(b.BodyBytes, 8<<20)
	b.Wait = cmp.Or(b.Wait, 2*time.Second)
	return &budget{
		Budget: b, freed: make(chan struct{}),
		calls: slotPool{each: map[string]int{}}, streams: slotPool{each: map[string]int{}},
	}
}

// waitForRoom reserves room for r, or says why there is none.
func (b *budget) waitForRoom(r *http.Request, route Route, principal string) (release func(), refused *refusal) {
	w := reservation{principal: principal, bytes: bodyCost(r, route), pool: &b.calls, total: b.Calls, each: b.CallsEach}
	if r.Method == http.MethodGet && (route.Stream || r.Header.Get("Upgrade") != "") {
		w.pool, w.total, w.each = &b.streams, b.Streams, b.StreamsEach
	}
	release, freed, refused := b.reserve(w)
	if refused == nil {
		return release, nil
	}
	deadline := time.NewTimer(b.Wait)
	defer deadline.Stop()
	for {
		select {
		case <-freed:
		case <-deadline.C:
			return nil, refused
		case <-r.Context().Done():
			return nil, refused
		}
		if release, freed, refused = b.reserve(w); refused == nil {
			return release, nil
		}
	}
}

// A reservation is the room that one request takes.
type reservation struct {
	principal   string
	bytes       int64
	pool        *slotPool
	total, each int
}

func (b *budget) reserve(w reservation) (release func(), freed <-chan struct{}, refused *refusal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case w.pool.each[w.principal] >= w.each:
		refused = refuse("principal budget", http.StatusTooManyRequests, "%d requests of this client are in flight: wait for one to end", w.each)
	case w.pool.used >= w.total:
		refused = refuse("budget", http.StatusServiceUnavailable, "%d requests are in flight: try again", w.total)
	case b.bytes > 0 && w.bytes > 0 && b.bytes+w.bytes > b.BodyBytes: // the only body may have any size
		refused = refuse("byte budget", http.StatusServiceUnavailable, "%d bytes of request bodies are in flight: try again", b.bytes)
	}
	if refused != nil {
		return nil, b.freed, refused.with("Retry-After", "1")
	}
	w.pool.used++
	w.pool.each[w.principal]++
	b.bytes += w.bytes
	return func() { b.release(w) }, nil, nil
}

func (b *budget) release(w reservation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bytes -= w.bytes
	w.pool.used--
	if w.pool.each[w.principal]--; w.pool.each[w.principal] == 0 {
		delete(w.pool.each, w.principal)
	}
	close(b.freed)
	b.freed = make(chan struct{})
}

// bodyCost returns what r's body counts: its size, or, without a
// Content-Length, all that the route allows.
func bodyCost(r *http.Request, route Route) int64 {
	switch n := r.ContentLength; {
	case n < 0:
		return route.MaxBody
	case n > uncountedBody:
		return n
	}
	return 0
}
