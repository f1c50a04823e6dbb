package supervisor

import (
	"testing"
	"time"
)

func TestRestartPolicy(t *testing.T) {
	type failure struct {
		ran, delay time.Duration
		loop       bool
	}
	crash := func(ran, delay time.Duration) failure { return failure{ran, delay, false} }
	loop := failure{0, 5 * time.Minute, true}
	for name, failures := range map[string][]failure{
		"steps": {
			crash(20*time.Second, time.Second), crash(20*time.Second, 2*time.Second), crash(20*time.Second, 5*time.Second),
			crash(20*time.Second, 10*time.Second), crash(20*time.Second, 20*time.Second), crash(20*time.Second, 30*time.Second),
			crash(20*time.Second, time.Minute), crash(20*time.Second, time.Minute),
		},
		"a healthy minute forgives": {
			crash(0, time.Second), crash(0, 2*time.Second), crash(time.Minute, time.Second), crash(0, 2*time.Second),
		},
		"crash loop": {
			crash(0, time.Second), crash(0, 2*time.Second), crash(0, 5*time.Second), crash(0, 10*time.Second), loop, loop, loop,
		},
		"a healthy minute ends a crash loop": {
			crash(0, time.Second), crash(0, 2*time.Second), crash(0, 5*time.Second), crash(0, 10*time.Second), loop, crash(time.Minute, time.Second),
		},
		"not within the minute": {
			crash(15*time.Second, time.Second), crash(15*time.Second, 2*time.Second), crash(15*time.Second, 5*time.Second),
			crash(15*time.Second, 10*time.Second), crash(15*time.Second, 20*time.Second),
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := RestartHistory{RestartPolicy: DefaultRestartPolicy()}
			h.Jitter = 0
			now := time.Unix(1e9, 0)
			for i, f := range failures {
				now = now.Add(f.ran)
				delay, looping := h.RecordExit(f.ran, now)
				if delay != f.delay || looping != f.loop {
					t.Errorf("failure %d after %s: %s, %v; want %s, %v", i, f.ran, delay, looping, f.delay, f.loop)
				}
				now = now.Add(delay)
			}
		})
	}
}

func TestFinalExits(t *testing.T) {
	for exit, want := range map[Exit]bool{
		{Code: 0}: true, {Code: 64}: true, {Code: 78}: true, {Code: 75}: false, {Code: 79}: false, {Code: 1}: false,
		{Code: -1, Signal: 9}: false, {Code: 0, Reason: "not ready in time"}: false,
	} {
		if got := exit.Final(); got != want {
			t.Errorf("%s: final is %v, want %v", exit, got, want)
		}
	}
}

func TestJitter(t *testing.T) {
	least, most := time.Hour, time.Duration(0)
	for range 1000 {
		h := RestartHistory{RestartPolicy: DefaultRestartPolicy()}
		delay, _ := h.RecordExit(0, time.Unix(1e9, 0))
		least, most = min(least, delay), max(most, delay)
	}
	if least < 800*time.Millisecond || most > 1200*time.Millisecond || most-least < 100*time.Millisecond {
		t.Errorf("the first delay is between %s and %s, want 1s ± 20 %%", least, most)
	}
}
