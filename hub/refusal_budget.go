package hub

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// refusalBudgets bound how many writes privacy rules may refuse in a minute, since each
// refusal may tell that a name is hidden: one budget for each source and proven client, and
// one for each source and all clients that have not proved their name. A writing call takes
// a part of the budget until it is known that nothing hidden refuses it, so that calls at
// the same time do not learn more.
type refusalBudgets struct {
	limit    int // of one budget
	now      func() time.Time
	snapshot *snapshotUpdater

	mu sync.Mutex
	by map[refusalBudgetKey]*refusalBudget
}

type refusalBudgetKey struct{ source, client string } // client "": all that are not proven

type refusalBudget struct {
	since     time.Time // when the minute began
	refused   int
	undecided int           // calls that may still be refused
	changed   chan struct{} // closed when undecided becomes less
}

func newRefusalBudgets(limit int, now func() time.Time, snapshot *snapshotUpdater) *refusalBudgets {
	return &refusalBudgets{limit: limit, now: now, snapshot: snapshot, by: map[refusalBudgetKey]*refusalBudget{}}
}

// counts reports whether privacy rules may refuse the call.
func (b *refusalBudgets) counts(c *call) bool {
	return c.via != tools.ViaPerson && c.tool.info.Effect != tools.Reads && c.source.conf.Privacy.Any()
}

// budgetOf is the budget of a call in the current minute. b.mu is held.
func (b *refusalBudgets) budgetOf(c *call) *refusalBudget {
	key := refusalBudgetKey{source: c.source.conf.Name}
	if c.client.Proven {
		key.client = c.client.Name
	}
	u := b.by[key]
	if u == nil {
		u = &refusalBudget{since: b.now(), changed: make(chan struct{})}
		b.by[key] = u
	}
	if age := b.now().Sub(u.since); age >= time.Minute || age < 0 { // or the clock was set back
		u.since, u.refused = b.now(), 0
	}
	return u
}

// admit waits until the call may be refused within its budget, and refuses it when that is
// used up. A call that another makes is part of that one.
func (b *refusalBudgets) admit(ctx context.Context, c *call) error {
	if !b.counts(c) {
		return nil
	}
	for {
		b.mu.Lock()
		u := b.budgetOf(c)
		switch {
		case u.refused >= b.limit:
			wait := untilNextMinute(u.since, b.now())
			b.mu.Unlock()
			return newRateLimitError(wait, "more than %d writes to hidden pages in a minute", b.limit)
		case c.outer != nil:
			b.mu.Unlock()
			return nil
		case u.refused+u.undecided < b.limit:
			u.undecided++
			c.record.undecided = u
			b.mu.Unlock()
			return nil
		}
		changed := u.changed
		b.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// settle is called when nothing hidden refuses the call any more, or when it has ended with
// err: another call may take its part of the budget.
func (b *refusalBudgets) settle(c *call, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if u := c.record.undecided; u != nil {
		c.record.undecided = nil
		u.undecided--
		close(u.changed)
		u.changed = make(chan struct{})
	}
	if !tools.IsHidden(err) || !b.counts(c) {
		return
	}
	u := b.budgetOf(c)
	if u.refused++; u.refused == b.limit {
		b.snapshot.raiseProblem(privacyProbedProblem.New(c.client.Name, status.Args{
			"client": c.client.Name, "source": c.source.conf.Name, "count": strconv.Itoa(u.refused),
		}))
	}
}
