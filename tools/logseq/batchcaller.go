package logseq

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// A batchCaller makes the Changes of several calls those of one: a target is
// reported before the first write to it, and what it holds is told after the
// last; as much as can be told beforehand is reported at once. That a Change may not be made ends the batch: that error is for the
// hub, not one more outcome.
type batchCaller struct {
	tools.CallContext
	g       *Graph
	targets []string
	stopped error
}

// BeforeWrite implements tools.Caller.
func (b *batchCaller) BeforeWrite(ctx context.Context, changes ...tools.Change) error {
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

// announce reports what a batch will change before its first call, as far as
// that could be rehearsed.
func (b *batchCaller) announce(ctx context.Context, items Steps, steps []step) error {
	changes, err := b.g.rehearse(ctx, items, steps)
	if err != nil || len(changes) == 0 {
		return err
	}
	return b.BeforeWrite(ctx, changes...)
}

// AfterWrite implements tools.Caller.
func (*batchCaller) AfterWrite(string, tools.State) {}

// tell says what has become of the targets, when nothing more comes.
func (b *batchCaller) tell(ctx context.Context) { b.g.tell(ctx, b.CallContext, b.targets) }
