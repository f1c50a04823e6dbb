package taskfields

import "testing"

func TestParse(t *testing.T) {
	for text, want := range map[string]Fields{
		"call 📅 2026-12-05 ⏳2026-12-01 🛫 2026-11-30 ➕ 2026-11-01 ⏫ 🔁 every 2 weeks when done ✅ 2026-12-06": {
			Status: "done", Due: "2026-12-05", Scheduled: "2026-12-01", Start: "2026-11-30", Created: "2026-11-01", Priority: "high", Recurrence: "every 2 weeks when done", Done: "2026-12-06",
		},
		"x [due:: 2026-01-02] (scheduled:: 2026-01-01) [priority:: low] [repeat:: every day] [completion:: 2026-01-03]": {
			Status: "done", Due: "2026-01-02", Scheduled: "2026-01-01", Priority: "low", Recurrence: "every day", Done: "2026-01-03",
		},
		"due 📅 soon [due:: soon]": {Status: "done"},
	} {
		if got := Parse(text, "x", ""); got != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestNext(t *testing.T) {
	for text, want := range map[string]string{
		"a 🔁 every 2 days 📅 2026-01-30":                                     "a 🔁 every 2 days 📅 2026-02-01",
		"a 🔁 every month ⏳ 2026-01-29 📅 2026-01-31 ✅ 2026-02-03 ^x":         "a 🔁 every month ⏳ 2026-02-26 📅 2026-02-28",
		"a 🔁 every week when done 📅 2026-01-01 🛫 2025-12-31":                "a 🔁 every week when done 📅 2026-03-08 🛫 2026-03-07",
		"a [repeat:: every year] [due:: 2024-02-29] [created:: 2020-01-01]": "a [repeat:: every year] [due:: 2025-02-28]",
		"a 🔁 every day": "a 🔁 every day",
	} {
		f := Parse(text, " ", "")
		r, ok := ReadRule(f.Recurrence)
		if got := Next(text, f, r, "2026-03-01"); !ok || got != want {
			t.Errorf("%s: %s, %v", text, got, ok)
		}
	}
	for _, rule := range []string{"every weekday", "every 0 days", "every month on the 1st", "", "daily"} {
		if r, ok := ReadRule(rule); ok {
			t.Errorf("%s: %+v", rule, r)
		}
	}
}
