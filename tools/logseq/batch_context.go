package logseq

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// A batchContext makes the Changes of several calls those of one: a target is
// reported before the first write to it, and what it holds is told after the
// last; as much as can be told beforehand is reported at once. That a Change may not be made ends the batch: that error is for the
// hub, not one more outcome.
type batchContext struct {
	tools.CallContext
	g       *Graph
	targets []string
	stopped error
}

// BeforeWrite implements tools.Caller.
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
	if b.stopped = b.CallContext.BeforeWrite(ctx, news...); b.stopped != nil {
		b.targets = b.targets[:len(b.targets)-len(news)]
	}
	return b.stopped
}

// reportAll reports what a batch will change before its first call, as far as
// that could be rehearsed.
func (b *batchContext) reportAll(ctx context.Context, items Steps, steps []stepFunc) error {
	changes, err := b.g.planBatch(ctx, items, steps)
	if err != nil || len(changes) == 0 {
		return err
	}
	return b.BeforeWrite(ctx, changes...)
}

// AfterWrite implements tools.Caller.
func (*batchContext) AfterWrite(string, tools.State) {}

// reportResults says what has become of the targets, when nothing more comes.
func (b *batchContext) reportResults(ctx context.Context) {
	b.g.reportResults(ctx, b.CallContext, b.targets)
}
