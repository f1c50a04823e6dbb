package pane

import (
	"fmt"
	"math"
	"time"
)

// stamping is how the time of a line is shown.
type stamping uint8

const (
	clockStamp    stamping = iota // the time of day
	distanceStamp                 // how long before the newest line, or from the mark
	noStamp
	stampings // how many there are
)

const (
	shortStamp    = "15:04:05"
	longStamp     = "15:04:05.000"
	distanceCells = len("-59m59s")
)

// stampCells is how wide the column of times is.
func (p Logs) stampCells(w int) int {
	switch {
	case p.stamp == noStamp:
		return 0
	case p.stamp == distanceStamp:
		return distanceCells
	default:
		return len(stampForm(w))
	}
}

func stampForm(w int) string {
	if w >= 100 {
		return longStamp
	}
	return shortStamp
}

func (p Logs) stampOf(l *ringLine, w int) string {
	if p.stamp == clockStamp {
		return time.Unix(0, l.time).In(p.zone).Format(stampForm(w))
	}
	return fmt.Sprintf("%*s", distanceCells, distance(time.Duration(l.time-p.zero())))
}

// zero is the time that distances are measured from: that of the marked line,
// else of the newest one. It moves when lines come, and not with the clock, so
// that nothing is drawn while nothing happens.
func (p Logs) zero() int64 {
	r := p.view.ring
	if p.from >= r.first && p.from != 0 && r.line(p.from).level != mark {
		return r.line(p.from).time
	}
	for n := r.next - 1; n >= r.first && n > 0; n-- {
		if l := r.line(n); l.level != mark {
			return l.time
		}
	}
	return 0
}

// distance is d with its sign, in at most seven cells: "-12.3s", "+4m05s".
func distance(d time.Duration) string {
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

// stampNames are the names of stampings in what is remembered.
func stampNames() []string { return []string{"clock", "distance", "none"} }
