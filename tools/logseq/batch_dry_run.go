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

// A batchDryRun finds what the calls of a batch will change, as far as that can be told
// before the first of them: a person who is asked sees all of it at once, and
// the journal has it before the first write.
type batchDryRun struct {
	tools.NopCallContext

	g           *Graph
	changes     []tools.Change
	current     []tools.Change  // of the call at hand
	reservedIDs []UUID          // lent to blocks that are yet to come
	moved       map[string]bool // what stands elsewhere, or has another name, by then
}

var errDryRun = errors.New("only rehearsed")

// BeforeWrite implements tools.Caller. The call has the turn.
func (r *batchDryRun) BeforeWrite(_ context.Context, changes ...tools.Change) error {
	r.current = changes
	for _, c := range changes {
		if t, err := parseTarget(c.Target); err == nil && t.kind == treeTarget && !c.Before.Exists {
			r.reservedIDs = append(r.reservedIDs, UUID(t.name))
			r.g.usedIDs[UUID(t.name)] = true
		}
	}
	return errDryRun
}

// planBatch runs the calls of a batch up to where each would change something,
// and ends at the first that fails so or builds on an earlier one: what that
// changes is reported when its turn comes.
func (g *Graph) planBatch(ctx context.Context, items Steps, steps []stepFunc) ([]tools.Change, error) {
	r := &batchDryRun{g: g, moved: map[string]bool{}}
	for i, call := range steps {
		if r.dependsOnEarlier(items[i]) {
			break
		}
		r.current = nil
		if _, err := call(ctx, g, r); !errors.Is(err, errDryRun) {
			break
		}
		if !r.merge() {
			break
		}
	}
	if len(r.reservedIDs) == 0 {
		return r.changes, nil
	}
	end, err := g.lockWrites(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	for _, uuid := range r.reservedIDs {
		delete(g.usedIDs, uuid)
	}
	return r.changes, nil
}

// dependsOnEarlier says whether a call names what an earlier one puts elsewhere.
func (r *batchDryRun) dependsOnEarlier(s Step) bool {
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

// merge adds what a call would change to the rest; false: it cannot be told from
// what an earlier one does to the same.
func (r *batchDryRun) merge() bool {
	all := slices.Clone(r.changes)
	for _, c := range r.current {
		t, err := parseTarget(c.Target)
		if err != nil {
			return false
		}
		at := slices.IndexFunc(all, func(old tools.Change) bool { return old.Target == c.Target })
		switch {
		case at < 0:
			all = append(all, c)
		case t.kind == blockTarget && all[at].Before.Exists:
			all[at].After = mergeStates(all[at], c)
		case t.kind != pageHeadTarget || !all[at].Before.Exists:
			return false
		}
	}
	r.changes = all
	for _, c := range r.current {
		t, _ := parseTarget(c.Target)
		if t.kind == blockTarget && staysInPlace(c) || t.kind == pageHeadTarget && c.Before.Exists && c.AfterUnknown {
			continue
		}
		r.moved[strings.ToLower(t.name)] = true
	}
	return true
}

// staysInPlace says whether a block is expected where it is.
func staysInPlace(c tools.Change) bool {
	was, errA := decodeState[blockSnapshot](c.Before)
	is, errB := decodeState[blockSnapshot](c.After)
	return !c.After.Exists || errA == nil && errB == nil && was.Page == is.Page && was.Parent == is.Parent && was.After == is.After
}

// mergeStates is what a block is expected to hold when two calls have changed it: not
// there, for nobody knows, unless one of them only moves it.
func mergeStates(first, second tools.Change) tools.State {
	mover, writer := second, first
	if !staysInPlace(first) {
		mover, writer = first, second
	}
	was, errA := decodeState[blockSnapshot](mover.Before)
	goes, errB := decodeState[blockSnapshot](mover.After)
	is, errC := decodeState[blockSnapshot](writer.After)
	if errors.Join(errA, errB, errC) != nil || !staysInPlace(writer) || !writer.After.Exists || !reflect.DeepEqual(was.blockTree, goes.blockTree) {
		return tools.State{}
	}
	is.Page, is.Parent, is.After = goes.Page, goes.Parent, goes.After
	return encodeState(is)
}
