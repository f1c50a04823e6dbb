package hub

import (
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/pauses"
	"github.com/lectern-mcp/lectern/tools"
)

// A ClientLimiter bounds what each client does in a minute, over all of its
// sessions, by a rate limit and a circuit breaker. A client that gives itself
// another name is another client: the limits are for agents that run wild, not
// for those that lie.
type ClientLimiter struct {
	limits   Limits
	now      func() time.Time
	snapshot *snapshotUpdater
	pauses   *pauses.File // nil: nobody is ever stopped

	mu sync.Mutex
	by map[policy.Client]*clientUsage

	pauseMu sync.Mutex
	shown   map[string]time.Time // since when the writes of clients are paused, as people see it; "": of all
}

type clientUsage struct {
	since   time.Time // when the minute began
	calls   int
	deletes int
	bytes   int
	tripped string // why the circuit breaker is open; empty: it is closed
}

// clientPruneThreshold is how many clients are counted before those that did nothing
// for a minute are forgotten.
const clientPruneThreshold = 256

// currentUsage is the usage of a client in the current minute. l.mu is held.
func (l *ClientLimiter) currentUsage(client policy.Client, now time.Time) *clientUsage {
	u := l.by[client]
	if u == nil {
		if len(l.by) > clientPruneThreshold {
			for old, u := range l.by {
				if u.tripped == "" && now.Sub(u.since) >= time.Minute {
					delete(l.by, old)
				}
			}
		}
		u = &clientUsage{since: now}
		l.by[client] = u
	}
	if age := now.Sub(u.since); age >= time.Minute || age < 0 { // or the clock was set back
		*u = clientUsage{since: now, tripped: u.tripped}
	}
	return u
}

// countCall counts the call, or refuses it when the client has used up its
// calls.
func (l *ClientLimiter) countCall(c *call) error {
	if limit := l.limits.SessionWrites; limit > 0 && c.tool.info.Effect != tools.Reads && c.session.writes.Add(1) > int64(limit) {
		return tools.Errorf(tools.Limited, "this session has made its %d writes", limit).WithHint("Ask the user; a new session may write again.")
	}
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.currentUsage(c.client, now)
	if limit := l.limits.CallsPerMinute; limit > 0 && u.calls >= limit {
		return newRateLimitError(untilNextMinute(u.since, now), "more than %d calls in a minute", limit)
	}
	u.calls++
	return nil
}

func untilNextMinute(since, now time.Time) time.Duration { return since.Add(time.Minute).Sub(now) }

// newRateLimitError is the error of a limit that holds for so long.
func newRateLimitError(wait time.Duration, format string, limit int) error {
	seconds := max(1, int(wait.Round(time.Second).Seconds()))
	return tools.Errorf(tools.Limited, "rate limit exceeded: "+format, limit).WithHint("Try again in %d s.", seconds).
		WithData(map[string]any{"retry_after_seconds": seconds})
}

// uncountWrite takes back that a call counted as a write: it is answered with a
// form, and counts when it comes again.
func (l *ClientLimiter) uncountWrite(c *call) {
	if l.limits.SessionWrites > 0 && c.tool.info.Effect != tools.Reads {
		c.session.writes.Add(-1)
	}
}
