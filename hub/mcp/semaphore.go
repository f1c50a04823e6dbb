package mcp

import (
	"context"
	"sync"

	"github.com/lectern-mcp/lectern/tools"
)

// A largeMessageSemaphore bounds how many large messages the whole server handles at
// once: decoding one costs several times its size, and many agents may send one
// at the same moment. Small messages pass freely.
type largeMessageSemaphore struct {
	from  int64 // bytes from which a message is large
	slots chan struct{}
}

func newLargeMessageSemaphore(from, atOnce int) largeMessageSemaphore {
	return largeMessageSemaphore{int64(from), make(chan struct{}, atOnce)}
}

// acquire waits until a message of size bytes may be handled; a negative size
// is unknown and counts as large. release may be called more than once.
func (s largeMessageSemaphore) acquire(ctx context.Context, size int64) (release func(), err error) {
	if size >= 0 && size < s.from {
		return func() {}, nil
	}
	select {
	case s.slots <- struct{}{}:
		return sync.OnceFunc(func() { <-s.slots }), nil
	case <-ctx.Done():
		return nil, tools.AsError(ctx.Err())
	}
}
