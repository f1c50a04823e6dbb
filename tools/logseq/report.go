package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// An intent is what a call means to do to one target: what it holds then, as
// far as that is known before Logseq has done it.
type intent struct {
	target target
	after  tools.State
	sure   bool        // after is exact
	expect func(*kept) // makes of a block before what it is expected to be; nil: nobody knows
}

// deleting means that the target goes.
func deleting(t target) intent { return intent{target: t, sure: true} }

// changing means that the target becomes something, which Logseq decides.
func changing(t target) intent { return intent{target: t} }

// becoming means that a block stays and becomes something that can be foretold.
func becoming(uuid UUID, expect func(*kept)) intent {
	return intent{target: target{aBlock, string(uuid)}, expect: expect}
}

// expected is what a target that held was is expected to hold.
func (i intent) expected(was tools.State) tools.State {
	k, err := read[kept](was)
	if i.expect == nil || err != nil || !was.Exists {
		return i.after
	}
	i.expect(&k)
	return stateOf(k)
}

// adding means that trees of new blocks are put somewhere, and gives them their
// uuids.
func (g *Graph) adding(p place, drafts []*draft) []intent {
	g.christen(p, drafts)
	var all []intent
	for _, d := range drafts {
		k := kept{Page: p.page.Name, keptBlock: d.kept()}
		if p.parent != p.page.UUID {
			k.Page, k.Parent = "", p.parent
		}
		all = append(all, intent{target: target{aTree, string(d.UUID)}, after: stateOf(k)})
	}
	return all
}

// kept is how a draft will be kept, roughly.
func (d *draft) kept() keptBlock {
	k := keptBlock{UUID: d.UUID, Text: d.Content}
	for _, c := range d.Children {
		k.Children = append(k.Children, c.kept())
	}
	return k
}

// report tells c what a call is about to change. The func it answers is called
// when the writing has ended, well or not: it reads what has become of the
// targets and tells that.
func (g *Graph) report(ctx context.Context, c tools.CallContext, intents ...intent) (told func(), err error) {
	var changes []tools.Change
	for _, i := range intents {
		if !i.target.blocky() && uuidPattern.MatchString(i.target.name) {
			return nil, tools.Errorf(tools.Conflict, "the page %s is named like a uuid, so that its changes could not be taken back", i.target.name).
				WithHint("Ask the user to rename it in Logseq.")
		}
		was, err := g.State(ctx, i.target.String())
		if err != nil {
			return nil, err
		}
		changes = append(changes, tools.Change{Target: i.target.String(), Before: was, After: i.expected(was), AfterUnknown: !i.sure})
	}
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return nil, err
	}
	var open []string
	for i, change := range changes {
		if intents[i].target.what == aTree && !change.Before.Exists {
			g.used[UUID(intents[i].target.name)] = true
		}
		if change.AfterUnknown {
			open = append(open, change.Target)
		}
	}
	return func() { g.tell(ctx, c, open) }, nil
}

// tell says what targets hold now.
func (g *Graph) tell(ctx context.Context, c tools.CallContext, targets []string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleWithin)
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

// referring are the blocks that Logseq rewrites because they refer to a page or
// block that changes: on a file graph those with the name of a page, on a DB
// graph those with a block that goes. kind is the kind of graph that does so.
func (g *Graph) referring(ctx context.Context, uuid UUID, kind string) ([]intent, error) {
	if a := g.about(); a == nil || a.Graph.Kind != kind {
		return nil, nil
	}
	var found struct {
		UUIDs []UUID `json:"uuids"`
	}
	if err := g.ask(ctx, "referrers", struct {
		UUID UUID `json:"uuid"`
	}{uuid}, &found); err != nil {
		return nil, err
	}
	var all []intent
	for _, u := range found.UUIDs {
		all = append(all, changing(target{aBlock, string(u)}))
	}
	return all, nil
}
