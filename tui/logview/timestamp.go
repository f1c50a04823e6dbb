package logview

import (
	"fmt"
	"math"
	"time"
)

// timestampMode is how the time of a line is shown.
type timestampMode uint8

const (
	clockTimes    timestampMode = iota // the time of day
	relativeTimes                      // how long before the newest line, or from the mark
	noTimes
	timestampModes // how many there are
)

const (
	shortStamp    = "15:04:05"
	longStamp     = "15:04:05.000"
	relativeWidth = len("-59m59s")
)

// timestampWidth is how wide the column of times is.
func (v View) timestampWidth(w int) int {
	switch {
	case v.timestamps == noTimes:
		return 0
	case v.timestamps == relativeTimes:
		return relativeWidth
	default:
		return len(timestampLayout(w))
	}
}

func timestampLayout(w int) string {
	if w >= 100 {
		return longStamp
	}
	return shortStamp
}

func (v View) timestamp(l *ringLine, w int) string {
	if v.timestamps == clockTimes {
		return time.Unix(0, l.time).In(v.zone).Format(timestampLayout(w))
	}
	return fmt.Sprintf("%*s", relativeWidth, relativeTime(time.Duration(l.time-v.zeroTime())))
}

// zeroTime is the time that distances are measured from: that of the marked line,
// else of the newest one. It moves when lines come, and not with the clock, so
// that nothing is drawn while nothing happens.
func (v View) zeroTime() int64 {
	r := v.log.ring
	if v.from >= r.first && v.from != 0 && r.line(v.from).level != remarkLevel {
		return r.line(v.from).time
	}
	for n := r.next - 1; n >= r.first && n > 0; n-- {
		if l := r.line(n); l.level != remarkLevel {
			return l.time
		}
	}
	return 0
}

// relativeTime is d with its sign, in at most seven cells: "-12.3s", "+4m05s".
func relativeTime(d time.Duration) string {
	sign := "+"
	if d < 0 {
		sign, d = "-", -max(d, -math.MaxInt64)
	}
	switch {
	case d < time.Millisecond:
		return "0"
	case d < time.Second:
		return fmt.Sprintf("%s%dms", sign, d/time.Millisecond)
	case d < time.Minute:
		return fmt.Sprintf("%s%d.%ds", sign, d/time.Second, d%time.Second/(100*time.Millisecond))
	case d < time.Hour:
		return fmt.Sprintf("%s%dm%02ds", sign, d/time.Minute, d%time.Minute/time.Second)
	case d < 24*time.Hour:
		return fmt.Sprintf("%s%dh%02dm", sign, d/time.Hour, d%time.Hour/time.Minute)
	default:
		return fmt.Sprintf("%s%dd", sign, min(99_999, d/(24*time.Hour)))
	}
}

// timestampNames are the names of stampings in what is remembered.
func timestampNames() []string { return []string{"clock", "distance", "none"} }
