package supervisor

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"
)

// A RestartPolicy decides when a process that failed is started again, or a
// connection that failed is tried again.
type RestartPolicy struct {
	// Steps are the delays before the first, second, … restart; the last repeats.
	Steps []time.Duration
	// Jitter spreads each delay by this fraction of itself, up and down.
	Jitter float64
	// Healthy is how long a run must last for its end to count as the first
	// failure; 0: only Reset starts again.
	Healthy time.Duration
	// LoopExits failures within LoopWithin are a crash loop; 0: there is none.
	LoopExits  int
	LoopWithin time.Duration
	// Probe is the delay between restarts in a crash loop; 0: only when a person
	// asks.
	Probe time.Duration
}

// DefaultRestartPolicy is what Lectern runs its hub with.
func DefaultRestartPolicy() RestartPolicy {
	return RestartPolicy{
		Steps: []time.Duration{
			time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second, time.Minute,
		},
		Jitter: 0.2, Healthy: time.Minute, LoopExits: 5, LoopWithin: time.Minute, Probe: 5 * time.Minute,
	}
}

// RestartHistory applies a RestartPolicy to the failures of one process. It is
// not safe for concurrent use.
type RestartHistory struct {
	RestartPolicy

	step    int
	fails   []time.Time // unhealthy ends, oldest first
	looping bool
}

// RecordExit returns how long to wait before the restart after a failure at now of
// a process that ran for ran. In a crash loop a delay of 0 means that it is not
// restarted.
func (h *RestartHistory) RecordExit(ran time.Duration, now time.Time) (delay time.Duration, crashLoop bool) {
	if h.Healthy > 0 && ran >= h.Healthy {
		h.Reset()
	} else {
		h.fails = append(h.fails, now)
	}
	for len(h.fails) > 0 && now.Sub(h.fails[0]) > h.LoopWithin {
		h.fails = h.fails[1:]
	}
	h.looping = h.looping || h.LoopExits > 0 && len(h.fails) >= h.LoopExits
	if h.looping {
		return h.Probe, true
	}
	delay = h.Steps[min(h.step, len(h.Steps)-1)]
	h.step++
	spread := h.Jitter * (2*rand.Float64() - 1) //nolint:gosec // it spreads restarts and guards nothing
	return time.Duration(float64(delay) * (1 + spread)), false
}

// Reset forgets all failures: the process was healthy, or a person restarts it.
func (h *RestartHistory) Reset() { h.step, h.fails, h.looping = 0, nil, false }

// An Exit is how a child ended.
type Exit struct {
	Code   int            // of its own choice; -1: a signal ended it
	Signal syscall.Signal // 0: none
	Reason string         // why we ended it; empty: it ended by itself
}

func (e Exit) String() string {
	text := fmt.Sprintf("exit code %d", e.Code)
	if e.Code < 0 {
		text = "signal " + e.Signal.String()
	}
	if e.Reason != "" {
		text += " (" + e.Reason + ")"
	}
	return text
}

// Final reports whether a restart is useless: the child was done, or ended with
// a code of sysexits(3) after which a person must act. 75 means "try again".
func (e Exit) Final() bool {
	return e.Reason == "" && (e.Code == 0 || e.Code >= 64 && e.Code <= 78 && e.Code != 75)
}

// IsFinalError reports whether err is one after which another attempt is useless
// until a person acts: it has a method Final() bool that returns true.
func IsFinalError(err error) bool {
	final, ok := errors.AsType[interface {
		error
		Final() bool
	}](err)
	return ok && final.Final()
}
