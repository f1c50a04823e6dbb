package hub

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// allowances count what each client did in the minute that runs, over all of
// its sessions. A client that gives itself another name is another client: the
// bounds are for agents that run wild, not for those that lie.
type allowances struct {
	mu sync.Mutex
	by map[policy.Client]*usage
}

type usage struct {
	since   time.Time // when the minute began
	calls   int
	deletes int
	bytes   int
	blown   string // why its fuse has blown; empty: it has not
}

// forgetAbove is how many clients are counted before those are forgotten of
// whom nothing has been heard for a minute.
const forgetAbove = 256

// of is the usage of a client in the minute that runs. With the lock.
func (a *allowances) of(who policy.Client, now time.Time) *usage {
	u := a.by[who]
	if u == nil {
		if len(a.by) > forgetAbove {
			for old, u := range a.by {
				if u.blown == "" && now.Sub(u.since) >= time.Minute {
					delete(a.by, old)
				}
			}
		}
		if a.by == nil {
			a.by = map[policy.Client]*usage{}
		}
		u = &usage{since: now}
		a.by[who] = u
	}
	if age := now.Sub(u.since); age >= time.Minute || age < 0 { // or the clock was set back
		*u = usage{since: now, blown: u.blown}
	}
	return u
}

// allowance says whether a client may call now, and counts the call.
func (h *Hub) allowance(c *call, effect tools.Effect) error {
	if most := h.limits.SessionWrites; most > 0 && effect != tools.Reads && c.session.writes.Add(1) > int64(most) {
		return tools.Errorf(tools.Limited, "this session has made its %d writes", most).WithHint("Ask the user; a new session may write again.")
	}
	most := h.limits.CallsPerMinute
	if most == 0 {
		return nil
	}
	now := h.now()
	h.allowances.mu.Lock()
	defer h.allowances.mu.Unlock()
	u := h.allowances.of(c.client, now)
	if u.calls >= most {
		wait := u.since.Add(time.Minute).Sub(now).Round(time.Second)
		return tools.Errorf(tools.Limited, "more than %d calls in a minute", most).WithHint("Try again in %d s.", max(1, int(wait.Seconds()))).
			WithData(map[string]any{"retry_after_seconds": max(1, int(wait.Seconds()))})
	}
	u.calls++
	return nil
}

// notWritten takes back that a call counted as a write: it is answered with a
// question, and counts when it comes again.
func (h *Hub) notWritten(c *call, effect tools.Effect) {
	if h.limits.SessionWrites > 0 && effect != tools.Reads {
		c.session.writes.Add(-1)
	}
}

// blown is why a person is asked before this client changes anything more, or
// empty.
func (h *Hub) blown(who policy.Client, effect tools.Effect) string {
	if effect == tools.Reads {
		return ""
	}
	h.allowances.mu.Lock()
	defer h.allowances.mu.Unlock()
	if u := h.allowances.by[who]; u != nil {
		return u.blown
	}
	return ""
}

// A fused caller counts what a call is about to change, and stops it when that
// is too much in a minute.
type fused struct {
	tools.CallContext
	hub   *Hub
	who   policy.Client
	asked bool // a person said yes to this call
}

// BeforeWrite implements [tools.CallContext].
func (f fused) BeforeWrite(ctx context.Context, changes ...tools.Change) error {
	if !f.asked {
		if err := f.hub.fuse(f.who, changes); err != nil {
			return err
		}
	}
	return f.CallContext.BeforeWrite(ctx, changes...)
}

// fuse blows when changes are too much together with those of the minute. Once
// it has blown it stops also what was on its way by then.
func (h *Hub) fuse(who policy.Client, changes []tools.Change) error {
	now := h.now()
	h.allowances.mu.Lock()
	defer h.allowances.mu.Unlock()
	u := h.allowances.of(who, now)
	if u.blown != "" {
		return tooMuch(u.blown)
	}
	for _, c := range changes {
		if c.Before.Exists && !c.After.Exists && !c.AfterUnknown {
			u.deletes++
		}
		u.bytes += len(c.Before.Data)
	}
	switch {
	case h.limits.FuseDeletes > 0 && u.deletes > h.limits.FuseDeletes:
		u.blown = fmt.Sprintf("it was about to delete more than %d targets in a minute", h.limits.FuseDeletes)
	case h.limits.FuseBytes > 0 && u.bytes > h.limits.FuseBytes:
		u.blown = fmt.Sprintf("it was about to rewrite more than %d bytes in a minute", h.limits.FuseBytes)
	default:
		return nil
	}
	p := fuseBlown.New(who.Name, status.Args{"client": who.Name, "why": u.blown})
	p.Since, p.Action = now, &status.Action{Verb: status.ResetCircuitBreaker, Target: who.Name}
	h.picture.raise(p)
	return tooMuch(u.blown)
}

func tooMuch(why string) error {
	return tools.Errorf(tools.Denied, "too much at once: %s", why).
		WithHint("Nothing was changed. Call again if it is meant: the user is asked about each change until they say that all is well.")
}

// ResetCircuitBreaker lets a client of this name change things again without a person
// being asked.
func (h *Hub) ResetFuse(client string) error {
	h.allowances.mu.Lock()
	found := false
	for who, u := range h.allowances.by {
		if who.Name == client && u.blown != "" {
			*u, found = usage{since: h.now()}, true
		}
	}
	h.allowances.mu.Unlock()
	if !found {
		return fmt.Errorf("reset fuse: that of %q has not blown", client)
	}
	h.picture.clear(fuseBlown.Code, client)
	return nil
}
