package logseq

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// A dressRehearsal finds what the calls of a batch will change, as far as that can be told
// before the first of them: a person who is asked sees all of it at once, and
// the journal has it before the first write.
type dressRehearsal struct {
	tools.NopCallContext

	g       *Graph
	changes []tools.Change
	news    []tools.Change  // of the call at hand
	drawn   []UUID          // lent to blocks that are yet to come
	moved   map[string]bool // what stands elsewhere, or has another name, by then
}

var errOnlyRehearsed = errors.New("only rehearsed")

// BeforeWrite implements tools.Caller. The call has the turn.
func (r *dressRehearsal) BeforeWrite(_ context.Context, changes ...tools.Change) error {
	r.news = changes
	for _, c := range changes {
		if t, err := targetOf(c.Target); err == nil && t.what == aTree && !c.Before.Exists {
			r.drawn = append(r.drawn, UUID(t.name))
			r.g.used[UUID(t.name)] = true
		}
	}
	return errOnlyRehearsed
}

// rehearse runs the calls of a batch up to where each would change something,
// and ends at the first that fails so or builds on an earlier one: what that
// changes is reported when its turn comes.
func (g *Graph) rehearse(ctx context.Context, items Steps, steps []step) ([]tools.Change, error) {
	r := &dressRehearsal{g: g, moved: map[string]bool{}}
	for i, call := range steps {
		if r.buildsOn(items[i]) {
			break
		}
		r.news = nil
		if _, err := call(ctx, g, r); !errors.Is(err, errOnlyRehearsed) {
			break
		}
		if !r.add() {
			break
		}
	}
	if len(r.drawn) == 0 {
		return r.changes, nil
	}
	end, err := g.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	for _, uuid := range r.drawn {
		delete(g.used, uuid)
	}
	return r.changes, nil
}

// buildsOn says whether a call names what an earlier one puts elsewhere.
func (r *dressRehearsal) buildsOn(s Step) bool {
	found := false
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			found = found || r.moved[strings.ToLower(v)]
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for name, e := range v {
				if name != "block_uuid" { // what it changes; where that stands by then is put together
					walk(e)
				}
			}
		}
	}
	var args any
	if json.Unmarshal(s.Arguments, &args) != nil {
		return true
	}
	walk(args)
	return found
}

// add adds what a call would change to the rest; false: it cannot be told from
// what an earlier one does to the same.
func (r *dressRehearsal) add() bool {
	all := slices.Clone(r.changes)
	for _, c := range r.news {
		t, err := targetOf(c.Target)
		if err != nil {
			return false
		}
		at := slices.IndexFunc(all, func(old tools.Change) bool { return old.Target == c.Target })
		switch {
		case at < 0:
			all = append(all, c)
		case t.what == aBlock && all[at].Before.Exists:
			all[at].After = both(all[at], c)
		case t.what != aHead || !all[at].Before.Exists:
			return false
		}
	}
	r.changes = all
	for _, c := range r.news {
		t, _ := targetOf(c.Target)
		if t.what == aBlock && stays(c) || t.what == aHead && c.Before.Exists && c.AfterUnknown {
			continue
		}
		r.moved[strings.ToLower(t.name)] = true
	}
	return true
}

// stays says whether a block is expected where it is.
func stays(c tools.Change) bool {
	was, errA := read[kept](c.Before)
	is, errB := read[kept](c.After)
	return !c.After.Exists || errA == nil && errB == nil && was.Page == is.Page && was.Parent == is.Parent && was.After == is.After
}

// both is what a block is expected to hold when two calls have changed it: not
// there, for nobody knows, unless one of them only moves it.
func both(first, second tools.Change) tools.State {
	mover, writer := second, first
	if !stays(first) {
		mover, writer = first, second
	}
	was, errA := read[kept](mover.Before)
	goes, errB := read[kept](mover.After)
	is, errC := read[kept](writer.After)
	if errors.Join(errA, errB, errC) != nil || !stays(writer) || !writer.After.Exists || !reflect.DeepEqual(was.keptBlock, goes.keptBlock) {
		return tools.State{}
	}
	is.Page, is.Parent, is.After = goes.Page, goes.Parent, goes.After
	return stateOf(is)
}
