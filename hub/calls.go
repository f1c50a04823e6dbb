package hub

import (
	"context"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/status"
)

// callsKept is how many calls a hub remembers.
const callsKept = 4096

// A callRing keeps the newest calls and tells who follows. Adding one allocates
// nothing once it is full, unless somebody waits for it.
type callRing struct {
	size int // how many it keeps

	mu     sync.Mutex
	calls  []status.Call // Seq n is at (n-1) % size
	last   uint64        // Seq of the newest
	wake   chan struct{} // closed and forgotten at the next call; nil: nobody waits
	closed bool
}

// add keeps c under the next number.
func (r *callRing) add(c status.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	c.Seq = r.last
	if len(r.calls) < r.size {
		r.calls = append(r.calls, c)
	} else {
		r.calls[(r.last-1)%uint64(r.size)] = c
	}
	r.tell()
}

// close ends those who follow when they have read what is there.
func (r *callRing) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.tell()
}

func (r *callRing) tell() {
	if r.wake != nil {
		close(r.wake)
		r.wake = nil
	}
}

// after copies up to some of the calls that follow number seq into to, and the
// number of the newest. Wake is closed when there are more than that.
func (r *callRing) after(seq uint64, to []status.Call) (calls []status.Call, last uint64, wake <-chan struct{}, closed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next, oldest := seq+1, r.last-uint64(len(r.calls))+1
	var missed uint64
	if next < oldest {
		if seq > 0 {
			missed = oldest - next
		}
		next = oldest
	}
	for calls = to[:0]; next <= r.last && len(calls) < cap(to); next++ {
		c := r.calls[(next-1)%uint64(r.size)]
		c.Missed, missed = missed, 0
		calls = append(calls, c)
	}
	if r.wake == nil {
		r.wake = make(chan struct{})
	}
	return calls, r.last, r.wake, r.closed
}

// Calls delivers the calls that q picks, oldest first: status.Ledger's.
func (h *Hub) Calls(ctx context.Context, q status.CallFilter) (<-chan status.Call, error) {
	ch := make(chan status.Call)
	go h.ring.deliver(ctx, q, ch)
	return ch, nil
}

func (r *callRing) deliver(ctx context.Context, q status.CallFilter, ch chan<- status.Call) {
	defer close(ch)
	batch := make([]status.Call, 0, 64)
	_, until, _, _ := r.after(0, nil)
	if q.After > until {
		q.After = 0 // a number of another hub
	}
	for {
		calls, last, wake, closed := r.after(q.After, batch)
		for _, c := range calls {
			if !q.Follow && c.Seq > until {
				return
			}
			select {
			case ch <- c:
				q.After = c.Seq
			case <-ctx.Done():
				return
			}
		}
		if q.After < last {
			continue
		}
		if !q.Follow || closed {
			return
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return
		}
	}
}

// nameMax bounds names that agents made up, in bytes, as they are kept.
const nameMax = 200

// bounded is a name that keeps no more of its text alive than it shows.
func bounded(name string) string {
	if len(name) <= nameMax {
		return name
	}
	return strings.ToValidUTF8(strings.Clone(name[:nameMax]), "") + "…"
}
