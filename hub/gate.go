package hub

import (
	"context"
	"runtime"
	"sync"

	"github.com/lectern-mcp/lectern/tools"
)

// collectFrom is the size of a message after which its garbage, many times its
// size, is collected at once: the collector's own pace would let several such
// messages' garbage pile up. It takes milliseconds, as decoding it did.
const collectFrom = 1 << 20

// A gate bounds how many large messages are handled at once by the whole hub:
// decoding one costs several times its size, and many agents may send one at
// the same moment. Small ones pass freely.
type gate struct {
	large int // bytes from which a message is large
	slots chan struct{}
}

func newGate(large, atOnce int) gate { return gate{large, make(chan struct{}, atOnce)} }

// enter waits until a message of size bytes may be handled; a negative size is
// unknown, and large. What leave does, it does once.
func (g gate) enter(ctx context.Context, size int64) (leave func(), err error) {
	if size >= 0 && size < int64(g.large) {
		return func() {}, nil
	}
	select {
	case g.slots <- struct{}{}:
		return sync.OnceFunc(func() {
			if size < 0 || size > collectFrom {
				runtime.GC()
			}
			<-g.slots
		}), nil
	case <-ctx.Done():
		return nil, tools.AsError(ctx.Err())
	}
}
