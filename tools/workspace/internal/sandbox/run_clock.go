package sandbox

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// runClock ends a run: when its time is over or its context is done.
type runClock struct {
	caller  context.Context //nolint:containedctx // whose end is the run's
	ctx     context.Context // of host calls
	cancel  context.CancelCauseFunc
	started time.Time
	stop    atomic.Pointer[error]
	release func()

	mu      sync.Mutex
	timer   *time.Timer
	left    time.Duration // when it was started last
	running time.Time
	paused  int
}

var (
	errTimeout   = errors.New("the time is over")
	errDeadline  = errors.New("the deadline of the caller has passed")
	errCancelled = errors.New("cancelled")
)

func startClock(ctx context.Context, timeout time.Duration) *runClock {
	c := &runClock{caller: ctx, started: time.Now(), left: timeout}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.running = c.started
	c.timer = time.AfterFunc(timeout, func() { c.endBy(errTimeout) })
	detach := context.AfterFunc(ctx, func() { _ = c.cause() })
	c.release = func() {
		detach()
		c.cancel(nil)
	}
	return c
}

func (c *runClock) endBy(cause error) {
	c.stop.CompareAndSwap(nil, &cause)
	c.cancel(cause)
}

// cause is why the run has to end, nil if it need not. What has failed because the
// caller's context is done finds that here.
func (c *runClock) cause() error {
	if c.stop.Load() == nil {
		switch err := c.caller.Err(); {
		case err == nil:
			return nil
		case errors.Is(err, context.DeadlineExceeded):
			c.endBy(errDeadline)
		default:
			c.endBy(errCancelled)
		}
	}
	return *c.stop.Load()
}

func (c *runClock) end() {
	c.mu.Lock()
	c.timer.Stop()
	c.mu.Unlock()
	c.release()
}

// pause stops the time until resume.
func (c *runClock) pause() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused++
	if c.paused == 1 && c.timer.Stop() {
		c.left -= time.Since(c.running)
	}
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.paused--
		if c.paused == 0 && c.cause() == nil {
			c.running = time.Now()
			c.timer.Reset(c.left)
		}
	})
}
