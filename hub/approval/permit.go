package approval

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A Permit is an approval for ten minutes as the hub checks it.
type Permit struct {
	status.Permit // as it was given: its Calls are 0

	calls  atomic.Uint64
	policy string // digest of the policy under which it was given
	queue  *Queue
	expiry *time.Timer
	ended  bool // queue.mu is held
}

// InForce reports whether the time of p is not over, and nobody has ended it.
func (p *Permit) InForce() bool {
	p.queue.mu.Lock()
	defer p.queue.mu.Unlock()
	return !p.ended && !isExpired(p.queue.conf.Now(), p.Until)
}

// CountCall notes that p let a call through.
func (p *Permit) CountCall() {
	p.calls.Add(1)
	p.queue.conf.Changed()
}

// permits reports whether p lets a call through.
func (p *Permit) permits(session string, q policy.Request, digest string) bool {
	return strings.EqualFold(p.Client, q.Client.Name) && p.Proven == q.Client.Proven && (p.Session == "" || p.Session == session) &&
		p.Source == q.Source && p.Effect == string(q.Effect) && p.policy == digest && p.Contains(q.Targets)
}

// Permits are those in force now, oldest first. A call is judged by one such list,
// so that time that passes meanwhile does not split it.
type Permits []*Permit

// Find is the one that lets a call of a session through, judged under the policy
// with this digest; nil: none does. It covers what q says that the call touches,
// and what it would change must be known.
func (all Permits) Find(session string, q policy.Request, digest string) *Permit {
	i := slices.IndexFunc(all, func(p *Permit) bool { return p.permits(session, q, digest) })
	if i < 0 {
		return nil
	}
	return all[i]
}

// PermitsInForce are those in force now.
func (q *Queue) PermitsInForce() Permits {
	now := q.conf.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(q.permits), func(p *Permit) bool { return isExpired(now, p.Until) })
}

// DescribePermits are the Permits as people see them.
func (q *Queue) DescribePermits() []status.Permit {
	var shown []status.Permit
	for _, p := range q.PermitsInForce() {
		one := p.Permit
		one.Calls = p.calls.Load()
		shown = append(shown, one)
	}
	return shown
}

// EndPermit ends the Permit with this ID, or all: "". From then on people are asked
// again.
func (q *Queue) EndPermit(id string) error {
	q.mu.Lock()
	n := q.endPermits(func(p *Permit) bool { return id == "" || p.ID == id })
	q.mu.Unlock()
	if n == 0 && id != "" {
		return fmt.Errorf("no approval for ten minutes has ID %q; `lectern approve` lists them", id)
	}
	q.conf.Changed()
	return nil
}

// EndPermitsOf ends the Permits of the clients with this name, or of all: "".
func (q *Queue) EndPermitsOf(client string) {
	q.mu.Lock()
	q.endPermits(func(p *Permit) bool { return client == "" || strings.EqualFold(p.Client, client) })
	q.mu.Unlock()
	q.conf.Changed()
}

// endPermits ends the matching ones and counts them. q.mu is held.
func (q *Queue) endPermits(match func(*Permit) bool) (n int) {
	q.permits = slices.DeleteFunc(slices.Clone(q.permits), func(p *Permit) bool {
		if !match(p) {
			return false
		}
		p.ended = true
		p.expiry.Stop()
		n++
		return true
	})
	return n
}

// grantPermit gives the Permit that an answer to p asks for, and lets the calls through
// that wait for the same. q.mu is held.
func (q *Queue) grantPermit(p *pendingApproval, within string) {
	now := q.conf.Now()
	given := &Permit{
		Permit: status.Permit{
			ID: p.view.ID, Client: p.view.Client, Proven: p.view.Proven, Source: p.view.Source, Effect: p.view.Effect,
			Within: within, Since: now, Until: now.Add(status.PermitTime),
		},
		policy: p.policy, queue: q,
	}
	if !p.view.Proven {
		given.Session = p.view.Session
	}
	given.expiry = time.AfterFunc(status.PermitTime, func() {
		q.mu.Lock()
		q.endPermits(func(one *Permit) bool { return one == given })
		q.mu.Unlock()
		q.conf.Changed()
	})
	q.permits = append(slices.Clone(q.permits), given)
	for id, other := range q.pending {
		if given.permits(other.view.Session, other.call, other.policy) && len(other.view.Within) > 0 {
			q.remove(id, status.ApprovalOutcome{Resolution: status.Permitted, By: status.ByPerson})
			other.decision <- decision{judgeAgain: true}
		}
	}
}

// permitPatterns is where a Permit for r can reach; nil: it can have none. A client
// without a name is not told from others, nor is one that claims its name without
// a session of its own. What the call does must be known: what it makes or runs is
// not, and what it administers a person looks at each time.
func (r Request) permitPatterns() []string {
	known := r.Call.Effect == tools.Reads || r.ChangesKnown && (r.Call.Effect == tools.Writes || r.Call.Effect == tools.Deletes)
	if r.OnlyOnce || r.Call.Client.Name == "" || !r.Call.Client.Proven && r.SharedSession || !known {
		return nil
	}
	return status.PermitPatterns(r.Call.Targets)
}

// resolvePermitPattern is what a Permit for a shall reach, or an error if it cannot.
func resolvePermitPattern(a status.Approval, within string) (string, error) {
	switch {
	case len(a.Within) == 0:
		return "", fmt.Errorf("%s can be allowed only once: its client has no name or no session of its own, or it is not known what it would do",
			a.ID)
	case within == "":
		return a.Within[0], nil
	case strings.HasSuffix(within, "/"):
		within += "**"
	}
	if !slices.Contains(a.Within, within) {
		return "", fmt.Errorf("%q does not cover what %s would change (want one of %s)", within, a.ID, strings.Join(a.Within, ", "))
	}
	return within, nil
}
