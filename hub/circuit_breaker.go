package hub

import (
	"fmt"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// tripReason is why a person is asked before this client changes anything more, or
// empty.
func (l *ClientLimiter) tripReason(client policy.Client, effect tools.Effect) string {
	if effect == tools.Reads {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if u := l.by[client]; u != nil {
		return u.tripped
	}
	return ""
}

// countWrites counts what a client is about to change and trips its circuit
// breaker when that is too much in a minute. A tripped one also stops calls that
// were on their way.
func (l *ClientLimiter) countWrites(client policy.Client, changes []tools.Change) error {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.currentUsage(client, now)
	if u.tripped != "" {
		return errTripped(u.tripped)
	}
	for _, c := range changes {
		if c.Before.Exists && !c.After.Exists && !c.AfterUnknown {
			u.deletes++
		}
		u.bytes += len(c.Before.Data)
	}
	switch {
	case l.limits.DeletesPerMinute > 0 && u.deletes > l.limits.DeletesPerMinute:
		u.tripped = fmt.Sprintf("it was about to delete more than %d targets in a minute", l.limits.DeletesPerMinute)
	case l.limits.RewrittenBytesPerMinute > 0 && u.bytes > l.limits.RewrittenBytesPerMinute:
		u.tripped = fmt.Sprintf("it was about to rewrite more than %d bytes in a minute", l.limits.RewrittenBytesPerMinute)
	default:
		return nil
	}
	p := breakerTrippedProblem.New(client.Name, status.Args{"client": client.Name, "why": u.tripped})
	p.Action = &status.Action{Verb: status.ResetCircuitBreaker, Target: client.Name}
	l.snapshot.raiseProblem(p)
	return errTripped(u.tripped)
}

func errTripped(why string) error {
	return tools.Errorf(tools.Denied, "too much at once: %s", why).
		WithHint("Nothing was changed. Call again if it is meant: the user is asked about each change until they reset the circuit breaker.")
}

// ResetCircuitBreaker lets the clients of this name write again without a person
// being asked.
func (l *ClientLimiter) ResetCircuitBreaker(client string) error {
	l.mu.Lock()
	found := false
	for c, u := range l.by {
		if c.Name == client && u.tripped != "" {
			*u, found = clientUsage{since: l.now()}, true
		}
	}
	l.mu.Unlock()
	if !found {
		return fmt.Errorf("cannot reset the circuit breaker of %q: it has not tripped", client)
	}
	l.snapshot.clearProblem(breakerTrippedProblem.Code, client)
	return nil
}
