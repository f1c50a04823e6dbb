package hubproc

import "testing"

func TestMemoryIsReleasedAfterCalls(t *testing.T) {
	const mb = 1 << 20
	var m idleMemory
	for i, step := range []struct {
		allocated uint64
		due       bool
	}{
		{40 * mb, false},   // the start
		{40 * mb, true},    // over
		{41*mb - 1, false}, // quiet, and nothing is left of it
		{90 * mb, false},   // calls
		{140 * mb, false},
		{140*mb + 1000, true},
		{150 * mb, false},
		{150 * mb, false}, // too little to stop anything for
		{175 * mb, false},
		{175 * mb, true}, // with the little before it is enough
	} {
		if got := m.isDue(step.allocated); got != step.due {
			t.Errorf("step %d: due %v", i, got)
		}
	}
}
