package markdown

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The notes of longer times are where the plugin for them would make them, whichever
// version has written its settings.
func TestPeriodicNotes(t *testing.T) {
	const v0 = `{"daily":{"enabled":true,"folder":"Days"},"weekly":{"format":"","folder":"Weeks","template":"Templates/Week","enabled":true},
		"monthly":{"format":"YYYY/MM-MMMM","folder":"","enabled":true},"quarterly":{"enabled":false,"folder":"Not"},"yearly":{"enabled":true,"folder":"Years/","format":"[Year] YYYY"}}`
	const v1 = `{"activeCalendarSet":"Mine","calendarSets":[{"id":"Default","week":{"enabled":true,"folder":"No"}},{"id":"Mine","week":{"enabled":true,"folder":"W","format":"GGGG-[W]WW"},"year":{"enabled":true,"templatePath":"Templates/Year.md"}}]}`
	b := open(t, map[string]string{
		".obsidian/plugins/periodic-notes/data.json": v0, ".obsidian/plugins/calendar/data.json": `{"weekStart":"monday"}`,
		"Templates/Week.md": "# {{title}} {{date}}\n{{monday:dddd D}} {{sunday:dddd D}} {{date+7d:gggg-[W]ww}} {{date-1y:YYYY}} {{tomorrow:DD}} {{nothing}}\n", "Templates/Year.md": "Year {{date:YYYY}}\n",
	}, nil)
	for period, want := range map[string]string{
		"day": "Days/2026-11-19.md ", "month": "2026/11-November.md ", "quarter": "2026-Q4.md ", "year": "Years/Year 2026.md ",
		"week": "Weeks/2026-W47.md # 2026-W47 2026-W47\nMonday 16 Sunday 22 2026-W48 2025 17 {{nothing}}\n",
	} {
		out := call[CreateDailyNoteOut](b, "create_daily_note", fmt.Sprintf(`{"period":%q,"date":"2026-11-19"}`, period))
		equal(t, period, want, out.Path+" "+out.Content)
	}
	again := call[CreateDailyNoteOut](b, "create_daily_note", `{"interval":"week","date":"2026-11-22"}`)
	if again.Created || again.Path != "Weeks/2026-W47.md" {
		t.Errorf("%+v", again)
	}
	b.put(".obsidian/plugins/periodic-notes/data.json", v1)
	equal(t, "week of version 1", "W/2026-W47.md", call[CreateDailyNoteOut](b, "create_daily_note", `{"period":"week","date":"2026-11-19"}`).Path)
	equal(t, "year of version 1", "2026.md Year 2026\n", func() string {
		out := call[CreateDailyNoteOut](b, "create_daily_note", `{"period":"year","date":"2026-11-19"}`)
		return out.Path + " " + out.Content
	}())
	b.put(".obsidian/plugins/periodic-notes/data.json", `{}`)
	b.put(".obsidian/plugins/calendar/data.json", `{"weeklyNoteFormat":"[KW]ww","weeklyNoteFolder":"Cal"}`)
	equal(t, "week of the calendar plugin", "Cal/KW47.md", call[CreateDailyNoteOut](b, "create_daily_note", `{"period":"week","date":"2026-11-19"}`).Path)
	b.refused("create_daily_note", `{"period":"decade"}`, "INVALID")
	g := open(t, map[string]string{"logseq/config.edn": "{}"}, nil)
	g.refused("create_daily_note", `{"period":"week"}`, "INVALID")
}

// Weeks are numbered as moment.js 2.29.4 does in English, with weeks that begin on
// Sunday, Monday and Saturday.
func TestWeekNumbers(t *testing.T) {
	lines, err := os.ReadFile(filepath.Join("testdata", "weeks.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		var day, want string
		var start int
		if _, err := fmt.Sscan(line, &day, &start, &want); err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.DateOnly, day)
		if got, _ := formatDate(at, "gggg-[W]ww", weekStart(start)); got != want || err != nil {
			t.Errorf("%s, weeks from %d: %s and not %s", day, start, got, want)
		}
	}
}

// A page begins with a template of the vault, by its path or its name, and then has
// what the agent writes.
func TestCreatePageFromTemplate(t *testing.T) {
	b := open(t, map[string]string{
		".obsidian/templates.json": `{"folder":"Templates","dateFormat":"DD.MM.YYYY"}`, "Templates/Meeting.md": "---\ntype: meeting\n---\n# {{title}}\n{{date}} {{time}}\n", "Other.md": "{{title}}",
	}, nil)
	dry := call[CreatePageOut](b, "create_page", `{"title":"Sync: Monday","template":"meeting","dry_run":true}`)
	if !strings.Contains(dry.Diff, "+type: meeting") {
		t.Errorf("%q", dry.Diff)
	}
	call[CreatePageOut](b, "create_page", `{"title":"Sync","template":"Meeting","content":"- notes\n"}`)
	equal(t, "page", "---\ntype: meeting\n---\n# Sync\n21.11.2026 08:00\n\n- notes\n", b.get("Sync.md"))
	call[CreatePageOut](b, "create_page", `{"title":"By path","template":"Other.md"}`)
	equal(t, "page", "By path", b.get("By path.md"))
	b.refused("create_page", `{"title":"x","template":"None"}`, "NOT_FOUND")
	b.refused("create_page", `{"title":"x","template":"../out.md"}`, "DENIED")
	b.refused("create_page", `{"title":"x","template":"Meeting","content":"---\na: b\n---\n"}`, "INVALID")
}

// Journals and pages of a Logseq graph begin with its templates, which are blocks.
func TestLogseqTemplates(t *testing.T) {
	b := open(t, map[string]string{
		"logseq/config.edn":  `{:default-templates {:journals "Daily Log"} :file/name-format :triple-lowbar}`,
		"pages/templates.md": "- Templates\n\t- Daily\n\t  template:: daily log\n\t  template-including-parent:: false\n\t\t- ## Log\n\t\t\t- TODO <% today %> and <% yesterday %>\n\t\t- at <% time %> <% current page %> <% next friday %>\n\t- Meeting\n\t  template:: Meeting\n\t  type:: call\n\t\t- Who\n- End\n",
	}, nil)
	out := call[CreateDailyNoteOut](b, "create_daily_note", `{"date":"2026-11-03"}`)
	equal(t, "journal", "journals/2026_11_03.md - ## Log\n\t- TODO [[Nov 3rd, 2026]] and [[Nov 2nd, 2026]]\n- at 08:00 [[Nov 3rd, 2026]] <% next friday %>\n", out.Path+" "+out.Content)
	page := call[CreatePageOut](b, "create_page", `{"title":"Call","template":"meeting"}`)
	equal(t, "page", "- Meeting\n  type:: call\n\t- Who\n", b.get(page.Path))
	b.refused("create_page", `{"title":"x","template":"None"}`, "NOT_FOUND")
	b.put("logseq/config.edn", "{}")
}

// The note of a day is where the application would make it, and begins as its
// template says.
func TestCreateDailyNote(t *testing.T) {
	template := "# {{title}}\n{{date:dddd, MMMM Do}} {{ time }} {{date}} {{other}} {{\n"
	for name, c := range map[string]struct {
		files      map[string]string
		path, text string
	}{
		"plain":    {map[string]string{"A.md": ""}, "2026-11-03.md", ""},
		"logseq":   {map[string]string{"logseq/config.edn": "{}"}, "journals/2026_11_03.md", ""},
		"obsidian": {map[string]string{".obsidian/app.json": "{}"}, "2026-11-03.md", ""},
		"settings": {map[string]string{
			".obsidian/daily-notes.json": `{"folder":"Daily","format":"YYYY/[W]WW/YYYY-MM-DD","template":"Templates/Day"}`, "Templates/Day.md": template,
		}, "Daily/2026/W45/2026-11-03.md", "# 2026-11-03\nTuesday, November 3rd 08:00 2026-11-03 {{other}} {{\n"},
		"periodic": {map[string]string{
			".obsidian/daily-notes.json": `{"folder":"Daily"}`, ".obsidian/plugins/periodic-notes/data.json": `{"daily":{"enabled":true,"folder":"Days/","format":""}}`,
		}, "Days/2026-11-03.md", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, c.files, nil)
			dry := call[CreateDailyNoteOut](b, "create_daily_note", `{"date":"2026-11-03","dry_run":true}`)
			if _, there := b.files()[c.path]; there || dry.Created {
				t.Error("a dry run has written it")
			}
			out := call[CreateDailyNoteOut](b, "create_daily_note", `{"date":"2026-11-03"}`)
			equal(t, "path", c.path, out.Path)
			equal(t, "text", c.text, b.get(out.Path))
			equal(t, "answer", c.text, out.Content)
			b.put(c.path, "written by hand\n")
			again := call[CreateDailyNoteOut](b, "create_daily_note", `{"date":"2026-11-03"}`)
			if again.Created || again.Content != "written by hand\n" || again.Path != c.path {
				t.Errorf("%+v", again)
			}
		})
	}
	b := open(t, map[string]string{".obsidian/daily-notes.json": `{"format":"YYYY-xx","template":"None"}`}, nil)
	b.refused("create_daily_note", `{}`, "INVALID")
	b.refused("create_daily_note", `{"date":"tomorrow"}`, "INVALID")
	b.put(".obsidian/daily-notes.json", `{"template":"None"}`)
	b.refused("create_daily_note", `{}`, "NOT_FOUND")
}

func TestFormatDate(t *testing.T) {
	day := time.Date(2027, 1, 2, 15, 4, 5, 0, time.UTC)
	for format, want := range map[string]string{
		"YY.M.D Q [Q]Q": "27.1.2 1 Q1", "GGGG-[W]W": "2026-W53", "MMM ddd DDDD Do": "Jan Sat 002 2nd", "HH:mm:ss": "15:04:05", "[YYYY": "[2027",
		"gg": "27", "ww w": "01 1", "dd d E": "Sa 6 6", "H h hh m s A a": "15 3 03 4 5 PM pm", "DDD DDDD": "2 002", "YYYY-MM-DD[@weekly]": "2027-01-02@weekly", "GG": "26",
	} {
		if got, ok := formatDate(day, format, 0); got != want || !ok {
			t.Errorf("%s: %q and not %q", format, got, want)
		}
	}
	for _, format := range []string{"SSS", "Yes", "é YYYYYYY"} {
		if got, ok := formatDate(day, format, 0); ok {
			t.Errorf("%s: %q", format, got)
		}
	}
}
