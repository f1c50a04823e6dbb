package pane

import (
	"fmt"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// traffic is how many calls there were lately and how long they took. It is a
// value of fixed size.
type traffic struct {
	slots [trafficSlots]slot // by number modulo their count
	last  time.Time          // of the newest call
}

// A slot is the calls of one stretch of time.
type slot struct {
	number   int64 // counted in trafficStep since 1970
	calls    int
	failures int
	took     time.Duration
	longest  time.Duration
}

// What is kept: the last five minutes, in stretches of five seconds.
const (
	trafficStep  = 5 * time.Second
	trafficSlots = 60
)

func (f traffic) with(calls []status.Call) traffic {
	for _, c := range calls {
		n := c.Time.UnixNano() / int64(trafficStep)
		s := &f.slots[int(n%trafficSlots+trafficSlots)%trafficSlots]
		switch {
		case s.number > n:
			continue // it came very late
		case s.number < n:
			*s = slot{number: n}
		}
		s.calls++
		if c.Failed() {
			s.failures++
		}
		s.took += c.Duration
		s.longest = max(s.longest, c.Duration)
		if c.Time.After(f.last) {
			f.last = c.Time
		}
	}
	return f
}

// until returns the slots before and with that of t, oldest first, and what
// they come to.
func (f traffic) until(t time.Time) (slots [trafficSlots]slot, sum slot) {
	end := t.UnixNano() / int64(trafficStep)
	for i := range slots {
		n := end - int64(trafficSlots-1-i)
		s := f.slots[int(n%trafficSlots+trafficSlots)%trafficSlots]
		if s.number != n {
			continue
		}
		slots[i] = s
		sum.calls += s.calls
		sum.failures += s.failures
		sum.took += s.took
		sum.longest = max(sum.longest, s.longest)
	}
	return slots, sum
}

// lately shows how many calls there were in the last forty seconds, in eight
// cells; nothing when there was none.
func (f traffic) lately(t theme.Theme, now time.Time) string {
	if f.last.After(now) {
		now = f.last
	}
	slots, _ := f.until(now)
	const cells = 8
	calls, sum := make([]float64, cells), 0
	for i, s := range slots[trafficSlots-cells:] {
		calls[i] = float64(s.calls)
		sum += s.calls
	}
	if sum == 0 {
		return ""
	}
	return " " + t.Busy.Spark(calls)
}

// section shows the five minutes up to the newer of the last call and now, the
// time of the snapshot: it moves with what happens, not with the clock.
func (f traffic) section(t theme.Theme, now time.Time, zone *time.Location) section {
	if f.last.After(now) {
		now = f.last
	}
	slots, sum := f.until(now)
	return section{title: "Traffic", note: "5 minutes to " + now.In(zone).Format("15:04:05"), need: 2, want: 2, rows: func(w, _ int) []string {
		calls, took := make([]float64, trafficSlots), make([]float64, trafficSlots)
		for i, s := range slots {
			calls[i] = float64(s.calls)
			if s.calls > 0 {
				took[i] = float64(s.took) / float64(s.calls)
			}
		}
		from := max(0, trafficSlots-max(0, w-9-20))
		rate := fmt.Sprintf(" %.1f/s", float64(sum.calls)/(trafficSlots*trafficStep).Seconds())
		if sum.failures > 0 {
			rate += fmt.Sprintf(", %d failed", sum.failures)
		}
		mean := " –"
		if sum.calls > 0 {
			mean = " " + lasting(sum.took/time.Duration(sum.calls)) + ", at most " + lasting(sum.longest)
		}
		return []string{
			t.Dim.Fit("calls", 9) + t.Busy.Spark(calls[from:]) + t.Text.Text(rate),
			t.Dim.Fit("took", 9) + t.Accent.Spark(took[from:]) + t.Text.Text(mean),
		}
	}}
}
