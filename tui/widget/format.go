package widget

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// FormatCount is n with separators between thousands: 1,204.
func FormatCount[N int | uint64](n N) string { return humanize.Comma(int64(n)) }

// CountWithNoun is n of something: "1 call", "2 calls", "3 matches".
func CountWithNoun[N int | uint64](n N, noun string) string {
	return FormatCount(n) + " " + english.PluralWord(int(n), noun, "")
}

// FormatTokenEstimate estimates how many tokens n bytes are for an agent.
func FormatTokenEstimate(n int) string { return "about " + FormatCount(max(0, n/4)) + " tokens" }

// OrDash is s, or a dash if there is nothing to show.
func OrDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// FormatMegabytes is n bytes in units of 2^20, so coarse that it rarely changes; 0
// means unknown.
func FormatMegabytes(n uint64) string {
	const mb = 1 << 20
	if n == 0 {
		return "–"
	}
	return FormatCount(max(1, (n+mb/2)/mb)) + " MB"
}

// FormatBytes is n bytes in the unit that fits: "812 B", "1.2 KB".
func FormatBytes(n int) string {
	switch {
	case n < 1024:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/1024)
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
}

// FormatElapsed is a duration in its two greatest units: "2h 14m".
func FormatElapsed(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "< 1m"
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh %dm", d/time.Hour, d%time.Hour/time.Minute)
	default:
		return fmt.Sprintf("%dd %dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	}
}

// FormatClockTime is t as seen at now: the time if it is today, else with the date. It
// does not change while nothing happens, as "5 minutes ago" would.
func FormatClockTime(t, now time.Time, zone *time.Location) string {
	if t.IsZero() {
		return "–"
	}
	t, now = t.In(zone), now.In(zone)
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04")
	}
	return t.Format("2 Jan 15:04")
}

// FormatShortTime is [FormatClockTime] in at most six cells.
func FormatShortTime(t, now time.Time, zone *time.Location) string {
	c := FormatClockTime(t, now, zone)
	if len(c) > len("15:04") && !t.IsZero() {
		return t.In(zone).Format("2 Jan")
	}
	return c
}

// FormatDuration is a duration in three digits or so: "840 µs", "12 ms", "1.4 s".
func FormatDuration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	default:
		return FormatElapsed(d)
	}
}
