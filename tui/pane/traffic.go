package pane

import (
	"fmt"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// traffic is how many calls there were lately and how long they took. It is a
// value of fixed size.
type traffic struct {
	buckets [trafficBuckets]trafficBucket // by number modulo their count
	last    time.Time                     // of the newest call
}

// A trafficBucket is the calls of one stretch of time.
type trafficBucket struct {
	number   int64 // counted in trafficBucketDuration since 1970
	calls    int
	failures int
	took     time.Duration
	longest  time.Duration
}

// What is kept: the last five minutes, in stretches of five seconds.
const (
	trafficBucketDuration = 5 * time.Second
	trafficBuckets        = 60
)

func (f traffic) add(calls []status.Call) traffic {
	for _, c := range calls {
		n := c.Time.UnixNano() / int64(trafficBucketDuration)
		s := &f.buckets[int(n%trafficBuckets+trafficBuckets)%trafficBuckets]
		switch {
		case s.number > n:
			continue // it came very late
		case s.number < n:
			*s = trafficBucket{number: n}
		}
		s.calls++
		if c.Failed() {
			s.failures++
		}
		s.took += c.Worked() // a person who thinks is no slow tool
		s.longest = max(s.longest, c.Worked())
		if c.Time.After(f.last) {
			f.last = c.Time
		}
	}
	return f
}

// recentBuckets returns the slots before and with that of t, oldest first, and what
// they come to.
func (f traffic) recentBuckets(t time.Time) (slots [trafficBuckets]trafficBucket, sum trafficBucket) {
	end := t.UnixNano() / int64(trafficBucketDuration)
	for i := range slots {
		n := end - int64(trafficBuckets-1-i)
		s := f.buckets[int(n%trafficBuckets+trafficBuckets)%trafficBuckets]
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

// section shows the five minutes up to the newer of the last call and now, the
// time of the snapshot: it moves with what happens, not with the clock.
func (f traffic) section(t theme.Theme, now time.Time, zone *time.Location) widget.Section {
	if f.last.After(now) {
		now = f.last
	}
	slots, sum := f.recentBuckets(now)
	return widget.Section{
		Title: "Traffic", Note: "5 minutes to " + now.In(zone).Format("15:04:05"), Min: 2, Preferred: 2,
		Rows: func(w, _ int) []string {
			calls := make([]float64, trafficBuckets)
			for i, s := range slots {
				calls[i] = float64(s.calls)
			}
			from := max(0, trafficBuckets-max(0, w-9-20))
			rate := fmt.Sprintf(" %.1f/s", float64(sum.calls)/(trafficBuckets*trafficBucketDuration).Seconds())
			if sum.failures > 0 {
				rate += fmt.Sprintf(", %d failed", sum.failures)
			}
			mean := "–"
			if sum.calls > 0 {
				mean = widget.FormatDuration(sum.took/time.Duration(sum.calls)) + ", max " + widget.FormatDuration(sum.longest)
			}
			return []string{
				t.Dim.Fit("calls", 9) + t.Busy.Sparkline(calls[from:]) + t.Text.Text(rate),
				widget.PropertyRow(t, 9, "took", mean),
			}
		},
	}
}
