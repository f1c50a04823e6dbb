package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// A callRunner runs the calls of all sessions, each within the deadline, and
// counts those in flight.
type callRunner struct {
	deadline time.Duration
	running  atomic.Int64
	idle     chan struct{} // cap 1: the last call in flight has ended
}

func newCallRunner(deadline time.Duration) *callRunner {
	return &callRunner{deadline: deadline, idle: make(chan struct{}, 1)}
}

// trackRunningCall counts a call in flight until end.
func (r *callRunner) trackRunningCall(release func()) (end func()) {
	r.running.Add(1)
	return func() {
		release()
		if r.running.Add(-1) == 0 {
			select {
			case r.idle <- struct{}{}:
			default:
			}
		}
	}
}

func (r *callRunner) inFlight() int { return int(r.running.Load()) }

// drain returns when no call is in flight, or after the grace.
func (r *callRunner) drain(grace time.Duration) {
	over := time.NewTimer(grace)
	defer over.Stop()
	for r.inFlight() > 0 {
		select {
		case <-r.idle:
		case <-over.C:
			return
		}
	}
}

// A runOptions is the room of a session in which something runs.
type runOptions struct {
	session *session
	timeout time.Duration // 0: the deadline of a call
	// takeBack is the time after that to take back what was written.
	takeBack time.Duration
	turn     *computeTurn // that it waits for; nil: none
	outer    bool         // that of an outer call, which has it already
	inline   bool         // the outer call waits however long it takes
	gate     *writeGate   // nil: it does not write
}

// runOptions is where the call runs: a call that another makes has no slot of its own,
// so that calls never wait for the slots of those that wait for them.
func (c *call) runOptions(r *callRunner) runOptions {
	s := runOptions{session: c.session, timeout: r.timeoutOf(c.tool.info), outer: c.outer != nil, gate: c.decided.gate}
	switch {
	case c.decided.group.isLedBy(c):
		s.takeBack = takeBackTimeout // it takes back what it wrote, and says so
	case c.decided.group != nil:
		s.inline = true
	}
	return s
}

// timeoutOf is the time that a call of a tool has.
func (r *callRunner) timeoutOf(t tools.ToolInfo) time.Duration {
	if t.Computes != nil && t.Timeout > r.deadline {
		return r.deadline
	}
	return cmp.Or(t.Timeout, r.deadline)
}

// withoutTakeBack is ctx, which has passed the gate, without the time to take back what a
// call wrote, and without the grace of a write.
func withoutTakeBack(ctx context.Context, gate *writeGate) (context.Context, context.CancelFunc) {
	deadline, _ := ctx.Deadline() // runOnSource sets it
	if gate != nil {
		deadline = deadline.Add(-writeGrace)
	}
	return context.WithDeadline(ctx, deadline.Add(-takeBackTimeout))
}

// runOnSource runs f on the opened source: within the deadline, in a slot of the
// session, in its turn if it computes, behind the panic guard. It returns when f has ended
// or when its time has, and of a call that is writing then, the grace. What goes on after
// that keeps its slot, and the source open, until it ends.
func runOnSource[T any](
	ctx context.Context, r *callRunner, in runOptions, src *source, f func(context.Context, *sourceRef) (T, error),
) (_ T, err error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(in.timeout, r.deadline)+in.takeBack)
	defer cancel()
	defer func() { err = deadlineError(ctx, err) }()
	release := func() {}
	if !in.outer {
		release, err = in.session.limiter.acquire(ctx)
	}
	if err != nil {
		in.gate.close()
		var none T
		return none, err
	}
	if err = in.waitForTurn(ctx); err != nil {
		in.gate.close()
		release()
		var none T
		return none, err
	}
	end := r.trackRunningCall(func() { in.turn.end(); release() })
	toolCtx, stop := in.gate.toolContext(ctx)
	run := func() (T, error) {
		defer end()
		defer stop()
		return withSourceRef(toolCtx, src, f)
	}
	if in.inline {
		return run()
	}
	return runWithDeadline(ctx, in.gate, run)
}

// waitForTurn waits until the call may compute.
func (in runOptions) waitForTurn(ctx context.Context) error {
	if in.turn == nil {
		return nil
	}
	if in.takeBack > 0 {
		var cancel context.CancelFunc
		ctx, cancel = withoutTakeBack(ctx, nil)
		defer cancel()
	}
	return in.turn.begin(ctx)
}

// runWithDeadline runs f, which must not panic, on another goroutine. It returns what f
// does, or the error of ctx if that ends first. A gate that is open then is closed; if f has
// begun to write, it has the grace to finish.
func runWithDeadline[T any](ctx context.Context, gate *writeGate, f func() (T, error)) (T, error) {
	type outcome struct {
		v   T
		err error
	}
	finished := make(chan outcome, 1)
	go func() {
		v, err := f()
		finished <- outcome{v, err}
	}()
	select {
	case o := <-finished:
		return o.v, o.err
	case <-ctx.Done():
	}
	grace := time.Duration(0)
	switch {
	case !gate.close():
		grace = writeGrace
	case errors.Is(context.Cause(ctx), errCancelledByPerson):
		grace = cancelGrace // to tell a person how far it got
	}
	if grace > 0 {
		select {
		case o := <-finished:
			return o.v, o.err
		case <-time.After(grace):
		}
	}
	select {
	case o := <-finished: // it ended at the same time
		return o.v, o.err
	default:
		var none T
		return none, ctx.Err()
	}
}

// withSourceRef runs f on the opened source, which is not closed meanwhile.
func withSourceRef[T any](ctx context.Context, src *source, f func(context.Context, *sourceRef) (T, error)) (T, error) {
	return catchPanic(func() (T, error) {
		open, release, err := src.acquire(ctx)
		if err != nil {
			var none T
			return none, err
		}
		defer release()
		return f(ctx, open)
	})
}

// acquire returns the opened source, which stays open until release is called.
// It waits for a first attempt to open that is still under way, and while a
// source that serves is opened again.
func (s *source) acquire(ctx context.Context) (open *sourceRef, release func(), err error) {
	for wait := s.firstAttempt; wait != nil; {
		select {
		case <-wait:
		case <-s.life.Done():
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
		if open, wait, err = s.tryAcquire(); err != nil {
			return nil, nil, err
		}
	}
	return open, open.users.Done, nil
}

// tryAcquire counts one more user of the opened source, or returns what to wait for.
func (s *source) tryAcquire() (open *sourceRef, wait chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.life.Err() != nil:
		return nil, nil, tools.Errorf(tools.Unavailable, "source %s is closed", s.conf.Name)
	case s.failure != nil:
		e := *s.failure
		e.Code, e.SpecCode = tools.Unavailable, ""
		e.Message = fmt.Sprintf("source %s cannot serve now: %s", s.conf.Name, s.failure.Message)
		return nil, nil, &e
	case s.reopened != nil:
		return nil, s.reopened, nil
	case s.open == nil:
		return nil, nil, tools.Errorf(tools.Unavailable, "source %s is closed", s.conf.Name)
	}
	s.open.users.Add(1)
	return s.open, nil, nil
}

// catchPanic runs f and turns a panic into an error that carries the stack.
func catchPanic[T any](f func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{value: p, stack: debug.Stack()}
		}
	}()
	return f()
}

// A panicError reaches the log with its stack and an agent as Internal.
type panicError struct {
	value any
	stack []byte
}

// isAbort reports whether a handler panicked to end its answer, as net/http allows.
func (e *panicError) isAbort() bool {
	err, ok := e.value.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}

// Error implements error.
func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// panicStack is the stack of the panic behind err, if there was one.
func panicStack(err error) string {
	if p, ok := errors.AsType[*panicError](err); ok {
		return string(p.stack)
	}
	return ""
}
