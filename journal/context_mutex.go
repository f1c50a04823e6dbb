package journal

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// A contextMutex is a mutex for which a call waits no longer than its time.
type contextMutex struct{ holder *semaphore.Weighted }

func newContextMutex() contextMutex { return contextMutex{semaphore.NewWeighted(1)} }

// LockContext fails with the error of ctx if that ends first.
func (m contextMutex) LockContext(ctx context.Context) error { return m.holder.Acquire(ctx, 1) }

func (m contextMutex) Lock()         { _ = m.holder.Acquire(context.Background(), 1) } // which does not end
func (m contextMutex) TryLock() bool { return m.holder.TryAcquire(1) }
func (m contextMutex) Unlock()       { m.holder.Release(1) }
