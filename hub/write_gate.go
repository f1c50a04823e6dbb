package hub

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// writeGrace is how much longer than its time a call may take that is in the middle of
// writing then. A write takes milliseconds once it has begun.
const writeGrace = 10 * time.Second

// A writeGate decides once whether a call writes: it begins to before its time is over,
// or never. A nil gate is of a call that does not write.
type writeGate struct {
	mu     sync.Mutex
	begun  bool // BeforeWrite has let a write through
	closed bool // the time was over first
}

// begin reports whether the call may write, and lets it finish that.
func (g *writeGate) begin() bool {
	if g == nil {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.begun = !g.closed
	return g.begun
}

// close keeps the call from writing, and reports whether it does: a call that has begun goes on.
func (g *writeGate) close() bool {
	if g == nil {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = !g.begun
	return g.closed
}

func (g *writeGate) hasBegun() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.begun
}

// toolContext is the context of what the call runs. It ends with ctx, but if the call has begun
// to write then, not before the grace is over: a write that has begun is not interrupted.
func (g *writeGate) toolContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if g == nil {
		return ctx, func() {}
	}
	within, limited := ctx.Deadline()
	if !limited {
		return ctx, func() {}
	}
	limit, end := context.WithDeadline(context.WithoutCancel(ctx), within.Add(writeGrace))
	inner, cancel := context.WithCancelCause(limit)
	stop := context.AfterFunc(ctx, func() {
		if cause := context.Cause(ctx); g.close() {
			cancel(cause)
		} else {
			time.AfterFunc(writeGrace, func() { cancel(cause) })
		}
	})
	return inner, func() { stop(); cancel(nil); end() }
}

// deadlineError is err, of a call that ran under ctx. The context of a write, and of the calls
// that it makes, is cancelled when its time is over, which is no cancel of the client.
func deadlineError(ctx context.Context, err error) error {
	if !errors.Is(err, context.Canceled) || !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return err
	}
	if e, ok := errors.AsType[*tools.Error](err); ok && (e.Code != tools.Timeout || e.Applied != nil || e.Data != nil) {
		return err // it says more
	}
	return context.DeadlineExceeded
}

// errTimeOver is what a write that comes too late is refused with.
var errTimeOver = tools.Errorf(tools.Timeout, "the call took longer than its deadline")

// beginToWrite is the last that stands before a write: with the call, those begin that make it.
// A call that is taken back as a whole unless it ends well begins when it is to be kept.
func (c *call) beginToWrite(ctx context.Context) error {
	for ; c != nil; c = c.outer {
		if c.decided.group.isLedBy(c) && c.decided.group.recorded != nil {
			c.decided.group.wrote.Store(true)
			return ctx.Err()
		}
		if !c.decided.gate.begin() {
			return errTimeOver
		}
	}
	return nil
}

// withWriteOutcome has an error that means that the time of the call is over say whether it has
// written, so that nobody writes again what was written.
func (c *call) withWriteOutcome(err error) error {
	e := tools.AsError(err)
	if e == nil || e.Code != tools.Timeout || c.tool == nil || c.tool.info.Effect == tools.Reads || c.decided.gate == nil {
		return err
	}
	told := *e
	takenBack := c.decided.group.isLedBy(c) && c.decided.group.recorded != nil && c.decided.group.wrote.Load()
	switch begun := c.decided.gate.hasBegun(); {
	case e.Applied != nil, begun && e.Data != nil: // what writes has told
		return err
	case !begun && takenBack:
		told.Applied, told.Message = "unknown", e.Message+"; what it has written is taken back when it has ended"
		told.Hint = c.lookHint()
	case begun:
		told.Applied, told.Message = "unknown", e.Message+" while it was writing; it may have been carried out"
		told.Hint = c.lookHint()
	default:
		told.Applied, told.Message = false, e.Message+"; nothing was written"
		if told.Hint == "" || told.Hint == tools.AsError(context.DeadlineExceeded).Hint {
			told.Hint = "Call again."
		}
	}
	return &told
}

// lookHint says how to find out what a call has written.
func (c *call) lookHint() string {
	for _, t := range c.toolset.tools {
		if t.ownChanges != nil && t.info.Effect == tools.Reads {
			return "Do not repeat the call before you have looked: " + t.name + " lists what was written; or read what it was to change."
		}
	}
	return "Do not repeat the call before you have read what it was to change."
}
