package logseq

import (
	"context"

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
// finish when it has written, successfully or not: it reads and reports the
// final State of the targets.
func (g *Graph) reportChanges(ctx context.Context, c tools.CallContext, intents ...plannedChange) (finish func(), err error) {
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
	var open []string
	for i, change := range changes {
		if intents[i].target.kind == treeTarget && !change.Before.Exists {
			g.usedIDs[UUID(intents[i].target.name)] = true
		}
		if change.AfterUnknown {
			open = append(open, change.Target)
		}
	}
	return func() { g.reportResults(ctx, c, open) }, nil
}

// reportResults reports what targets hold now.
func (g *Graph) reportResults(ctx context.Context, c tools.CallContext, targets []string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), verifyTimeout)
	defer cancel()
	for _, target := range targets {
		now, err := g.State(ctx, target)
		if err != nil {
			g.log.Warn("what a write has left could not be read", "error", err)
			return
		}
		c.AfterWrite(target, now)
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
