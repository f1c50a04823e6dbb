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
	ctx     context.Context // of host calls
	started time.Time
	stop    atomic.Pointer[error]
	release []func()

	mu      sync.Mutex
	timer   *time.Timer
	left    time.Duration // when it was started last
	running time.Time
	paused  int
}

var (
	errTimeout   = errors.New("the time is over")
	errCancelled = errors.New("cancelled")
)

func startClock(ctx context.Context, timeout time.Duration) *runClock {
	c := &runClock{started: time.Now(), left: timeout}
	inner, cancel := context.WithCancelCause(ctx)
	c.ctx = inner
	end := func(cause error) {
		c.stop.CompareAndSwap(nil, &cause)
		cancel(cause)
	}
	c.running = c.started
	c.timer = time.AfterFunc(timeout, func() { end(errTimeout) })
	outer := func() {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			end(errTimeout)
		} else {
			end(errCancelled)
		}
	}
	if ctx.Err() != nil {
		outer() // now, so that nothing runs
	}
	detach := context.AfterFunc(ctx, outer)
	c.release = []func(){func() { detach() }, func() { cancel(nil) }}
	return c
}

// cause is why the run has to end, nil if it need not.
func (c *runClock) cause() error {
	if cause := c.stop.Load(); cause != nil {
		return *cause
	}
	return nil
}

func (c *runClock) end() {
	c.mu.Lock()
	c.timer.Stop()
	c.mu.Unlock()
	for _, release := range c.release {
		release()
	}
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
