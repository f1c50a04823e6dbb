package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

const (
	// runningCallShowDelay is when a call that goes on is shown without anything else
	// happening: most calls have ended by then.
	runningCallShowDelay = 250 * time.Millisecond
	// cancelGrace is how long a cancelled call may take to say how it ended.
	cancelGrace = 2 * time.Second
)

// errCancelledByPerson is the cause of the end of a cancelled call's context.
var errCancelledByPerson = errors.New("the user cancelled the call")

// runningCalls are the calls under way that no other call makes.
type runningCalls struct {
	mu    sync.Mutex
	last  uint64
	calls map[uint64]*runningCall
}

// A runningCall has what may be read of a call while it runs.
type runningCall struct {
	call    *call
	shown   status.RunningCall // but for ID and Waiting
	waiting atomic.Bool
	cancel  context.CancelCauseFunc
}

// addToRunning lists a call until end, which returns the error as the client is told it.
// The call ends early when a person cancels it. Of a call that goes on nameTargets is to find
// out what it touches.
func (l *CallLog) addToRunning(ctx context.Context, c *call, nameTargets func(context.Context)) (_ context.Context, end func(error) error) {
	if c.outer != nil {
		return ctx, func(err error) error { return err }
	}
	ctx, cancel := context.WithCancelCause(ctx)
	r := &runningCall{call: c, cancel: cancel, shown: status.RunningCall{
		Began: c.began, Session: c.session.ID, Client: safetext.Shorten(c.session.ClientName(), mcp.MaxNameBytes), Proven: c.client.Proven,
		Source: sourceNameOrEmpty(c.source), Tool: safetext.Shorten(c.Tool, mcp.MaxNameBytes),
		Effect: string(cmp.Or(c.decided.effect, c.tool.info.Effect)),
	}}
	c.record.running = r
	number := l.running.add(r)
	late := time.AfterFunc(runningCallShowDelay, func() {
		l.snapshot.requestUpdate()
		nameTargets(ctx)
		l.snapshot.requestUpdate()
	})
	return ctx, func(err error) error {
		late.Stop()
		l.running.remove(number)
		cancelled := errors.Is(context.Cause(ctx), errCancelledByPerson)
		cancel(nil)
		if err == nil || !cancelled {
			return err
		}
		return cancelledError(err)
	}
}

// cancelledError says of a call that ended with err that a person wanted that.
func cancelledError(err error) error {
	e, said := errors.AsType[*tools.Error](err)
	switch {
	case !said:
		return tools.Errorf(tools.Timeout, "%w", errCancelledByPerson).WithHint("Ask them before you call again.")
	case e.Code != tools.Timeout:
		return err
	default:
		return tools.AsError(err).WithHint("The user cancelled it. Ask them before you call again.")
	}
}

func (r *runningCalls) add(c *runningCall) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == nil {
		r.calls = map[uint64]*runningCall{}
	}
	r.last++
	r.calls[r.last] = c
	return r.last
}

func (r *runningCalls) any() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls) > 0
}

func (r *runningCalls) remove(number uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.calls, number)
}

func (r *runningCalls) find(number uint64) *runningCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls[number]
}

// CancelCall ends a call under way, by its name in the snapshot: the call fails, and
// what it has written of a change that it cannot complete is taken back. It does
// not wait for that.
func (l *CallLog) CancelCall(name string) error {
	if _, after, ok := strings.Cut(name, "."); ok {
		number, _ := strconv.ParseUint(after, 10, 64) // 0: none
		if r := l.running.find(number); r != nil && uniqueRunningCallName(r, number) == name {
			r.cancel(errCancelledByPerson)
			l.snapshot.requestUpdate()
			return nil
		}
	}
	return fmt.Errorf("no call %.40q is under way; `lectern hub cancel` lists those that are", name)
}

// uniqueRunningCallName is unique over all hubs, because the names of sessions are.
func uniqueRunningCallName(r *runningCall, number uint64) string {
	return fmt.Sprintf("%s.%d", r.shown.Session, number)
}

// Running lists the calls under way, oldest first.
func (l *CallLog) Running() []status.RunningCall {
	l.running.mu.Lock()
	defer l.running.mu.Unlock()
	list := make([]status.RunningCall, 0, len(l.running.calls))
	trail := l.trail.Load()
	for number, r := range l.running.calls {
		shown := r.shown
		shown.Name, shown.Waiting = uniqueRunningCallName(r, number), r.waiting.Load()
		shown.Targets = r.call.record.targets.names()
		if trail != nil {
			shown.ID = r.call.auditID(trail)
		}
		list = append(list, shown)
	}
	slices.SortFunc(list, func(a, b status.RunningCall) int {
		return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), status.MaxRunningCalls)]
}
