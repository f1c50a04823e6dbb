// Package runtest is what all tests share: which part of what takes long this run
// looks at, and how long a test waits for what another process does.
//
// A run looks at a sample, and the environment variable LECTERN_TURN, a number, says at
// which: CI counts commits, so that one run after the other looks at everything, and any
// of them can be repeated. LECTERN_TURN=all looks at everything at once, as `make soak
// PART=all` does. Only tests import it.
package runtest

import (
	"iter"
	"os"
	"strconv"
)

// turn is which sample this run looks at. all: at everything.
func turn() (n int, all bool) {
	text := os.Getenv("LECTERN_TURN") //nolint:forbidigo // only tests run this
	n, _ = strconv.Atoi(text)
	return max(n, 0), text == "all"
}

// InSample says whether this run looks at the n-th of many similar cases: at one of
// so many, or of underRace under the race detector, where everything takes ten times as long.
func InSample(n, of, underRace int) bool {
	at, all := turn()
	if UnderRace {
		of, all = underRace, false
	}
	return all || (n+at)%of == 0
}

// Size is how often a test repeats itself: all times in a run of everything, else the size
// of its sample, and underRace times under the race detector.
func Size(all, sample, underRace int) int {
	_, everything := turn()
	switch {
	case UnderRace:
		return underRace
	case everything:
		return all
	default:
		return sample
	}
}

// Seeds are the seeds of the Size rounds of this run: of 0 to all, other ones in each turn.
func Seeds(all, sample, underRace int) iter.Seq[int] {
	n, from := Size(all, sample, underRace), 0
	at, _ := turn()
	if parts := all / n; parts > 1 {
		from = at % parts * n
	}
	return func(yield func(int) bool) {
		for seed := from; seed < from+n && yield(seed); seed++ {
		}
	}
}
