package hub

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// unsettledWrites are the composite calls under way that have begun to write, which may still
// be taken back. A call that finds what it was to write there already, and so leaves it as
// it is, has nothing in the journal that would keep it: it is answered when they have ended.
type unsettledWrites struct {
	mu        sync.Mutex
	targets   map[*compositeCall]map[string]map[string]bool // that they may have written, by source
	takenBack map[string]int                                // how many were, by source
}

func newUnsettledWrites() *unsettledWrites {
	return &unsettledWrites{targets: map[*compositeCall]map[string]map[string]bool{}, takenBack: map[string]int{}}
}

// begin is called before a call writes. It is refused if it leaves something as it is that
// another call has written and that may be taken back.
func (u *unsettledWrites) begin(c *call, changes []tools.Change) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	asked, source := c.record.targets.argumentTargets(), c.source.conf.Name
	for _, change := range changes {
		delete(asked, change.Target)
	}
	for g, sources := range u.targets {
		for target := range asked {
			if g != c.decided.group && sources[source][target] {
				return errUnsettled(c)
			}
		}
	}
	if c.decided.group == nil || c.decided.group.recorded == nil {
		return nil
	}
	sources := u.targets[c.decided.group]
	if sources == nil {
		sources = map[string]map[string]bool{}
		u.targets[c.decided.group] = sources
	}
	if sources[source] == nil {
		sources[source] = map[string]bool{}
	}
	for _, change := range changes {
		sources[source][change.Target] = true
	}
	return nil
}

// end is called when what g wrote is kept or taken back, and that is on the disk.
func (u *unsettledWrites) end(g *compositeCall, takenBack bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if takenBack {
		for source := range u.targets[g] {
			u.takenBack[source]++
		}
	}
	delete(u.targets, g)
	close(g.settled)
}

// look returns the composite calls but c's own that may still be taken back in c's source,
// and how many were taken back there so far.
func (u *unsettledWrites) look(c *call) (others []*compositeCall, takenBack int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for g, sources := range u.targets {
		if g != c.decided.group && sources[c.source.conf.Name] != nil {
			others = append(others, g)
		}
	}
	return others, u.takenBack[c.source.conf.Name]
}

// An unsettledWatch is one run of a call, for what is taken back meanwhile.
type unsettledWatch struct {
	all       *unsettledWrites
	call      *call
	takenBack int       // before it
	until     time.Time // its deadline
}

func (u *unsettledWrites) watch(c *call, timeout time.Duration) unsettledWatch {
	_, takenBack := u.look(c)
	return unsettledWatch{u, c, takenBack, time.Now().Add(timeout)}
}

// wait is for a call that succeeded. If it has written nothing, what it found may be gone
// again: it waits for the calls that may be taken back, and is refused if one was. Within
// another call it does not wait, as the others may wait for that one.
func (w unsettledWatch) wait(ctx context.Context) error {
	c := w.call
	if !c.mayHaveLeftAsItIs() {
		return nil
	}
	others, _ := w.all.look(c)
	if len(others) > 0 && c.decided.group != nil && !c.decided.group.isLedBy(c) {
		return errUnsettled(c)
	}
	ctx, cancel := context.WithDeadline(ctx, w.until)
	defer cancel()
	for _, g := range others {
		select {
		case <-g.settled:
		case <-ctx.Done():
			return errUnsettled(c)
		}
	}
	if _, now := w.all.look(c); now != w.takenBack {
		return tools.Errorf(tools.Conflict, "another call wrote to source %s, failed and was taken back while this one ran, which wrote nothing",
			c.source.conf.Name).WithHint("Call again.")
	}
	if c.source.needsRecovery() { // a part of another call is still to be taken back
		return errUnsettled(c)
	}
	return nil
}

func errUnsettled(c *call) error {
	return tools.Errorf(tools.Conflict, "another call is writing to source %s and may be taken back; this one wrote nothing",
		c.source.conf.Name).WithHint("Call again.")
}

// mayHaveLeftAsItIs reports whether the call was to write and made no difference, so that no
// Change of it is kept. A script that makes only calls that read was not.
func (c *call) mayHaveLeftAsItIs() bool {
	writes := c.decided.effect == tools.Writes || c.decided.effect == tools.Deletes || c.record.writesNested.Load()
	bySystem := c.input != nil // which may write later what the call is to write
	if !writes || bySystem || c.isDryRun(c.tool.info) || c.record.differs.Load() {
		return false
	}
	known := func(change tools.Change) bool { return !change.AfterUnknown }
	return !slices.ContainsFunc(c.record.announced, known) && (!c.decided.group.isLedBy(c) || !c.decided.group.wrote.Load())
}

// noteDifference keeps whether a write whose result was not known before made a difference.
func (c *call) noteDifference(target string, after tools.State) {
	if slices.ContainsFunc(c.record.unforeseen, func(change tools.Change) bool {
		return change.Target == target && !equalStates(change.Before, after)
	}) {
		c.record.differs.Store(true)
	}
}
