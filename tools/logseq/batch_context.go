package logseq

import (
	"context"
	"maps"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// A batchContext merges the Changes of several calls into those of one. It
// reports each target before the first write to it and its state after the
// last write. An error from BeforeWrite ends the batch: it is for the hub and
// not the result of a step.
type batchContext struct {
	outer   tools.CallContext
	g       *Graph
	targets []string
	written []tools.Change  // those that a call has reported as written, with an unknown After
	unknown map[string]bool // those of which a call could not tell
	stopped error
}

// BeforeWrite implements [tools.WriteObserver].
func (b *batchContext) BeforeWrite(ctx context.Context, changes ...tools.Change) error {
	var news []tools.Change
	for _, c := range changes {
		if slices.Contains(b.targets, c.Target) {
			continue
		}
		b.targets = append(b.targets, c.Target)
		c.AfterUnknown = true // a later call may change it again
		news = append(news, c)
	}
	if len(news) == 0 {
		return nil
	}
	if b.stopped = b.outer.BeforeWrite(ctx, news...); b.stopped != nil {
		b.targets = b.targets[:len(b.targets)-len(news)]
	}
	return b.stopped
}

// reportAll reports what a batch will change before its first call, as far as
// a dry run can tell.
func (b *batchContext) reportAll(ctx context.Context, items Steps, steps []stepFunc) error {
	changes, err := b.g.planBatch(ctx, items, steps)
	if err != nil || len(changes) == 0 {
		return err
	}
	return b.BeforeWrite(ctx, changes...)
}

// AfterWrite implements [tools.WriteObserver]. A later call may change the target again.
func (b *batchContext) AfterWrite(target string, _ tools.State) {
	if !slices.ContainsFunc(b.written, func(c tools.Change) bool { return c.Target == target }) {
		b.written = append(b.written, tools.Change{Target: target, AfterUnknown: true})
	}
}

// OutcomeUnknown implements [tools.WriteObserver].
func (b *batchContext) OutcomeUnknown(target string) { b.unknown[target] = true }

// reportResults reports the final state of the targets that were written.
func (b *batchContext) reportResults(ctx context.Context) {
	b.written = slices.DeleteFunc(b.written, func(c tools.Change) bool { return b.unknown[c.Target] })
	b.g.reportResults(ctx, b.outer, b.written, nil)
	for _, target := range slices.Sorted(maps.Keys(b.unknown)) {
		b.outer.OutcomeUnknown(target)
	}
}
