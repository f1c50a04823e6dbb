package typescript

import "runtime/debug"

// limitMemory has no hard bound here: the stack and the time of a compilation
// bound it.
func limitMemory(bytes uint64) error {
	debug.SetMemoryLimit(int64(bytes))
	return nil
}
