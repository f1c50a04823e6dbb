package orgagenda

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

var today = orgtime.NewDay(2026, 1, 7) // a Wednesday

func parse(t *testing.T, text string, hide func(f *orgfile.File, i int) bool, change ...func(*orgfile.Settings)) *orgfile.View {
	t.Helper()
	settings := orgfile.DefaultSettings()
	for _, c := range change {
		c(&settings)
	}
	f, err := orgfile.Parse([]byte(text), "notes.org", settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	if hide == nil {
		return orgfile.NewView(f, nil)
	}
	return orgfile.NewView(f, func(i int) bool { return hide(f, i) })
}

func agenda(v *orgfile.View, days int) string {
	var lines []string
	for _, e := range List(Scan(v), Span{today, days, today}) {
		lines = append(lines, fmt.Sprint(e.Day.Date().Format("01-02"), " ", e.Prefix, e.Time, "|", e.Text()))
	}
	return strings.Join(lines, "\n")
}

// What facts about Emacs's agenda say, a rule each.
func TestList(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"scheduled", "* TODO a\nSCHEDULED: <2026-01-08 Thu>", "01-08 Scheduled: |TODO a"},
		{"done on its day", "* DONE a\nSCHEDULED: <2026-01-08 Thu>", "01-08 Scheduled: |DONE a"},
		{"without keyword", "* a\nSCHEDULED: <2026-01-05 Mon>", "01-07 Sched. 2x: |a"},
		{"done and late", "* DONE a\nSCHEDULED: <2026-01-05 Mon>\n* DONE b\nDEADLINE: <2026-01-06 Tue>\n* DONE c\nDEADLINE: <2026-01-20 Tue>", ""},
		{"repeater", "* TODO a\nSCHEDULED: <2026-01-05 Mon +2d>", "01-07 Sched. 2x: |TODO a\n01-09 Scheduled: |TODO a"},
		{"delay", "* TODO a\nSCHEDULED: <2026-01-06 Tue -2d>", ""},
		{
			"warning", "* TODO a\nDEADLINE: <2026-01-21 Wed>\n* TODO b\nDEADLINE: <2026-01-22 Thu>\n* TODO c\nDEADLINE: <2026-01-12 Mon -5d>",
			"01-07 In   5 d.: |TODO c\n01-07 In  14 d.: |TODO a",
		},
		{"overdue", "* TODO a\nDEADLINE: <2026-01-04 Sun>", "01-07  3 d. ago: |TODO a"},
		{"both", "* TODO a\nDEADLINE: <2026-01-08 Thu> SCHEDULED: <2026-01-08 Thu>", "01-07 In   1 d.: |TODO a\n01-08 Scheduled: |TODO a\n01-08 Deadline:  |TODO a"},
		{"range", "* a\n<2026-01-06 Tue>--<2026-01-08 Thu>", "01-07 (2/3): |a\n01-08 (3/3): |a"},
		{"inactive", "* a\n[2026-01-07 Wed]", ""},
		{"diary", "* a\n%%(org-anniversary 2000 1 8) %d%s birthday", "01-08 |26th birthday"},
		{"time of day", "* a 15:00\n<2026-01-07 Wed>\n* b\n<2026-01-07 Wed 09:00-10:00>\n* [#A] c\n<2026-01-07 Wed>", "01-07 9:00-10:00|b\n01-07 15:00|a \n01-07 |[#A] c"},
		{"planning behind a blank line", "* a\n\nDEADLINE: <2026-01-08 Thu>", "01-08 |a"},
		{"skipped", "* COMMENT a\n** b\n<2026-01-07 Wed>\n* c :ARCHIVE:\n** d\n<2026-01-07 Wed>", ""},
		{"text that is not Org", "* a\n#+begin_src x\n<2026-01-07 Wed>\n#+end_src\n# <2026-01-07 Wed>\n: <2026-01-07 Wed>\n=<2026-01-07 Wed>=", ""},
		{"malformed", "* a\nSCHEDULED: <soon> DEADLINE: <2026-1-7>\n<2026-01-07 Wed\n<%%(>\n<%%(diary-float t)>\n%%(unknown 1) x\n%%(", ""},
	} {
		if got := agenda(parse(t, c.text, nil), 3); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// A hidden subtree is in no agenda, and neither are its marks on others.
func TestListWithoutHidden(t *testing.T) {
	text := "* a\n<2026-01-07 Wed>\n** secret\n<2026-01-07 Wed>\n*** below\nDEADLINE: <2026-01-07 Wed>\n* b\n<2026-01-07 Wed>\n"
	v := parse(t, text, func(f *orgfile.File, i int) bool { return f.Text(f.Headlines[i].Title) == "secret" })
	if got, want := agenda(v, 1), "01-07 |a\n01-07 |b"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What only Emacs can evaluate is named.
func TestUnsupported(t *testing.T) {
	d := Scan(parse(t, "* a\n%%(org-calendar-holiday)\n* b\n<%%(diary-float t 3 1)>\nSCHEDULED: <2026-01-05 Mon>\n", nil))
	if got := d.Unsupported(); len(got) != 1 || got[0].Headline != 0 || got[0].Expression != "%%(org-calendar-holiday)" {
		t.Errorf("unsupported are %+v", got)
	}
}

func TestHabit(t *testing.T) {
	text := "* TODO run\nSCHEDULED: <2026-01-06 Tue .+2d/4d>\n:PROPERTIES:\n:STYLE: habit\n:END:\n:LOGBOOK:\n" +
		"- State \"DONE\"       from \"TODO\"       [2026-01-04 Sun 10:00]\n- State \"TODO\"       from \"DONE\"       [2026-01-03 Sat 10:00]\n" +
		"- State \"DONE\"       from \"TODO\"       [2025-12-31 Wed 10:00]\n- State \"DONE\"       from \"TODO\"       [2025-12-25 Thu 10:00]\n:END:\n"
	v := parse(t, text, nil)
	h, err := ParseHabit(v, 0)
	if err != nil {
		t.Fatal(err)
	}
	if h.Every != 2 || h.Limit != 4 || h.Mark != ".+" || len(h.Done) != 3 || h.State(today) != HabitReady || h.State(today+1) != HabitDue || h.State(today+2) != HabitOverdue {
		t.Errorf("habit is %+v", h)
	}
	if got := h.Priority(today); got != 1010 {
		t.Errorf("priority is %d", got)
	}
	on := func(s *orgfile.Settings) { s.Agenda.Habits = true }
	if got, want := agenda(parse(t, text+"* z\n<2026-01-07 Wed>\n", nil, on), 5), "01-07 |z\n01-07 |TODO run"; got != want {
		t.Errorf("agenda with habits is\n%s\nwant\n%s", got, want)
	}
	// As Emacs colours its graph, capital letters for days on which it was done.
	for repeater, want := range map[string]string{".+2d/4d": "wwwWwrrdoOwrrRwrr", "+2d/4d": "wwwWwwwwwWwwwRwrr", "++2d/4d": "wwwWwrrdoOwrrRwrr", ".+2d": "wwwWwdoooOwdoOwdo"} {
		h, err := ParseHabit(parse(t, strings.Replace(text, ".+2d/4d", repeater, 1), nil), 0)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, d := range h.History(today, 17) {
			letter := map[HabitState]string{HabitWaiting: "w", HabitReady: "r", HabitDue: "d", HabitOverdue: "o"}[d.State]
			if d.Done {
				letter = strings.ToUpper(letter)
			}
			got += letter
		}
		if got != want {
			t.Errorf("%s: history %s, want %s", repeater, got, want)
		}
	}
	for _, c := range []struct {
		text string
		want error
	}{
		{"* TODO a\nSCHEDULED: <2026-01-06 Tue .+2d>\n", ErrNotHabit},
		{"* TODO a\n:PROPERTIES:\n:STYLE: habit\n:END:\n", ErrNotScheduled},
		{"* TODO a\nSCHEDULED: <2026-01-06 Tue>\n:PROPERTIES:\n:STYLE: habit\n:END:\n", ErrNotScheduled},
		{"* TODO a\nSCHEDULED: <2026-01-06 Tue .+4d/2d>\n:PROPERTIES:\n:STYLE: habit\n:END:\n", ErrHabitInterval},
	} {
		if _, err := ParseHabit(parse(t, c.text, nil), 0); !errors.Is(err, c.want) {
			t.Errorf("%q: %v, want %v", c.text, err, c.want)
		}
	}
}
