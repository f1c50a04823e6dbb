package workspace

import (
	"strings"
	"testing"
	"time"
)

// Schedules with days: how they are written, kept and said, and when they run next.
func TestScheduleDays(t *testing.T) {
	saturday := time.Date(2026, 10, 31, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ text, said, next string }{
		{"07:30", "daily at 07:30", "2026-11-01 07:30"},
		{"13:00", "daily at 13:00", "2026-10-31 13:00"},
		{"mon-fri 07:30", "mon-fri at 07:30", "2026-11-02 07:30"},
		{"weekdays 07:30", "mon-fri at 07:30", "2026-11-02 07:30"},
		{"Weekend 7:30", "sat, sun at 07:30", "2026-11-01 07:30"},
		{"sat 12:00", "sat at 12:00", "2026-11-07 12:00"},
		{"fri-mon 12:00", "mon, fri-sun at 12:00", "2026-11-01 12:00"},
		{"wednesday, Mon,mon 00:00", "mon, wed at 00:00", "2026-11-02 00:00"},
		{"1,15 07:30", "on day 1, 15 of the month at 07:30", "2026-11-01 07:30"},
		{"last 18:00", "on day last of the month at 18:00", "2026-10-31 18:00"},
		{"31 11:00", "on day 31 of the month at 11:00", "2026-12-31 11:00"}, // November has none
		{"last,2 11:00", "on day 2, last of the month at 11:00", "2026-11-02 11:00"},
	} {
		s, err := parseSchedule(c.text, saturday)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		next, err := s.next(saturday)
		if got := next.Format("2006-01-02 15:04"); err != nil || s.String() != c.said || got != c.next {
			t.Errorf("%s: %q, next %s, %v; want %q, %s", c.text, s, got, err, c.said, c.next)
		}
		if again, err := s.next(next); err != nil || !again.After(next) {
			t.Errorf("%s: after %s comes %s, %v", c.text, next, again, err)
		}
	}
	for text, want := range map[string]string{
		"mo 07:30": "are not days", "mon,1 07:30": "are not days", "32 07:30": "are not days", "0 07:30": "are not days", "1-5 07:30": "are not days",
		", 07:30": "are not days", "mon- 07:30": "are not days", "mon": "is not a time", "mon 15m": "is not a time", "mon 25:00": "is not a time", "": "is not a time",
	} {
		if s, err := parseSchedule(text, saturday); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, s, err, want)
		}
	}
}
