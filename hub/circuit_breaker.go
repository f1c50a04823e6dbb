package hub

import (
	"cmp"
	"fmt"
	"strings"

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
	deletes, bytes := countDestroyed(changes)
	u.deletes, u.bytes = u.deletes+deletes, u.bytes+bytes
	if u.tripped = l.limits.tooMuchDestroyed(u.deletes, u.bytes); u.tripped == "" {
		return nil
	}
	p := breakerTrippedProblem.New(client.Name, status.Args{"client": client.Name, "why": u.tripped})
	p.Action = &status.Action{Verb: status.ResetCircuitBreaker, Target: client.Name}
	l.snapshot.raiseProblem(p)
	return errTripped(u.tripped)
}

// foresee is what countWrites would answer, and counts nothing.
func (l *ClientLimiter) foresee(client policy.Client, changes []tools.Change) error {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	u := *l.currentUsage(client, now)
	deletes, bytes := countDestroyed(changes)
	if why := cmp.Or(u.tripped, l.limits.tooMuchDestroyed(u.deletes+deletes, u.bytes+bytes)); why != "" {
		return errTripped(why)
	}
	return nil
}

// countDestroyed counts the targets that changes delete, and the bytes that they delete or
// rewrite. What moves is still there, and a folder holds nothing that is not counted itself.
func countDestroyed(changes []tools.Change) (deletes, bytes int) {
	moved := map[int]bool{}
	for _, m := range tools.FindTargetMoves(changes) {
		moved[m.From] = true
	}
	for i, c := range changes {
		if moved[i] {
			continue
		}
		if c.Before.Exists && !c.After.Exists && !c.AfterUnknown && !strings.HasSuffix(c.Target, "/") {
			deletes++
		}
		bytes += len(c.Before.Data)
	}
	return deletes, bytes
}

// tooMuchDestroyed is why so many deletions and bytes trip a circuit breaker, or empty.
func (l Limits) tooMuchDestroyed(deletes, bytes int) string {
	switch {
	case l.DeletesPerMinute > 0 && deletes > l.DeletesPerMinute:
		return fmt.Sprintf("it was about to delete more than %d targets in a minute", l.DeletesPerMinute)
	case l.RewrittenBytesPerMinute > 0 && bytes > l.RewrittenBytesPerMinute:
		return fmt.Sprintf("it was about to rewrite more than %d bytes in a minute", l.RewrittenBytesPerMinute)
	}
	return ""
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
