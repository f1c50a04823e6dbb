// Package runtest is what all tests share: which part of what takes long this run
// looks at, and how long a test waits for what another process does.
//
// A run looks at a sample, and the environment variable LECTERN_TURN, a number, says at
// which: CI counts commits, so that one run after the other looks at everything, and any
// of them can be repeated. LECTERN_TURN=all looks at everything at once, as `make soak
// PART=all` does. Only tests import it.
package runtest

import (
	"hash/crc32"
	"iter"
	"os"
	"strconv"
	"testing"
)

// turn is which sample this run looks at. all: at everything.
func turn() (n int, all bool) {
	text := os.Getenv("LECTERN_TURN") //nolint:forbidigo // only tests run this
	n, _ = strconv.Atoi(text)
	return max(n, 0), text == "all"
}

// InSample says whether this run looks at the n-th of many similar cases: at one of
// so many, or of underRace under the race detector, where everything takes ten times as long.
// There a package is looked at in one of three turns, and what follows each other in one of five
// of these: underRace is no multiple of either, or some cases would never be looked at.
func InSample(n, of, underRace int) bool {
	at, all := turn()
	if UnderRace {
		of, all = underRace, false
	}
	return all || (n+at)%of == 0
}

// Watched says whether the race detector looks in this run at the n-th test, in which one call
// follows the other: at one of five, none of a package that is looked at out of its turn (-short),
// and each in a run of everything. Where it is not there, everything is looked at.
func Watched(n int) bool {
	at, all := turn()
	return !UnderRace || all || !testing.Short() && (n+at)%5 == 0
}

// InOrder skips a test in which one call follows the other where Watched says so.
func InOrder(t testing.TB) {
	t.Helper()
	if !Watched(int(crc32.ChecksumIEEE([]byte(t.Name())) >> 1)) {
		t.Skip("one call follows the other: the race detector looks at it in another turn")
	}
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
