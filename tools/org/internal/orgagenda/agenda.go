package orgagenda

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

// A Kind says why an agenda shows an entry. The words are Emacs's.
type Kind string

// The kinds of entries.
const (
	Deadline         Kind = "deadline" // on its day or overdue
	UpcomingDeadline Kind = "upcoming-deadline"
	Scheduled        Kind = "scheduled"
	OverdueScheduled Kind = "past-scheduled"
	Timestamp        Kind = "timestamp"
	Range            Kind = "block" // a day of a range
	Diary            Kind = "sexp"
)

// An Entry is one line of an agenda.
type Entry struct {
	Day      orgtime.Day // on which it is shown
	Kind     Kind
	File     int // number of its file, which the caller sets
	View     *orgfile.View
	Headline int
	Date     orgtime.Day // of the timestamp; Day for ranges and diary entries
	Prefix   string      // as Emacs writes it: "Scheduled: ", "In   3 d.: ", "(2/3): "; "" for none
	Time     string      // as Emacs writes it: "10:00-11:30" or "10:00"; "" for none
	Priority int         // larger is shown first
	Habit    *Habit      // nil for what is no habit

	minutes int    // Time as hours and minutes in one number
	order   int    // where it was found
	at      int32  // where a plain timestamp stands
	text    string // if hasText; worked out from the heading otherwise
	hasText bool
}

// A Span is the days that an agenda shows.
type Span struct {
	First orgtime.Day
	Days  int
	Today orgtime.Day
}

// List returns the entries of a file's agenda by day and in Emacs's order: those
// with a time of day first, then by priority, then in the order of the text.
func List(c *Calendar, span Span) []Entry {
	b := dayBuilder{Calendar: c, today: span.Today, settings: &c.view.File.Settings.Agenda}
	for b.day = span.First; b.day < span.First+orgtime.Day(span.Days); b.day++ {
		start := len(b.out)
		b.build()
		slices.SortFunc(b.out[start:], compareEntries)
	}
	return b.out
}

// Compare brings the entries of several files, whose numbers File has, into the order
// of an agenda of all.
func Compare(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Day, b.Day), compareRank(a, b), cmp.Compare(a.File, b.File), cmp.Compare(a.order, b.order))
}

// compareEntries compares entries of one file and day.
func compareEntries(a, b Entry) int { return cmp.Or(compareRank(a, b), cmp.Compare(a.order, b.order)) }

func compareRank(a, b Entry) int {
	if (a.Habit != nil) != (b.Habit != nil) {
		if a.Habit != nil {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(a.minutes, b.minutes), cmp.Compare(b.Priority, a.Priority))
}

// untimed sorts behind each time of day.
const untimed = 9901

// A dayBuilder collects what one file shows on one day.
type dayBuilder struct {
	*Calendar
	day, today orgtime.Day
	settings   *orgfile.AgendaSettings
	out        []Entry
}

func (b *dayBuilder) build() {
	for i := range b.deadlines {
		b.addDeadline(&b.deadlines[i])
	}
	for i := range b.scheduled {
		b.addScheduled(&b.scheduled[i])
	}
	for i := range b.ranges {
		b.addRange(&b.ranges[i])
	}
	b.addTimestamps()
	for i := range b.diary {
		b.addDiary(&b.diary[i])
	}
}

func (b *dayBuilder) isDone(s *stamp) bool { return b.view.File.Headlines[s.headline].Done }

// dates returns the date of a planning timestamp, and its repetition on the day
// if that is after today. ok is false if the day has nothing to do with it.
func (b *dayBuilder) dates(s *stamp) (date, repeat orgtime.Day, ok bool) {
	if s.time.Expression != nil {
		yes, known := s.time.Falls(b.day)
		return b.day, b.day, yes && known
	}
	date, repeat = s.time.Start, s.time.Start
	if b.day > b.today && !b.settings.SkipRepeat {
		if yes, _ := s.time.Falls(b.day); yes {
			repeat = b.day
		}
	}
	return date, repeat, true
}

func (b *dayBuilder) addDeadline(s *stamp) {
	date, repeat, ok := b.dates(s)
	if !ok {
		return
	}
	left := int(date - b.day)
	onDay := date == b.day || repeat == b.day
	if !onDay && (b.day != b.today || left > b.warningDays(s) || -left > b.settings.DeadlineOverdueDays) ||
		b.isDone(s) && (b.settings.SkipDeadlineDone || date != b.day) {
		return
	}
	e := Entry{Kind: Deadline, Date: date, Prefix: "Deadline:  "}
	if b.day == b.today {
		switch {
		case left < 0:
			e.Prefix = fmt.Sprintf("%2d d. ago: ", -left)
		case left > 0:
			e.Kind, e.Prefix = UpcomingDeadline, fmt.Sprintf("In %3d d.: ", left)
		}
		e.Priority = -left
	}
	e.Priority += b.format(&e, s, b.planningTime(s, onDay))
	b.out = append(b.out, e)
}

func (b *dayBuilder) warningDays(s *stamp) int {
	if n := b.settings.WarningDays; n <= 0 {
		return -n
	}
	if s.time.Warning.Unit != 0 {
		return s.time.Warning.Days()
	}
	return b.settings.WarningDays
}

func (b *dayBuilder) addScheduled(s *stamp) {
	date, repeat, ok := b.dates(s)
	if !ok {
		return
	}
	late := int(b.day - date)
	if delay := s.time.Warning.Days(); delay > 0 && late < delay || late > b.settings.ScheduledOverdueDays || date > b.day ||
		b.day != date && b.day != b.today && b.day != repeat ||
		b.isDone(s) && (b.settings.SkipScheduledDone || date != b.day) {
		return
	}
	habit := b.habits[s.headline]
	if habit != nil && (b.isDone(s) || b.day != b.today) {
		return
	}
	e := Entry{Kind: Scheduled, Date: date, Prefix: "Scheduled: ", Habit: habit}
	if date < b.today {
		e.Kind = OverdueScheduled
		if b.day == b.today {
			e.Prefix = fmt.Sprintf("Sched.%2dx: ", late)
		}
	}
	if habit != nil {
		e.Prefix = ""
	}
	priority := b.format(&e, s, b.planningTime(s, habit != nil || b.day == date || b.day == repeat))
	if e.Priority = 99 + late + priority; habit != nil {
		e.Priority = habit.Priority(b.today)
	}
	b.out = append(b.out, e)
}

func (b *dayBuilder) addRange(s *stamp) {
	if b.day < s.time.Start || b.day > s.time.End || b.settings.SkipTimestampDone && b.isDone(s) {
		return
	}
	e := Entry{Kind: Range, Date: b.day}
	if s.time.Start != s.time.End {
		e.Prefix = fmt.Sprintf("(%d/%d): ", b.day-s.time.Start+1, s.time.End-s.time.Start+1)
	}
	e.Priority = b.format(&e, s, b.rangeTime(s))
	b.out = append(b.out, e)
}

// addTimestamps adds the plain timestamps in the order of the text.
func (b *dayBuilder) addTimestamps() {
	begin := len(b.out)
	for i := range b.plain {
		b.addPlain(&b.plain[i])
	}
	at, _ := slices.BinarySearchFunc(b.days, int32(b.day), func(s dayStamp, day int32) int { return cmp.Compare(s.day, day) })
	for ; at < len(b.days) && b.days[at].day == int32(b.day); at++ {
		s := stamp{headline: int(b.days[at].headline), at: b.days[at].at}
		s.time.Start, s.time.End = b.day, b.day
		b.addPlain(&s)
	}
	slices.SortFunc(b.out[begin:], func(a, b Entry) int { return cmp.Compare(a.at, b.at) })
	for i := range b.out[begin:] {
		b.out[begin+i].order = begin + i
	}
}

func (b *dayBuilder) addPlain(s *stamp) {
	if b.settings.SkipTimestampDone && b.isDone(s) {
		return
	}
	shown := b.day == s.time.Start && s.time.Expression == nil
	if !shown && (s.time.Expression != nil || s.repeats && (b.day <= b.today || !b.settings.SkipRepeat)) {
		yes, known := s.time.Falls(b.day)
		shown = yes && known
	}
	if !shown {
		return
	}
	e := Entry{Kind: Timestamp, Date: b.day, at: s.at.Start}
	e.Priority = b.format(&e, s, b.stampTime(s))
	if habit := b.habits[s.headline]; habit != nil {
		e.Priority = habit.Priority(b.today)
	}
	b.out = append(b.out, e)
}

// stampTime returns the time of day in a plain timestamp.
func (b *dayBuilder) stampTime(s *stamp) timeSource {
	if !mayHoldTime(b.view.File.Source[s.at.Start:s.at.End]) {
		return timeSource{"", true}
	}
	return timeSource{b.view.File.Text(s.at), true}
}

// repeatsLast says whether a timestamp ends with its repeater. Emacs shows the
// repetitions of a plain timestamp only then.
func repeatsLast(text []byte) bool {
	i := len(text) - 2
	if i < 1 || text[i+1] != '>' {
		return false
	}
	for i--; i > 0 && isDigit(text[i]); i-- {
	}
	return text[i] == '+' && i < len(text)-3
}

func (b *dayBuilder) addDiary(s *stamp) {
	if yes, known := s.time.Falls(b.day); !yes || !known {
		return
	}
	e := Entry{Kind: Diary, Date: b.day}
	b.format(&e, s, timeSource{"", true})
	b.out = append(b.out, e)
}
