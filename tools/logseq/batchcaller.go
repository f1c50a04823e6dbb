package logseq

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// A batchCaller makes the Changes of several calls those of one: a target is
// reported before the first write to it, and what it holds is told after the
// last. That a Change may not be made ends the batch: that error is for the
// hub, not one more outcome.
type batchCaller struct {
	tools.Caller
	g       *Graph
	targets []string
	stopped error
}

// Changing implements tools.Caller.
func (b *batchCaller) Changing(ctx context.Context, changes ...tools.Change) error {
	var news []tools.Change
	for _, c := range changes {
		if slices.Contains(b.targets, c.Target) {
			continue
		}
		b.targets = append(b.targets, c.Target)
		c.Open = true // a later call may change it again
		news = append(news, c)
	}
	if len(news) == 0 {
		return nil
	}
	if b.stopped = b.Caller.Changing(ctx, news...); b.stopped != nil {
		b.targets = b.targets[:len(b.targets)-len(news)]
	}
	return b.stopped
}

// Changed implements tools.Caller.
func (*batchCaller) Changed(string, tools.State) {}

// tell says what has become of the targets, when nothing more comes.
func (b *batchCaller) tell(ctx context.Context) { b.g.tell(ctx, b.Caller, b.targets) }
