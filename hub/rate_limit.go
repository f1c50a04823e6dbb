package hub

import (
	"strconv"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/pauses"
	"github.com/lectern-mcp/lectern/status"
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
	hidden  int    // writes that privacy rules refused
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
	switch limit, hidden := l.limits.CallsPerMinute, l.limits.HiddenWritesPerMinute; {
	case limit > 0 && u.calls >= limit:
		return u.newLimitExceededError(now, "more than %d calls in a minute", limit)
	case u.hidden >= hidden && c.tool.info.Effect != tools.Reads:
		return u.newLimitExceededError(now, "more than %d writes to hidden pages in a minute", hidden)
	}
	u.calls++
	return nil
}

// newLimitExceededError is the error of a limit that holds until the minute is over.
func (u *clientUsage) newLimitExceededError(now time.Time, format string, limit int) error {
	wait := max(1, int(u.since.Add(time.Minute).Sub(now).Round(time.Second).Seconds()))
	return tools.Errorf(tools.Limited, "rate limit exceeded: "+format, limit).WithHint("Try again in %d s.", wait).
		WithData(map[string]any{"retry_after_seconds": wait})
}

// countHiddenRefusal counts a call that was refused because of what is hidden, and shows
// people a client that had many of them.
func (l *ClientLimiter) countHiddenRefusal(c *call, err error) {
	if !tools.IsHidden(err) || c.via == tools.ViaPerson {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.currentUsage(c.client, l.now())
	if u.hidden++; u.hidden == l.limits.HiddenWritesPerMinute {
		l.snapshot.raiseProblem(privacyProbedProblem.New(c.client.Name, status.Args{
			"client": c.client.Name, "source": c.source.conf.Name, "count": strconv.Itoa(u.hidden),
		}))
	}
}

// uncountWrite takes back that a call counted as a write: it is answered with a
// form, and counts when it comes again.
func (l *ClientLimiter) uncountWrite(c *call) {
	if l.limits.SessionWrites > 0 && c.tool.info.Effect != tools.Reads {
		c.session.writes.Add(-1)
	}
}
