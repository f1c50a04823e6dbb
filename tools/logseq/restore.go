package logseq

import (
	"context"
	"errors"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// A reversal takes one target from what it holds to what it shall hold.
type reversal struct {
	tools.Change
	target target
}

func (r reversal) comes() bool { return !r.Before.Exists && r.After.Exists }
func (r reversal) goes() bool  { return r.Before.Exists && !r.After.Exists }

// Restore implements tools.Keeper. Everything is looked at before the first
// write; what Logseq then refuses ends it, and the error says what is done.
func (g *Graph) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	end, err := g.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	r := &restoration{g: g}
	for _, change := range changes {
		if err := r.take(ctx, change); err != nil {
			return err
		}
	}
	if err := r.check(ctx); err != nil {
		return err
	}
	if err := r.followers(ctx); err != nil {
		return err
	}
	if err := c.BeforeWrite(ctx, r.changes...); err != nil {
		return err
	}
	defer r.tell(ctx, c)
	for _, step := range []func(context.Context) error{r.rename, r.remove, r.makePages, r.blocks, r.heads, r.verify} {
		if err := step(ctx); err != nil {
			return r.stepped(err)
		}
	}
	return nil
}

// A restoration is one Restore at work.
type restoration struct {
	g       *Graph
	all     []reversal
	changes []tools.Change // as they are reported: neighbours may be others now
	done    []string
}

// tell says what the targets hold in the end.
func (r *restoration) tell(ctx context.Context, c tools.CallContext) {
	var targets []string
	for _, change := range r.changes {
		targets = append(targets, change.Target)
	}
	r.g.tell(ctx, c, targets)
}

// take looks whether a target is as it was left.
func (r *restoration) take(ctx context.Context, change tools.Change) error {
	t, err := targetOf(change.Target)
	if err != nil {
		return err
	}
	now, err := r.g.State(ctx, change.Target)
	if err != nil {
		return err
	}
	if !same(t, now, change.Before) {
		return editedSince(change.Target)
	}
	r.changes = append(r.changes, tools.Change{Target: change.Target, Before: now, After: change.After, AfterUnknown: true})
	if !exactly(now, change.After) {
		r.all = append(r.all, reversal{change, t})
	}
	return nil
}

func editedSince(target string) error {
	return tools.Errorf(tools.Conflict, "%s has been edited since", target).
		WithHint("Look at what it holds now; later changes are taken back first.").WithData(map[string]any{"target": target})
}

// stepped adds to an error what had been done before it.
func (r *restoration) stepped(err error) error {
	e, ok := errors.AsType[*tools.Error](err)
	if !ok || len(r.done) == 0 {
		return err
	}
	return e.WithData(map[string]any{"cause": e.Data, "done": r.done})
}

func (r *restoration) those(which func(reversal) bool) []reversal {
	var some []reversal
	for _, v := range r.all {
		if which(v) {
			some = append(some, v)
		}
	}
	return some
}

// write sends one request and looks whether the target then is as wanted.
func (r *restoration) write(ctx context.Context, v reversal, method string, in any) error {
	_, err := r.g.write(ctx, write{
		method: method, in: in, facts: fate{Done: r.done},
		look: func(ctx context.Context) (sight, error) {
			now, err := r.g.State(ctx, v.Target)
			switch {
			case err != nil:
				return undone, err
			case exactly(now, v.After):
				return done, nil
			case exactly(now, v.Before):
				return undone, nil
			case same(v.target, now, v.After):
				return done, nil
			}
			return different, nil
		},
	})
	if err == nil {
		r.done = append(r.done, v.Target)
	}
	return err
}

// renamed finds the two halves of a page's renaming: one head that goes and one
// that comes, of the same page.
func (r *restoration) renamed() (from, to reversal, ok bool) {
	goes := r.those(func(v reversal) bool { return v.target.what == aHead && v.goes() })
	comes := r.those(func(v reversal) bool { return v.target.what == aHead && v.comes() })
	if len(goes) != 1 || len(comes) != 1 {
		return from, to, false
	}
	return goes[0], comes[0], true
}

func (r *restoration) rename(ctx context.Context) error {
	from, to, ok := r.renamed()
	if !ok {
		return nil
	}
	p, err := r.g.anyPage(ctx, from.target.name)
	if err != nil {
		return err
	}
	if err := r.write(ctx, to, "pages.rename", struct {
		Page UUID   `json:"page"`
		Name string `json:"name"`
	}{p.UUID, to.target.name}); err != nil {
		return err
	}
	return r.exactHead(ctx, to) // a batch may have changed more of it
}

// followers finds the links that were made while a page had the name it loses.
// Logseq rewrites them along with it, so they are reported too.
func (r *restoration) followers(ctx context.Context) error {
	from, _, ok := r.renamed()
	if !ok {
		return nil
	}
	p, err := r.g.anyPage(ctx, from.target.name)
	if err != nil {
		return err
	}
	linking, err := r.g.referring(ctx, p.UUID, "file")
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

// remove takes away what was made: blocks before pages.
func (r *restoration) remove(ctx context.Context) error {
	for _, v := range r.those(func(v reversal) bool { return v.goes() && v.target.blocky() }) {
		if err := r.write(ctx, v, "blocks.delete", uuidArg{UUID(v.target.name)}); err != nil {
			return err
		}
	}
	for _, v := range r.those(func(v reversal) bool { return v.goes() && !v.target.blocky() && v.target.what != aHead }) {
		p, err := read[keptPage](v.Before)
		if err != nil {
			return err
		}
		if err := r.write(ctx, v, "pages.delete", pageArg{p.Name}); err != nil {
			return err
		}
	}
	return nil
}

type uuidArg struct {
	UUID UUID `json:"uuid"`
}

// makePages makes pages again, or takes them out of the recycle bin.
func (r *restoration) makePages(ctx context.Context) error {
	for _, v := range r.those(func(v reversal) bool { return v.comes() && !v.target.blocky() && v.target.what != aHead }) {
		p, err := read[keptPage](v.After)
		if err != nil {
			return err
		}
		blocks := p.Blocks
		p.Blocks = nil
		if err := r.write(ctx, v, "pages.restore", struct {
			Page keptPage `json:"page"`
		}{p}); err != nil {
			return err
		}
		now, err := r.g.keptPage(ctx, v.target)
		if err != nil {
			return err
		}
		if now == nil || len(now.Blocks) > 0 || len(blocks) == 0 { // out of the bin it comes with its blocks
			continue
		}
		if err := r.write(ctx, v, "blocks.restore", putBack{Page: p.Name, Blocks: blocks}); err != nil {
			return err
		}
	}
	return nil
}

// putBack is what blocks.restore takes: trees, and where they go.
type putBack struct {
	Page   string      `json:"page,omitempty"`
	Parent UUID        `json:"parent,omitempty"`
	After  UUID        `json:"after,omitempty"`
	Blocks []keptBlock `json:"blocks"`
}

// blocks puts blocks back and gives those that stayed their former text,
// properties and place; each after those that it stands below or behind.
func (r *restoration) blocks(ctx context.Context) error {
	waiting := r.those(func(v reversal) bool { return !v.goes() && v.target.blocky() })
	for len(waiting) > 0 {
		next := max(0, slices.IndexFunc(waiting, func(v reversal) bool { return !leansOn(v, waiting) }))
		v := waiting[next]
		waiting = slices.Delete(waiting, next, next+1)
		do := r.changeBlock
		if v.comes() {
			do = r.insert
		}
		if err := do(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

func (r *restoration) insert(ctx context.Context, v reversal) error {
	k, err := read[kept](v.After)
	if err != nil {
		return err
	}
	if k.After, err = r.standing(ctx, k); err != nil {
		return err
	}
	return r.write(ctx, v, "blocks.restore", putBack{k.Page, k.Parent, k.After, []keptBlock{k.keptBlock}})
}

// leansOn says whether a block's place is told by one that is still to come or
// to move.
func leansOn(v reversal, waiting []reversal) bool {
	k, err := read[kept](v.After)
	return err == nil && slices.ContainsFunc(waiting, func(w reversal) bool {
		other, err := read[kept](w.After)
		return err == nil && w.Target != v.Target && (other.holds(k.Parent) || other.holds(k.After))
	})
}

// holds says whether uuid is the block or below it.
func (k keptBlock) holds(uuid UUID) bool {
	return uuid != "" && (k.UUID == uuid || slices.ContainsFunc(k.Children, func(c keptBlock) bool { return c.holds(uuid) }))
}

// standing is the sibling that k stood behind, if it still stands there.
func (r *restoration) standing(ctx context.Context, k kept) (UUID, error) {
	if k.After == "" {
		return "", nil
	}
	sibling, err := r.g.keptBlock(ctx, target{aBlock, string(k.After)})
	if err != nil || sibling == nil || sibling.Parent != k.Parent || sibling.Page != k.Page {
		return "", err
	}
	return k.After, nil
}
