package hubproc

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Bounds of an idleMemory.
const (
	idleMemoryInterval = 15 * time.Second
	worthReleasing     = 32 << 20 // bytes allocated since the last release
	nearlyNothing      = 1 << 20  // bytes allocated in an interval in which nobody calls
)

// An idleMemory decides when a hub gives the memory back that a burst of calls has left:
// Go keeps it for the next burst, which may be tomorrow's. Its zero value is that of a hub
// that has just started.
type idleMemory struct{ seen, released uint64 }

// isDue reports whether memory is to be released now, by how many bytes the process has ever
// allocated. It is asked once an interval.
func (m *idleMemory) isDue(allocated uint64) bool {
	quiet := allocated-m.seen < nearlyNothing
	m.seen = allocated
	if !quiet || allocated-m.released < worthReleasing {
		return false
	}
	m.released = allocated
	return true
}

// releaseIdleMemory gives memory back to the system when calls have ended, until ctx ends.
func releaseIdleMemory(ctx context.Context) {
	var m idleMemory
	allocated := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	tick := time.NewTicker(idleMemoryInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if metrics.Read(allocated); m.isDue(allocated[0].Value.Uint64()) {
				debug.FreeOSMemory()
			}
		case <-ctx.Done():
			return
		}
	}
}
