package markdown

import (
	"fmt"
	"strings"
	"testing"
)

// Tasks are found by their fields, in every mode, and ordered by them.
func TestTasksByFields(t *testing.T) {
	b := open(t, map[string]string{
		"t.md": "- [ ] late 📅 2026-12-20 🔽\n- [/] soon [due:: 2026-11-30] ⏫ 🔁 every week\n- [-] off 📅 2026-01-01 ❌ 2026-01-02\n- [x] was ⏳ 2026-01-01 ✅ 2026-01-03\n- [?] none\n",
	}, nil)
	find := func(args string) string {
		var got []string
		for _, m := range call[SearchPagesOut](b, "search_pages", `{"kind":"task",`+args+`}`).Matches {
			got = append(got, fmt.Sprintf("%d%s", m.MatchLine, m.Task.Status))
		}
		return strings.Join(got, " ")
	}
	for args, want := range map[string]string{
		`"property":"due<2026-12-01"`: "2in progress 3cancelled", `"property":"due<2026-12-01","tasks":"open"`: "2in progress", `"property":"priority=high"`: "2in progress",
		`"property":"status=?"`: "5?", `"property":"status=cancelled"`: "3cancelled", `"property":"recurrence"`: "2in progress", `"property":"done>=2026-01-03"`: "4done",
		`"sort":"due"`: "3cancelled 2in progress 1todo 4done 5?", `"sort":"priority","tasks":"open"`: "2in progress 5? 1todo",
		`"mode":"exact","query":"📅"`: "1todo 3cancelled", `"mode":"regex","query":"l.*2026-12"`: "1todo", `"mode":"fuzzy","query":"layte"`: "1todo",
		`"mode":"exact","query":"[?]"`: "5?",
	} {
		equal(t, args, want, find(args))
	}
	for _, args := range []string{`{"kind":"page","query":"x","sort":"due"}`, `{"kind":"attachment","query":"x","mode":"fuzzy"}`, `{"kind":"tag","query":"(","mode":"regex"}`, `{"kind":"task","property":"due<"}`} {
		b.refused("search_pages", args, "INVALID")
	}
	for args, want := range map[string]int{`{"kind":"tag","query":"HOME","mode":"exact"}`: 0, `{"kind":"heading","query":"^## B","mode":"regex"}`: 1, `{"kind":"attachment","query":"\\.png$","mode":"regex"}`: 1} {
		b.put("h.md", "# A\n## B\n#home\n")
		b.put("assets/i.png", "x")
		equal(t, args, want, call[SearchPagesOut](b, "search_pages", args).Total)
	}
}

// A task that recurs is followed by the next one, and days are added as the vault has it.
func TestTickTask(t *testing.T) {
	const today = "2026-11-21" // by the clock of the fixture
	for _, c := range []struct{ settings, before, action, after, note string }{
		{"", "- [ ] a 📅 2026-01-01\n", "check", "- [x] a 📅 2026-01-01\n", ""},
		{"", "  - [ ] a 🔁 every 2 days 📅 2026-01-01\n", "check", "  - [ ] a 🔁 every 2 days 📅 2026-01-03\n  - [x] a 🔁 every 2 days 📅 2026-01-01\n", ""},
		{"", "- [ ] a 🔁 every weekday 📅 2026-01-01\n", "check", "- [x] a 🔁 every weekday 📅 2026-01-01\n", "every weekday"},
		{"", "- [x] a 🔁 every day 📅 2026-01-01\n", "check", "- [x] a 🔁 every day 📅 2026-01-01\n", ""},
		{`{}`, "- [ ] a ^id\n", "check", "- [x] a ✅ " + today + " ^id\n", ""},
		{`{}`, "- [x] a ✅ 2026-01-01 ^id\n", "uncheck", "- [ ] a ^id\n", ""},
		{`{"setDoneDate":false}`, "- [ ] a\n", "check", "- [x] a\n", ""},
		{`{"globalFilter":"#task"}`, "- [ ] a\n", "check", "- [x] a\n", ""},
		{
			`{"taskFormat":"dataview","setCreatedDate":true,"recurrenceOnNextLine":true}`, "> - [ ] a [repeat:: every month] [due:: 2026-01-31]", "check",
			"> - [x] a [repeat:: every month] [due:: 2026-01-31] [completion:: " + today + "]\n> - [ ] a [repeat:: every month] [due:: 2026-02-28] [created:: " + today + "]", "",
		},
	} {
		files := map[string]string{".obsidian/app.json": "{}", "t.md": c.before}
		if c.settings != "" {
			files[".obsidian/plugins/obsidian-tasks-plugin/data.json"] = c.settings
		}
		b := open(t, files, nil)
		out := call[EditPageOut](b, "edit_page", fmt.Sprintf(`{"path":"t.md","action":%q,"lines":"1"}`, c.action))
		equal(t, c.before, c.after, call[ReadPageOut](b, "read_page", `{"path":"t"}`).Content)
		if !strings.Contains(out.Note, c.note) || (c.note == "") != (out.Note == "") {
			t.Errorf("%s: %q", c.before, out.Note)
		}
	}
}
