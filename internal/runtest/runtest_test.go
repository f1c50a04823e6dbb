package runtest

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// One turn after the other looks at everything, and no two of them at the same.
func TestTurnsCoverEverything(t *testing.T) {
	if UnderRace {
		t.Skip("turns are the same under the race detector, with smaller samples")
	}
	const cases, of = 21, 4
	seen, seeds := map[int]int{}, map[int]int{}
	for at := range of {
		t.Setenv("LECTERN_TURN", strconv.Itoa(at+1000))
		for n := range cases {
			if InSample(n, of, 0) {
				seen[n]++
			}
		}
		for seed := range Seeds(20, 5, 0) {
			seeds[seed]++
		}
	}
	for n := range cases {
		if seen[n] != 1 || n < 20 && seeds[n] != 1 {
			t.Errorf("case %d is looked at %d times, seed %d %d times", n, seen[n], n, seeds[n])
		}
	}
	t.Setenv("LECTERN_TURN", "all")
	if n := len(slices.Collect(Seeds(20, 5, 0))); n != 20 || !InSample(1, of, 0) || !InSample(2, of, 0) {
		t.Errorf("a run of everything has %d seeds", n)
	}
}

type failure string

func (f *failure) Fatalf(format string, args ...any) { *f = failure(fmt.Sprintf(format, args...)) }

func TestEventually(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, looks, f := time.Now(), 0, failure("")
		Eventually(&f, "the third look", func() bool { looks++; return looks == 3 })
		if f != "" || time.Since(began) > time.Second {
			t.Errorf("after %v: %q", time.Since(began), f)
		}
		began = time.Now()
		Eventually(&f, "it is done", func() bool { return false })
		if f != "not within 2m0s: it is done" || time.Since(began) != Timeout {
			t.Errorf("after %v: %q", time.Since(began), f)
		}
	})
}
