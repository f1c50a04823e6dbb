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

// A batchDryRun finds out what the calls of a batch will change, as far as
// possible before the first of them, so that a person approves the whole batch
// at once and the journal has it before the first write.
type batchDryRun struct {
	g           *Graph
	changes     []tools.Change
	current     []tools.Change  // of the present call
	reservedIDs []UUID          // of blocks that do not exist yet
	moved       map[string]bool // uuids and names that an earlier call moves or renames
}

var errDryRun = errors.New("only rehearsed")

// BeforeWrite implements [tools.WriteObserver]. The call holds the write lock.
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

// AfterWrite implements [tools.WriteObserver].
func (*batchDryRun) AfterWrite(string, tools.State) {}

// OutcomeUnknown implements [tools.WriteObserver].
func (*batchDryRun) OutcomeUnknown(string) {}

// planBatch runs each call of a batch up to its first write. It stops at a
// call that fails, or that depends on an earlier one: the changes of the rest
// are reported when they are made.
func (g *Graph) planBatch(ctx context.Context, items Steps, steps []stepFunc) ([]tools.Change, error) {
	r := &batchDryRun{g: g, moved: map[string]bool{}}
	for i, call := range steps {
		if r.dependsOnEarlier(items[i]) {
			break
		}
		r.current = nil
		if _, err := call(ctx, g, tools.CallContext{Writes: r}); !errors.Is(err, errDryRun) {
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

// dependsOnEarlier reports whether a call names something that an earlier call
// moves or renames.
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
				if name != "block_uuid" { // mergeStates handles several changes of one block
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

// merge adds the changes of a call to the others. It returns false if they
// cannot be predicted because an earlier call changes the same target.
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

// staysInPlace reports whether a block is expected to keep its position.
func staysInPlace(c tools.Change) bool {
	was, errA := decodeState[blockSnapshot](c.Before)
	is, errB := decodeState[blockSnapshot](c.After)
	return !c.After.Exists || errA == nil && errB == nil && !was.differs(is.blockPlace)
}

// mergeStates predicts a block after two changes, if one of them only moves
// it. Otherwise the state is unknown.
func mergeStates(first, second tools.Change) tools.State {
	mover, writer := second, first
	if !staysInPlace(first) {
		mover, writer = first, second
	}
	was, errA := decodeState[blockSnapshot](mover.Before)
	goes, errB := decodeState[blockSnapshot](mover.After)
	is, errC := decodeState[blockSnapshot](writer.After)
	if errors.Join(errA, errB, errC) != nil || !staysInPlace(writer) || !writer.After.Exists ||
		!reflect.DeepEqual(was.blockTree, goes.blockTree) {
		return tools.State{}
	}
	is.blockPlace = goes.blockPlace
	return encodeState(is)
}
