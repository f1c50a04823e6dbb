package supervisor

import (
	"fmt"
	"syscall"
	"time"
)

// A Policy decides what follows the end of a child. It is pure: how long the
// child ran and what it said on leaving in, what to do out.
type Policy struct {
	// Steps are the waits before the first, second, … start anew; the last
	// repeats.
	Steps []time.Duration
	// Jitter spreads each wait by this part of itself, up and down.
	Jitter float64
	// Healthy is how long a child must run for its end to count as a first.
	Healthy time.Duration
	// LoopExits unhealthy ends within LoopWithin are a crash loop.
	LoopExits  int
	LoopWithin time.Duration
	// Probe is how often one start is tried in a crash loop; 0: only when a
	// person asks.
	Probe time.Duration
}

// UsualPolicy is what Lectern runs its hub with.
func UsualPolicy() Policy {
	return Policy{
		Steps: []time.Duration{
			time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second, time.Minute,
		},
		Jitter: 0.2, Healthy: time.Minute, LoopExits: 5, LoopWithin: time.Minute, Probe: 5 * time.Minute,
	}
}

// An Exit is how a child ended.
type Exit struct {
	Code   int            // of its own choice; -1: a signal ended it
	Signal syscall.Signal // 0: none
	Why    string         // what we ended it for; empty: it ended by itself
}

func (e Exit) String() string {
	text := fmt.Sprintf("exit code %d", e.Code)
	if e.Code < 0 {
		text = "signal " + e.Signal.String()
	}
	if e.Why != "" {
		text += " (" + e.Why + ")"
	}
	return text
}

// Final reports that starting again is useless: the child ended because it was
// done, or with one of the codes of sysexits(3) by which a program says that a
// person must act. 75 is "try again".
func (e Exit) Final() bool {
	return e.Why == "" && (e.Code == 0 || e.Code >= 64 && e.Code <= 78 && e.Code != 75)
}

// A Decision is what follows an Exit.
type Decision struct {
	Verdict Verdict
	After   time.Duration // until the next start; 0 with Rest, and with Loop if none is tried
}

// Verdict of a Decision.
type Verdict int

// The verdicts.
const (
	Rest  Verdict = iota // not started again
	Again                // started again after a wait
	Loop                 // it fails too often; a person should look
)

// history is what a Policy remembers of one child.
type history struct {
	Policy

	rand  func() float64 // [0, 1)
	step  int
	fails []time.Time // unhealthy ends, oldest first
}

// ended decides what follows an exit at now, of a child that ran for ran.
func (h *history) ended(e Exit, ran time.Duration, now time.Time) Decision {
	if e.Final() {
		h.reset()
		return Decision{Verdict: Rest}
	}
	if ran >= h.Healthy {
		h.reset()
	} else {
		h.fails = append(h.fails, now)
	}
	for len(h.fails) > 0 && now.Sub(h.fails[0]) > h.LoopWithin {
		h.fails = h.fails[1:]
	}
	if h.looping() {
		return Decision{Loop, h.Probe}
	}
	wait := h.Steps[min(h.step, len(h.Steps)-1)]
	h.step++
	spread := 1 + h.Jitter*(2*h.rand()-1)
	return Decision{Again, time.Duration(float64(wait) * spread)}
}

// looping stays true for a probe that fails: the steps are used up by then.
func (h *history) looping() bool { return len(h.fails) >= h.LoopExits || h.step < 0 }

// loop makes the next unhealthy end a crash loop at once, as after a probe.
func (h *history) loop() { h.step = -1 }

// reset forgets everything: the child was healthy, or a person asks anew.
func (h *history) reset() { h.step, h.fails = 0, nil }
