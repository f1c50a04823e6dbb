package statustest

import (
	"context"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// ledger is what a Fake says that agents did.
type ledger struct {
	calls  []status.Call // the last Kept
	last   uint64        // Seq of the newest call
	onCall func(status.Call)
}

// AddCall adds a call and returns its Seq, which AddCall gives. Without a Time
// it is one second after the call before.
func (f *Fake) AddCall(c status.Call) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := &f.ledger
	l.last++
	c.Seq, c.Missed = l.last, 0
	if c.Time.IsZero() {
		c.Time = time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC).Add(time.Duration(l.last) * time.Second)
	}
	l.calls = append(l.calls, c)
	if len(l.calls) > Kept {
		l.calls = slices.Clone(l.calls[len(l.calls)-Kept:])
	}
	f.changed()
	if l.onCall != nil {
		l.onCall(c)
	}
	return c.Seq
}

// TeeCalls has call called with everything that AddCall adds from now on,
// before it returns; see Tee.
func (f *Fake) TeeCalls(call func(status.Call)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ledger.onCall = call
}

// Calls implements status.Ledger.
func (f *Fake) Calls(ctx context.Context, q status.CallQuery) (<-chan status.Call, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, f.err
	}
	if q.After > f.ledger.last {
		q.After = 0 // a number of another hub
	}
	ch := make(chan status.Call)
	go deliver(ctx, f, f.ended, q.Follow, ch, func() []status.Call {
		calls := f.ledger.after(q.After)
		q.After = f.ledger.last
		return calls
	})
	return ch, nil
}

// after returns the kept calls with a greater Seq.
func (l *ledger) after(seq uint64) []status.Call {
	oldest := l.last - uint64(len(l.calls)) + 1
	var missed uint64
	if seq > 0 && seq+1 < oldest {
		missed = oldest - seq - 1
	}
	var calls []status.Call
	for _, c := range l.calls {
		if c.Seq > seq {
			c.Missed, missed = missed, 0
			calls = append(calls, c)
		}
	}
	return calls
}
