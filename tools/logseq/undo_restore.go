package logseq

import (
	"context"
	"errors"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// An undoStep takes one target from its present State to the wanted one.
type undoStep struct {
	tools.Change
	target target
}

func (r undoStep) creates() bool { return !r.Before.Exists && r.After.Exists }
func (r undoStep) deletes() bool { return r.Before.Exists && !r.After.Exists }

// Restore implements tools.Restorer. It checks everything before the first
// write. If Logseq then refuses a step, the error lists what was done.
func (g *Graph) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) (err error) {
	end, err := g.lockWrites(ctx)
	if err != nil {
		return err
	}
	defer end()
	r := &restorer{g: g, orders: map[blockPlace][]UUID{}}
	for _, change := range changes {
		if err := r.addChange(ctx, change); err != nil {
			return err
		}
	}
	if err := r.check(ctx); err != nil {
		return err
	}
	if err := r.addReferrers(ctx); err != nil {
		return err
	}
	if err := r.readOrders(ctx); err != nil {
		return err
	}
	if err := c.BeforeWrite(ctx, r.changes...); err != nil {
		return err
	}
	defer func() { g.reportResults(ctx, c, r.changes, err) }()
	for _, step := range []func(context.Context) error{r.rename, r.deleteCreated, r.recreatePages, r.restoreBlocks, r.restoreHeads, r.verify} {
		if err := step(ctx); err != nil {
			return r.withDone(err)
		}
	}
	return nil
}

// A restorer performs one Restore.
type restorer struct {
	g       *Graph
	steps   []undoStep
	changes []tools.Change // as they are reported: neighbours may be others now
	orders  map[blockPlace][]UUID
	done    []string
}

// addChange checks that a target still holds its Before.
func (r *restorer) addChange(ctx context.Context, change tools.Change) error {
	t, err := parseTarget(change.Target)
	if err != nil {
		return err
	}
	now, err := r.g.State(ctx, change.Target)
	if err != nil {
		return err
	}
	if !sameTargetState(t, now, change.Before) {
		return editedError(change.Target)
	}
	r.changes = append(r.changes, tools.Change{Target: change.Target, Before: now, After: change.After, AfterUnknown: true})
	if !equalStates(now, change.After) {
		r.steps = append(r.steps, undoStep{change, t})
	}
	return nil
}

func editedError(target string) error {
	return tools.Errorf(tools.Conflict, "%s was edited later", target).
		WithHint("Read it now; later changes must be undone first.").WithData(map[string]any{"target": target})
}

// withDone adds the completed steps to an error.
func (r *restorer) withDone(err error) error {
	e, ok := errors.AsType[*tools.Error](err)
	if !ok || len(r.done) == 0 {
		return err
	}
	return e.WithData(map[string]any{"cause": e.Data, "done": r.done})
}

func (r *restorer) selectSteps(which func(undoStep) bool) []undoStep {
	var some []undoStep
	for _, v := range r.steps {
		if which(v) {
			some = append(some, v)
		}
	}
	return some
}

// write sends one request and checks that the target then holds its After.
func (r *restorer) write(ctx context.Context, v undoStep, method string, in any) error {
	_, err := r.g.perform(ctx, writeRequest{
		method: method, params: in, details: writeDetails{Done: r.done},
		verify: func(ctx context.Context) (verification, error) {
			now, err := r.g.State(ctx, v.Target)
			switch {
			case err != nil:
				return notApplied, err
			case equalStates(now, v.After):
				return applied, nil
			case equalStates(now, v.Before):
				return notApplied, nil
			case sameTargetState(v.target, now, v.After):
				return applied, nil
			}
			return appliedDifferently, nil
		},
	})
	if err == nil {
		r.done = append(r.done, v.Target)
	}
	return err
}

// findRename finds the two Changes of a page rename: one page name that
// disappears and one that appears.
func (r *restorer) findRename() (from, to undoStep, ok bool) {
	goes := r.selectSteps(func(v undoStep) bool { return v.target.kind == pageHeadTarget && v.deletes() })
	comes := r.selectSteps(func(v undoStep) bool { return v.target.kind == pageHeadTarget && v.creates() })
	if len(goes) != 1 || len(comes) != 1 {
		return from, to, false
	}
	return goes[0], comes[0], true
}

func (r *restorer) rename(ctx context.Context) error {
	from, to, ok := r.findRename()
	if !ok {
		return nil
	}
	p, err := r.g.unfilteredPage(ctx, from.target.name)
	if err != nil {
		return err
	}
	if err := r.write(ctx, to, "pages.rename", renameArg{p.UUID, to.target.name}); err != nil {
		return err
	}
	return r.writeHead(ctx, to) // a batch may have changed more of it
}

// addReferrers adds blocks that were linked to a page after its rename. Logseq
// rewrites them too, so they must be reported.
func (r *restorer) addReferrers(ctx context.Context) error {
	from, _, ok := r.findRename()
	if !ok {
		return nil
	}
	p, err := r.g.unfilteredPage(ctx, from.target.name)
	if err != nil {
		return err
	}
	linking, err := r.g.planReferrers(ctx, p.UUID, "file")
	if err != nil {
		return err
	}
	for _, i := range linking {
		name := i.target.String()
		if slices.ContainsFunc(r.changes, func(c tools.Change) bool { return c.Target == name }) {
			continue
		}
		now, err := r.g.State(ctx, name)
		if err != nil {
			return err
		}
		r.changes = append(r.changes, tools.Change{Target: name, Before: now, AfterUnknown: true})
	}
	return nil
}

// deleteCreated deletes what was created: blocks before pages.
func (r *restorer) deleteCreated(ctx context.Context) error {
	for _, v := range r.selectSteps(func(v undoStep) bool { return v.deletes() && v.target.isBlock() }) {
		if err := r.write(ctx, v, "blocks.delete", uuidArg{UUID(v.target.name)}); err != nil {
			return err
		}
	}
	for _, v := range r.selectSteps(func(v undoStep) bool { return v.deletes() && !v.target.isBlock() && v.target.kind != pageHeadTarget }) {
		p, err := decodeState[pageSnapshot](v.Before)
		if err != nil {
			return err
		}
		if err := r.write(ctx, v, "pages.delete", pageArg{p.Name}); err != nil {
			return err
		}
	}
	return nil
}

// recreatePages recreates pages, or takes them out of the recycle bin.
func (r *restorer) recreatePages(ctx context.Context) error {
	for _, v := range r.selectSteps(func(v undoStep) bool { return v.creates() && !v.target.isBlock() && v.target.kind != pageHeadTarget }) {
		p, err := decodeState[pageSnapshot](v.After)
		if err != nil {
			return err
		}
		blocks := p.Blocks
		p.Blocks = nil
		if err := r.write(ctx, v, "pages.restore", struct {
			Page pageSnapshot `json:"page"`
		}{p}); err != nil {
			return err
		}
		now, err := r.g.readPageSnapshot(ctx, v.target)
		if err != nil {
			return err
		}
		if now == nil || len(now.Blocks) > 0 || len(blocks) == 0 { // out of the bin it comes with its blocks
			continue
		}
		if err := r.write(ctx, v, "blocks.restore", restoreBlocksParams{blockPlace: blockPlace{Page: p.Name}, Blocks: blocks}); err != nil {
			return err
		}
	}
	return nil
}

// restoreBlocks recreates deleted blocks, and restores the text, properties
// and position of the others. A block comes after those that its position
// depends on.
func (r *restorer) restoreBlocks(ctx context.Context) error {
	waiting := r.selectSteps(func(v undoStep) bool { return !v.deletes() && v.target.isBlock() })
	for len(waiting) > 0 {
		next := max(0, slices.IndexFunc(waiting, func(v undoStep) bool { return !dependsOn(v, waiting) }))
		v := waiting[next]
		waiting = slices.Delete(waiting, next, next+1)
		do := r.restoreBlock
		if v.creates() {
			do = r.recreateBlock
		}
		if err := do(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

func (r *restorer) recreateBlock(ctx context.Context, v undoStep) error {
	k, err := decodeState[blockSnapshot](v.After)
	if err != nil {
		return err
	}
	return r.insertBack(ctx, v, k)
}

// dependsOn reports whether the position of a block depends on another one
// that is still to be created or moved.
func dependsOn(v undoStep, waiting []undoStep) bool {
	k, err := decodeState[blockSnapshot](v.After)
	return err == nil && slices.ContainsFunc(waiting, func(w undoStep) bool {
		other, err := decodeState[blockSnapshot](w.After)
		return err == nil && w.Target != v.Target && (other.contains(k.Parent) || other.contains(k.After))
	})
}

// contains reports whether uuid is the block or below it.
func (k blockTree) contains(uuid UUID) bool {
	return uuid != "" && (k.UUID == uuid || slices.ContainsFunc(k.Children, func(c blockTree) bool { return c.contains(uuid) }))
}
