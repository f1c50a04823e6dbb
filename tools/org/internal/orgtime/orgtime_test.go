package orgtime

import (
	"fmt"
	"strings"
	"testing"
)

func day(t *testing.T, text string) Day {
	t.Helper()
	d, ok := parseDay("<" + text)
	if !ok {
		t.Fatalf("no date: %s", text)
	}
	return d
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"<2026-01-05 Mon>":                               "true 2026-01-05 2026-01-05 -1 -1 {0 0}  {0 0} false",
		"[2026-01-05 Mon 10:00-11:30] x":                 "false 2026-01-05 2026-01-05 600 690 {0 0}  {0 0} false",
		"<2026-01-05 Mon 09:00 ++1w -3d>":                "true 2026-01-05 2026-01-05 540 -1 {1 119} ++ {3 100} false",
		"<2026-01-05 Mon .+2d/4d --1w>":                  "true 2026-01-05 2026-01-05 -1 -1 {2 100} .+ {1 119} true",
		"<2026-01-05 Mon 10:00>--<2026-01-07 Wed 12:00>": "true 2026-01-05 2026-01-07 600 720 {0 0}  {0 0} false",
	} {
		s, ok := Parse(text)
		got := fmt.Sprint(s.Active, " ", s.Start.Date().Format("2006-01-02"), " ", s.End.Date().Format("2006-01-02"), " ", int(s.From), " ", int(s.To), " ", s.Repeat, " ", s.Mark, " ", s.Warning, " ", s.FirstOnly)
		if !ok || got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "2026-01-05", "<2026-1-5>", "<2026-01-05", "<soon>", "<%%(>", "<2026-01-05 Mon>--<soon>"} {
		if s, ok := Parse(text); ok {
			t.Errorf("%q is taken for %+v", text, s)
		}
	}
}

// The days in a range on which a timestamp falls.
func TestFalls(t *testing.T) {
	for _, c := range []struct{ text, from, to, want string }{
		{"<2026-01-05 Mon>", "2025-12-01", "2026-02-01", "01-05"},
		{"<2026-01-05 Mon>--<2026-01-07 Wed>", "2026-01-01", "2026-01-31", "01-05 01-06 01-07"},
		{"<2026-01-05 Mon +1w>", "2025-12-01", "2026-01-20", "01-05 01-12 01-19"},
		{"<2026-01-05 Mon ++10d>", "2026-01-01", "2026-01-31", "01-05 01-15 01-25"},
		{"<2026-01-31 Sat +1m>", "2026-01-01", "2026-05-01", "01-31 02-28 03-31 04-30"},
		{"<2024-02-29 Thu +1y>", "2026-02-20", "2026-03-05", "02-28"},
		{"<2026-01-05 Mon 20:00 +12h>", "2026-01-05", "2026-01-08", "01-05 01-06 01-07 01-08"},
		{"<2026-01-05 Mon 10:00 +36h>", "2026-01-05", "2026-01-12", "01-05 01-06 01-08 01-09 01-11 01-12"},
		{"<%%(diary-float t 3 1)>", "2026-01-01", "2026-03-01", "01-07 02-04"},
		{"<%%(diary-float 2 5 -1)>", "2026-01-01", "2026-03-31", "02-27"},
		{"<%%(diary-date '(1 2) 15 t)>", "2026-01-01", "2026-03-31", "01-15 02-15"},
		{"<%%(diary-anniversary 1 9 1980)>", "2026-01-01", "2026-03-31", "01-09"},
		{"<%%(org-anniversary 1980 1 9)>", "2026-01-01", "2026-03-31", "01-09"},
		{"<%%(diary-cyclic 10 1 1 2026)>", "2025-12-01", "2026-01-25", "01-01 01-11 01-21"},
		{"<%%(org-block 2026 1 30 2026 2 2)>", "2026-01-01", "2026-03-31", "01-30 01-31 02-01 02-02"},
		{"<%%(diary-block 1 30 2026 2 2 2026)>", "2026-01-01", "2026-03-31", "01-30 01-31 02-01 02-02"},
		{"<%%(org-class 2026 1 1 2026 1 31 1 3)>", "2026-01-01", "2026-03-31", "01-05 01-19 01-26"},
	} {
		s, ok := Parse(c.text)
		if !ok {
			t.Errorf("%s cannot be read", c.text)
			continue
		}
		var got []string
		for d := day(t, c.from); d <= day(t, c.to); d++ {
			yes, known := s.Falls(d)
			if !known {
				t.Errorf("%s is not known", c.text)
			}
			if yes {
				got = append(got, d.Date().Format("01-02"))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s falls on %v, want %s", c.text, got, c.want)
		}
	}
	for _, text := range []string{"<%%(org-calendar-holiday)>", "<%%(diary-float t 3)>", "<%%(and t t)>", "<%%(diary-cyclic 0 1 1 2026)>"} {
		s, _ := Parse(text)
		if _, known := s.Falls(0); known {
			t.Errorf("%s is known", text)
		}
	}
}

func TestNext(t *testing.T) {
	for text, want := range map[string]string{
		"<2026-01-05 Mon>": "", "<2026-02-05 Thu>": "2026-02-05", "<2026-01-05 Mon +1w>": "2026-01-12", "<2026-01-07 Wed +1d>": "2026-01-08",
		"<2025-10-31 Fri +1m>": "2026-01-31", "<2020-02-29 Sat +1y>": "2026-02-28", "<2026-01-05 Mon 10:00 +36h>": "2026-01-08",
	} {
		s, _ := Parse(text)
		next, ok := s.Next(day(t, "2026-01-07"))
		if got := next.Date().Format("2006-01-02"); ok != (want != "") || ok && got != want {
			t.Errorf("%s: next is %s, %v, want %s", text, got, ok, want)
		}
	}
}
