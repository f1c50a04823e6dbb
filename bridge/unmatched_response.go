package bridge

import (
	"errors"
	"time"
)

// An unmatchedReason says why an answer matches no call that is in flight.
type unmatchedReason string

const (
	duplicateAnswer unmatchedReason = "twice"   // a second answer to the same call
	lateAnswer      unmatchedReason = "late"    // an answer after the call was cancelled
	unknownCall     unmatchedReason = "unknown" // an answer to a call that was never made
)

// recentCallCount is how many ended calls are remembered, to tell late answers from
// invented ones.
const recentCallCount = 1024

// recentCalls remembers how the last calls ended, in a ring buffer.
type recentCalls struct {
	reasons map[string]unmatchedReason
	order   []string // ring buffer of ids
	next    int
}

func newRecentCalls() recentCalls {
	return recentCalls{reasons: map[string]unmatchedReason{}, order: make([]string, recentCallCount)}
}

func (p *recentCalls) add(id string, f unmatchedReason) {
	delete(p.reasons, p.order[p.next])
	p.order[p.next], p.reasons[id] = id, f
	p.next = (p.next + 1) % len(p.order)
}

func (p *recentCalls) reason(id string) unmatchedReason {
	if f, ok := p.reasons[id]; ok {
		return f
	}
	return unknownCall
}

// unmatchedWindow is the period in which unmatched answers are counted together.
const unmatchedWindow = 10 * time.Second

// An unmatchedCount counts answers that no call asked for.
type unmatchedCount struct {
	start time.Time
	count int
}

// dropUnmatched drops an answer that belongs to no call. Late answers are
// caused by our callers' timeouts; too many others are an error. c.mu is held.
func (c *conn) dropUnmatched(id string) error {
	f := c.recent.reason(id)
	c.metrics.unmatched++
	c.bridge.log.Info("answer dropped", "component", "bridge", "reason", string(f), "call_id", id, "epoch", c.epoch)
	if f == lateAnswer {
		c.recent.reasons[id] = duplicateAnswer
		return nil
	}
	now := time.Now()
	if now.Sub(c.unmatched.start) > unmatchedWindow {
		c.unmatched = unmatchedCount{start: now}
	}
	if c.unmatched.count++; c.unmatched.count >= c.bridge.limits.Unmatched {
		return errors.New("too many answers to calls that were never made")
	}
	return nil
}
