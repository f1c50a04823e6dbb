package markdown

import (
	"testing"
	"time"
)

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
	} {
		if got, ok := formatDate(day, format); got != want || !ok {
			t.Errorf("%s: %q and not %q", format, got, want)
		}
	}
	for _, format := range []string{"gg", "Yes", "é YYYYYYY"} {
		if got, ok := formatDate(day, format); ok {
			t.Errorf("%s: %q", format, got)
		}
	}
}
