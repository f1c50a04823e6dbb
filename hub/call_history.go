package hub

import (
	"context"
	"sync"

	"github.com/lectern-mcp/lectern/status"
)

// historySize is how many calls a hub remembers.
const historySize = 4096

// A callHistory is a ring buffer of the newest calls that can be followed.
// Adding one allocates nothing once it is full, unless a follower waits for it.
type callHistory struct {
	size int

	mu     sync.Mutex
	calls  []status.Call // Seq n is at (n-1) % size
	last   uint64        // Seq of the newest
	wake   chan struct{} // closed and dropped at the next call; nil: no follower waits
	closed bool
}

// add stores c under the next number.
func (h *callHistory) add(c status.Call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	c.Seq = h.last
	if len(h.calls) < h.size {
		h.calls = append(h.calls, c)
	} else {
		h.calls[(h.last-1)%uint64(h.size)] = c
	}
	h.notify()
}

// close ends followers when they have read what is there.
func (h *callHistory) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.notify()
}

func (h *callHistory) notify() {
	if h.wake != nil {
		close(h.wake)
		h.wake = nil
	}
}

// after fills to with the calls that follow number seq, and returns the number of
// the newest. wake is closed when a newer one comes.
func (h *callHistory) after(seq uint64, to []status.Call) (calls []status.Call, last uint64, wake <-chan struct{}, closed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	next, oldest := seq+1, h.last-uint64(len(h.calls))+1
	var missed uint64
	if next < oldest {
		if seq > 0 {
			missed = oldest - next
		}
		next = oldest
	}
	for calls = to[:0]; next <= h.last && len(calls) < cap(to); next++ {
		c := h.calls[(next-1)%uint64(h.size)]
		c.Missed, missed = missed, 0
		calls = append(calls, c)
	}
	if h.wake == nil {
		h.wake = make(chan struct{})
	}
	return calls, h.last, h.wake, h.closed
}

// Stream delivers the calls that match q, oldest first, as [status.CallsQuery]
// promises.
func (l *CallLog) Stream(ctx context.Context, q status.CallFilter) (<-chan status.Call, error) {
	ch := make(chan status.Call)
	go l.history.deliver(ctx, q, ch)
	return ch, nil
}

// isUnwantedEvent reports whether c is an event that nobody asked for.
func isUnwantedEvent(q status.CallFilter, c *status.Call) bool { return c.Event != "" && !q.Events }

// waitForNewCall returns when wake is closed; false: ctx ended before.
func waitForNewCall(ctx context.Context, wake <-chan struct{}) bool {
	select {
	case <-wake:
		return true
	case <-ctx.Done():
		return false
	}
}

func (h *callHistory) deliver(ctx context.Context, q status.CallFilter, ch chan<- status.Call) {
	defer close(ch)
	batch := make([]status.Call, 0, 64)
	_, until, _, _ := h.after(0, nil)
	if q.After > until {
		q.After = 0 // a number from another hub
	}
	var missed uint64 // before an event that was left out
	for {
		calls, last, wake, closed := h.after(q.After, batch)
		for _, c := range calls {
			if !q.Follow && c.Seq > until {
				return
			}
			if missed += c.Missed; isUnwantedEvent(q, &c) {
				q.After = c.Seq
				continue
			}
			c.Missed, missed = missed, 0
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
		if !q.Follow || closed || !waitForNewCall(ctx, wake) {
			return
		}
	}
}
