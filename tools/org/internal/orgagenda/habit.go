package orgagenda

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

// Reasons why a headline with STYLE "habit" is none.
var (
	ErrNotHabit      = errors.New("the headline has no property STYLE with the value habit")
	ErrNotScheduled  = errors.New("a habit needs SCHEDULED with a repeater, like <2026-01-07 Wed .+2d/4d>")
	ErrHabitInterval = errors.New("a habit's repeater needs at least a day, and a second period needs to be longer than the first")
)

// A Habit is a task that repeats, with the days on which it was done.
type Habit struct {
	Scheduled orgtime.Day
	Mark      string        // of the repeater: "+", "++" or ".+"
	Every     int           // days
	Limit     int           // days until it is overdue, 0 for Every
	Done      []orgtime.Day // sorted, some maybe twice
}

// maxDone bounds how many days a Habit remembers.
const maxDone = 1000

// ParseHabit reads the habit that headline i is. Its STYLE, timestamp and the
// "State" lines of its log make it.
func ParseHabit(v *orgfile.View, i int) (*Habit, error) {
	f := v.File
	if style, _ := f.SelectiveProperty(i, "STYLE"); style != "habit" {
		return nil, ErrNotHabit
	}
	text := f.Text(f.PlanningTime(i, orgfile.Scheduled))
	t, ok := orgtime.Parse(text)
	if !ok || t.Expression != nil || t.Mark == "" {
		return nil, ErrNotScheduled
	}
	h := &Habit{Scheduled: t.Start, Mark: t.Mark, Every: t.Repeat.Days()}
	if _, second, found := strings.Cut(text, "/"); found && t.Repeat.Unit != 'h' {
		if s, ok := orgtime.ParseStep(second); ok {
			h.Limit = s.Days()
		}
	}
	if h.Every <= 0 || h.Limit != 0 && h.Limit <= h.Every || t.Repeat.Unit == 'h' {
		return nil, ErrHabitInterval
	}
	h.Done = doneDays(f, i)
	return h, nil
}

var stateLine = regexp.MustCompile(`^[ \t]*-[ \t]+State "([^"]+)".*(\[[0-9]{4}-[0-9]{2}-[0-9]{2}[^\]\n]*\])`)

var closingLine = regexp.MustCompile(`^[ \t]*-[ \t]+CLOSING NOTE (\[[0-9]{4}-[0-9]{2}-[0-9]{2}[^\]\n]*\])`)

// doneDays returns the days on which headline i's log says that it was done.
func doneDays(f *orgfile.File, i int) []orgtime.Day {
	var days []orgtime.Day
	body := f.Source[f.Headlines[i].LineEnd:f.EntryEnd(i)]
	for line := range bytes.Lines(body) {
		if len(days) == maxDone {
			break
		}
		stamp := ""
		if m := stateLine.FindSubmatch(line); m != nil && f.Settings.Todo.IsFinal(string(m[1])) {
			stamp = string(m[2])
		} else if m := closingLine.FindSubmatch(line); m != nil {
			stamp = string(m[1])
		}
		if t, ok := orgtime.Parse(stamp); ok {
			days = append(days, t.Start)
		}
	}
	slices.Sort(days)
	return days
}

// Deadline returns the last day on which the habit is not overdue.
func (h *Habit) Deadline() orgtime.Day {
	if h.Limit == 0 {
		return h.Scheduled
	}
	return h.Scheduled + orgtime.Day(h.Limit-h.Every)
}

// Priority is how much a day calls for the habit, as Emacs counts.
func (h *Habit) Priority(today orgtime.Day) int {
	deadline := h.Deadline()
	n := 1000 + 10*int(today-h.Scheduled)
	if h.Scheduled != deadline && today == deadline {
		n += 50
	}
	if slip := int(today-deadline) + 1; slip > 0 {
		n += 100 * slip
	} else {
		n += 10 * slip
	}
	return n
}

// A HabitState is how a habit stands on a day.
type HabitState string

// The states of a habit, in the order of time.
const (
	HabitWaiting HabitState = "waiting" // not yet due
	HabitReady   HabitState = "ready"   // may be done
	HabitDue     HabitState = "due"     // the last day to do it
	HabitOverdue HabitState = "overdue"
)

// State returns how the habit stands on a day.
func (h *Habit) State(day orgtime.Day) HabitState {
	return habitState(day, h.Scheduled, h.Deadline())
}

func habitState(day, scheduled, deadline orgtime.Day) HabitState {
	switch {
	case day < scheduled:
		return HabitWaiting
	case day < deadline:
		return HabitReady
	case day == deadline:
		return HabitDue
	}
	return HabitOverdue
}

// A HabitDay is one day of a habit's history.
type HabitDay struct {
	Done  bool
	State HabitState
}

// History returns how the habit stood on each of the days before and including
// today, with when it was scheduled at that time worked out from what was done.
func (h *Habit) History(today orgtime.Day, days int) []HabitDay {
	out := make([]HabitDay, 0, days)
	for day := today - orgtime.Day(days) + 1; day <= today; day++ {
		n, _ := slices.BinarySearch(h.Done, day) // days done before
		done := n < len(h.Done) && h.Done[n] == day
		state := h.State(day)
		if day < today {
			switch {
			case n == 0 && h.Scheduled >= today: // there is no telling when it began
				if state = HabitWaiting; len(h.Done) > 0 && h.Done[0] == day {
					state = HabitReady
				}
			case n > 0:
				scheduled := h.scheduledAfter(n)
				state = habitState(day, scheduled, scheduled+orgtime.Day(max(h.Limit, h.Every)-h.Every))
			}
		}
		if done && state == HabitDue {
			state = HabitReady
		}
		out = append(out, HabitDay{done, state})
	}
	return out
}

// scheduledAfter returns when the habit was scheduled after it had been done n
// times.
func (h *Habit) scheduledAfter(n int) orgtime.Day {
	every := orgtime.Day(h.Every)
	last := h.Done[n-1]
	switch {
	case n == len(h.Done):
		return h.Scheduled
	case h.Mark == ".+":
		return last + every
	case h.Mark == "+":
		return h.Scheduled - orgtime.Day(len(h.Done)-n)*every
	}
	first := h.Done[0]
	shift := ((h.Scheduled-first)%every + every) % every
	if shift == 0 {
		shift = every
	}
	at := first + shift
	if first == last {
		return at
	}
	for _, done := range h.Done[1:] {
		at += (1 + max(done-at, 0)/every) * every
		if done == last {
			break
		}
	}
	return at
}

func month(n int) time.Month { return time.Month(n) }
