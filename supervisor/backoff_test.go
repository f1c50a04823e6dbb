package supervisor

import (
	"testing"
	"time"
)

func TestPolicy(t *testing.T) {
	type end struct {
		exit Exit
		ran  time.Duration
		want Decision
	}
	crash := func(ran, after time.Duration) end { return end{Exit{Code: 1}, ran, Decision{Again, after}} }
	loop := func(ran time.Duration) end { return end{Exit{Code: 2}, ran, Decision{Loop, 5 * time.Minute}} }
	for name, ends := range map[string][]end{
		"steps": {
			crash(20*time.Second, time.Second), crash(20*time.Second, 2*time.Second), crash(20*time.Second, 5*time.Second),
			crash(20*time.Second, 10*time.Second), crash(20*time.Second, 20*time.Second), crash(20*time.Second, 30*time.Second),
			crash(20*time.Second, time.Minute), crash(20*time.Second, time.Minute),
		},
		"a healthy minute forgives": {
			crash(0, time.Second), crash(0, 2*time.Second), crash(time.Minute, time.Second), crash(0, 2*time.Second),
		},
		"crash loop": {
			crash(0, time.Second), crash(0, 2*time.Second), crash(0, 5*time.Second), crash(0, 10*time.Second), loop(0), loop(0),
		},
		"not within the minute": {
			crash(15*time.Second, time.Second), crash(15*time.Second, 2*time.Second), crash(15*time.Second, 5*time.Second),
			crash(15*time.Second, 10*time.Second), crash(15*time.Second, 20*time.Second),
		},
		"done":         {{Exit{Code: 0}, 0, Decision{Verdict: Rest}}},
		"usage":        {{Exit{Code: 64}, 0, Decision{Verdict: Rest}}},
		"config":       {{Exit{Code: 78}, 0, Decision{Verdict: Rest}}},
		"try again":    {{Exit{Code: 75}, 0, Decision{Again, time.Second}}},
		"above":        {{Exit{Code: 79}, 0, Decision{Again, time.Second}}},
		"signal":       {{Exit{Code: -1, Signal: 9}, 0, Decision{Again, time.Second}}},
		"we ended it":  {{Exit{Code: 0, Why: "not ready in time"}, 0, Decision{Again, time.Second}}},
		"done forgets": {crash(0, time.Second), {Exit{Code: 0}, 0, Decision{Verdict: Rest}}, crash(0, time.Second)},
	} {
		t.Run(name, func(t *testing.T) {
			h := history{Policy: UsualPolicy(), rand: func() float64 { return 0.5 }}
			now := time.Unix(1e9, 0)
			for i, e := range ends {
				now = now.Add(e.ran)
				got := h.ended(e.exit, e.ran, now)
				if got != e.want {
					t.Errorf("end %d (%s after %s): %+v, want %+v", i, e.exit, e.ran, got, e.want)
				}
				now = now.Add(got.After)
				if got.Verdict == Loop {
					h.loop()
				}
			}
		})
	}
}

func TestJitter(t *testing.T) {
	for roll, want := range map[float64]time.Duration{0: 800 * time.Millisecond, 0.5: time.Second, 0.999999: 1200 * time.Millisecond} {
		h := history{Policy: UsualPolicy(), rand: func() float64 { return roll }}
		got := h.ended(Exit{Code: 1}, 0, time.Unix(1e9, 0)).After
		if got.Round(time.Millisecond) != want {
			t.Errorf("roll %v: %s, want %s", roll, got, want)
		}
	}
}
