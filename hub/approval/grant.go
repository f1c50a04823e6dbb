package approval

import (
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A Grant is a person's approval of one call, to be used once and in time.
type Grant struct {
	ID    string       // of the approval; empty: nobody was asked
	Scope status.Scope // how far the approval reaches beyond the call
	// Edited is what the person has made of the only Change of the call, from the same
	// Before: it is written in place of what the call would write. Nil: they
	// approved that.
	Edited *tools.Change
	Edit   status.PersonEdit // says the same in numbers

	request Request
	now     func() time.Time
	useBy   time.Time

	mu       sync.Mutex
	used     bool
	outdated bool // the call tried to make other changes than those that were approved
}

// NewGrant approves r until a time.
func NewGrant(r Request, now func() time.Time, useBy time.Time) *Grant {
	return &Grant{Scope: status.Once, request: r, now: now, useBy: useBy}
}

// Changes are those that were approved.
func (g *Grant) Changes() []tools.Change { return g.request.Changes }

// Use takes the approval for the call as it is about to write, under the policy
// with this digest, or reports why it does not cover that. What it does not
// cover leaves it unused.
func (g *Grant) Use(changes []tools.Change, policyDigest string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.request
	r.Changes, r.Policy = changes, policyDigest
	now := g.now()
	switch {
	case g.used:
		return tools.Errorf(tools.Conflict, "the changes that the user approved were made; the call then tried to make others").
			WithHint("Read what was changed, and make the other changes one call at a time.")
	case r.Digest() != g.request.Digest():
		g.outdated = true
		return errConflict("what the call would change is not what the user approved")
	case isExpired(now, g.useBy):
		return errConflict("the user's approval has expired")
	}
	g.used = true
	return nil
}

// Outdated reports whether nothing was written with the approval because the
// changes have become others: the person may be asked again.
func (g *Grant) Outdated() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.outdated && !g.used
}

// SetOutdated notes that the target was found changed before the changes were
// reported.
func (g *Grant) SetOutdated() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.outdated = true
}

func errConflict(why string) error {
	return tools.Errorf(tools.Conflict, "%s", why).WithHint("Read again, then call again; the user is asked again.")
}

// isExpired reports whether until has passed by the wall clock or by the
// monotonic one: a machine that slept, or whose clock was set back, gains no
// time.
func isExpired(now, until time.Time) bool {
	return now.After(until) || now.Round(0).After(until.Round(0))
}
