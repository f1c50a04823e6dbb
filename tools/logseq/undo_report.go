package logseq

import (
	"context"
	"errors"

	"github.com/lectern-mcp/lectern/tools"
)

// A plannedChange is what a call will do to one target, with the State after
// it as far as that is known before Logseq has done it.
type plannedChange struct {
	target target
	after  tools.State
	exact  bool                 // after is exact
	expect func(*blockSnapshot) // changes the snapshot before to the expected one; nil: unknown
}

// planDelete plans to delete a target.
func planDelete(t target) plannedChange { return plannedChange{target: t, exact: true} }

// planUpdate plans a change whose result Logseq decides.
func planUpdate(t target) plannedChange { return plannedChange{target: t} }

// planBlockUpdate plans a change of a block with an expected result.
func planBlockUpdate(uuid UUID, expect func(*blockSnapshot)) plannedChange {
	return plannedChange{target: target{blockTarget, string(uuid)}, expect: expect}
}

// expectedState returns the expected State of a target that held was.
func (i plannedChange) expectedState(was tools.State) tools.State {
	k, err := decodeState[blockSnapshot](was)
	if i.expect == nil || err != nil || !was.Exists {
		return i.after
	}
	i.expect(&k)
	return encodeState(k)
}

// planInsert plans to insert trees of new blocks, and assigns their uuids.
func (g *Graph) planInsert(p insertPosition, drafts []*draft) []plannedChange {
	g.assignIDs(p, drafts)
	var all []plannedChange
	for _, d := range drafts {
		k := blockSnapshot{p.place(), d.snapshot()}
		all = append(all, plannedChange{target: target{treeTarget, string(d.UUID)}, after: encodeState(k)})
	}
	return append(all, planReferenced(drafts)...)
}

// snapshot is roughly what the block will hold.
func (d *draft) snapshot() blockTree {
	k := blockTree{UUID: d.UUID, Text: d.Content}
	for _, c := range d.Children {
		k.Children = append(k.Children, c.snapshot())
	}
	return k
}

// reportChanges reports what a call is about to change. The caller calls
// finish with the error of its writes when it has made them: it reads and reports what
// became of the targets.
func (g *Graph) reportChanges(ctx context.Context, c tools.CallContext, intents ...plannedChange) (finish func(error), err error) {
	var changes []tools.Change
	for _, i := range intents {
		if !i.target.isBlock() && uuidPattern.MatchString(i.target.name) {
			return nil, tools.Errorf(tools.Conflict, "the page %s is named like a uuid, so its changes could not be undone", i.target.name).
				WithHint("Ask the user to rename it in Logseq.")
		}
		was, err := g.State(ctx, i.target.String())
		if err != nil {
			return nil, err
		}
		changes = append(changes, tools.Change{Target: i.target.String(), Before: was, After: i.expectedState(was), AfterUnknown: !i.exact})
	}
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return nil, err
	}
	for i, change := range changes {
		if intents[i].target.kind == treeTarget && !change.Before.Exists {
			g.usedIDs[UUID(intents[i].target.name)] = true
		}
	}
	return func(err error) { g.reportResults(ctx, c, changes, err) }, nil
}

// reportResults reports what became of targets when their writes have ended with
// writeErr. After a failure those are written that are not as they were; where Logseq did
// not answer, the others may still be.
func (g *Graph) reportResults(ctx context.Context, c tools.CallContext, changes []tools.Change, writeErr error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), verifyTimeout)
	defer cancel()
	for _, change := range changes {
		if writeErr == nil && !change.AfterUnknown {
			c.AfterWrite(change.Target, change.After)
			continue
		}
		now, err := g.State(ctx, change.Target)
		switch {
		case err != nil:
			g.log.Warn("the result of a write could not be read", "error", err)
			c.OutcomeUnknown(change.Target)
		case writeErr == nil || !equalStates(now, change.Before):
			c.AfterWrite(change.Target, now)
		case errors.Is(writeErr, tools.ErrOutcomeUnknown{}):
			c.OutcomeUnknown(change.Target)
		}
	}
}

// planReferrers plans the changes of blocks that Logseq rewrites because they
// link to a page or block that changes: on a file graph to a renamed page, on
// a DB graph to a deleted block. kind is the kind of graph that does so.
func (g *Graph) planReferrers(ctx context.Context, uuid UUID, kind string) ([]plannedChange, error) {
	if a := g.hello(); a == nil || a.Graph.Kind != kind {
		return nil, nil
	}
	var found struct {
		UUIDs []UUID `json:"uuids"`
	}
	if err := g.query(ctx, "referrers", struct {
		UUID UUID `json:"uuid"`
	}{uuid}, &found); err != nil {
		return nil, err
	}
	var all []plannedChange
	for _, u := range found.UUIDs {
		all = append(all, planUpdate(target{blockTarget, string(u)}))
	}
	return all, nil
}
