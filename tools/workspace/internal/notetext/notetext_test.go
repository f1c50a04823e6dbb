package notetext

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const meeting = "# Weekly Sync\n\n## Date\n2025-11-29\n\n## Attendees\n- Alice\n- Bob\n"

func meetingClass(t testing.TB) *Class {
	t.Helper()
	c, err := ParseClass([]byte(`{"name": "Meeting", "fields": {"Date": {"type": "date", "required": true}, "Attendees": {"type": "list"},
		"Cost": {"type": "number"}, "Room": {"type": "string", "required": true}, "Notes": {"type": "markdown"}}, "defaults": {"Room": "Blue"}}`))
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

func TestMeetingOfTheSpec(t *testing.T) {
	text := Parse(meeting)
	got, problems := text.Properties(meetingClass(t))
	want := map[string]any{"Date": "2025-11-29", "Attendees": []any{"Alice", "Bob"}, "Room": "Blue"}
	if d := cmp.Diff(want, got); d != "" || problems != nil || text.Title != "Weekly Sync" {
		t.Errorf("title %q, problems %v, properties (-want +got):\n%s", text.Title, problems, d)
	}
}

func TestProperties(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       map[string]any
		problem    string
	}{
		{"a section wins over front matter", "---\nDate: 2024-01-01\n---\n## Date\n2025-1-2\n", map[string]any{"Date": "2025-01-02", "Room": "Blue"}, ""},
		{"front matter where the section is empty", "---\nDate: 2024-01-01\n---\n## Date\n\n## Room\nRed\n", map[string]any{"Date": "2024-01-01", "Room": "Red"}, ""},
		{"a heading in a fence is text", "## Date\n2025-01-02\n## Notes\n```\n## Room\nRed\n```\n", map[string]any{"Date": "2025-01-02", "Room": "Blue", "Notes": "```\n## Room\nRed\n```"}, ""},
		{"deeper headings end a value", "## Date\n2025-01-02\n### more\nx\n", map[string]any{"Date": "2025-01-02", "Room": "Blue"}, ""},
		{"and belong to markdown", "## Date\n2025-01-02\n## Notes\na\n### b\nc\n# d\n", map[string]any{"Date": "2025-01-02", "Room": "Blue", "Notes": "a\n### b\nc"}, ""},
		{"numbers", "## Date\n2025-01-02\n## Cost\n1.50\n", map[string]any{"Date": "2025-01-02", "Room": "Blue", "Cost": 1.5}, ""},
		{"no number", "## Date\n2025-01-02\n## Cost\ncheap\n", map[string]any{"Date": "2025-01-02", "Room": "Blue"}, `Cost: "cheap" is not a number`},
		{"a hexadecimal is no number", "## Date\n2025-01-02\n## Cost\n0x1p4\n", map[string]any{"Date": "2025-01-02", "Room": "Blue"}, `Cost: "0x1p4" is not a number`},
		{"required", "# a\n", map[string]any{"Room": "Blue"}, "Date: class Meeting requires it; write a section: ## Date"},
		{"a moment", "## Date\n2025-11-29T12:00:00+02:00\n", map[string]any{"Date": "2025-11-29T10:00:00Z", "Room": "Blue"}, ""},
		{"a list is no string", "---\nRoom: [a]\n---\n## Date\n2025-01-02\n", map[string]any{"Date": "2025-01-02"}, "Room: it must be text, not a list or a mapping"},
		{"other properties stay as they are", "---\nn: 3\n---\n## Date\n2025-01-02\n## Other\n- x\n", map[string]any{"Date": "2025-01-02", "Room": "Blue", "n": int64(3), "Other": "- x"}, ""},
		{"a line of items and others", "## Date\n2025-01-02\n## Attendees\n* A\nB\n-\n-c\n", map[string]any{"Date": "2025-01-02", "Room": "Blue", "Attendees": []any{"A", "B", "-c"}}, ""},
	} {
		got, problems := Parse(c.text).Properties(meetingClass(t))
		var said string
		for _, p := range problems {
			said += p.Field + ": " + p.Message
		}
		if d := cmp.Diff(c.want, got); d != "" || said != c.problem {
			t.Errorf("%s: problems %q, want %q; properties (-want +got):\n%s", c.name, said, c.problem, d)
		}
	}
}

func TestTagsAndLinks(t *testing.T) {
	text := Parse("---\ntags: [a, '#b']\nclass: Task\ntitle: T\n---\nSee [[Page one|one]], [[Page#part]] and `[[not]]`, [file](Other%20note.md), ieapp://ws/notes/n-1.\n" +
		"#tag #[[two words]] no#tag #1 <workspace://w/notes/n2> ![](attachments/pic.png) [out](https://x.org/a.md)\n\n```\n[[not]] #not\n```\n\n> [[quoted]]\n\n- [[in list]]\n")
	want := Text{
		FrontMatter: map[string]any{"tags": []any{"a", "#b"}, "class": "Task", "title": "T"}, Title: "T", Class: "Task", Tags: []string{"a", "b", "two words", "tag"},
		Links: []Link{
			{"Other note", "file"}, {"n2", "uri"}, {"attachments/pic.png", "attachment"}, {"Page one", "wiki"}, {"Page", "wiki"}, {"n-1", "uri"}, {"quoted", "wiki"}, {"in list", "wiki"},
		},
	}
	if d := cmp.Diff(want, text, cmp.AllowUnexported(Section{})); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestBadFrontMatter(t *testing.T) {
	for _, c := range []struct{ text, problem string }{
		{"---\na: [\n---\n", "the front matter is not valid YAML near line 3"},
		{"---\n- a\n---\n", "the front matter is not a list of keys and values"},
		{"---\na: &a [x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c, *c]\n---\n", "the front matter is nested too deeply or has too many values"},
		{"---\na: b\n", ""},
	} {
		if got := Parse(c.text); got.Problem != c.problem || len(got.FrontMatter) > 0 {
			t.Errorf("%q: problem %q, fields %v", c.text, got.Problem, got.FrontMatter)
		}
	}
}

func TestClasses(t *testing.T) {
	for _, c := range []struct{ class, problem string }{
		{`{"name": ""}`, "name must be"},
		{`{"name": "types"}`, "name must be"},
		{`{"name": "A", "fields": {"F": {"type": "int"}}}`, `fields.F.type: "int" is not a type`},
		{`{"name": "A", "fields": {" F": {"type": "list"}}}`, "fields. F: a field's name is one line"},
		{`{"name": "A", "defaults": {"F": 1}}`, "defaults.F: the class has no such field"},
		{`{"name": "A", "fields": {"F": {"type": "date"}}, "defaults": {"F": "soon"}}`, `defaults.F: "soon" is not a date`},
		{`{"name": "A", "feilds": {}}`, "feilds"},
	} {
		if _, err := ParseClass([]byte(c.class)); err == nil || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %v", c.class, err)
		}
	}
	got, err := InferClass("Meeting", []Text{Parse(meeting + "## Cost\n3\n"), Parse("---\nRoom: Red\n---\n## Attendees\n- C\n## Date\n2025-01-01\n## Cost\n\n## Log\na\n\nb\n")})
	want := map[string]Field{"Date": {Date, true}, "Attendees": {List, true}, "Cost": {Type: Number}, "Room": {Type: String}, "Log": {Type: Markdown}}
	if d := cmp.Diff(want, got.Fields); d != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, d)
	}
}

func TestSetSection(t *testing.T) {
	for _, c := range []struct {
		text  string
		value any
		want  string
	}{
		{meeting, "2026-01-01", strings.Replace(meeting, "2025-11-29", "2026-01-01", 1)},
		{"# A", "x", "# A\n\n## Date\nx\n"},
		{"", []any{"a", 1.5}, "## Date\n- a\n- 1.5\n"},
		{"## Date", "x", "## Date\nx\n"},
		{"# A\n", "one\n## Two\n", ""},
		{"# A\n", "```\n", "# A\n\n## Date\n```\n\n"},
		{"# A\n\n## Date\nx\n## B\ny\n", "```\n", ""},
		{"# A\n", "", ""},
	} {
		got, err := SetSection(c.text, "Date", c.value)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q with %v: %q, %v", c.text, c.value, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{meeting, "---\na: 1\n---\n# T\n## A\nx\n### b\n## C\n", "## a\n```\n## b\n", "[[a]] #b [c](d.md) `#e`\n", "\ufeff---\r\ntags: x\r\n---\r\n## A\r\n", "# a\n==\n## b ##\n"} {
		f.Add(s, "A", "value")
	}
	class := meetingClass(f)
	f.Fuzz(func(t *testing.T, markdown, name, value string) {
		text := Parse(markdown)
		at := 0
		for _, s := range text.Sections {
			if s.start < at || s.end < s.start || s.end > len(markdown) || strings.TrimSpace(markdown[s.start:s.end]) != s.Whole {
				t.Fatalf("section %q is at %d to %d after %d of %d", s.Name, s.start, s.end, at, len(markdown))
			}
			if !strings.HasPrefix(s.Whole, s.Value) {
				t.Fatalf("%q does not begin with %q", s.Whole, s.Value)
			}
			at = s.end
		}
		for _, c := range []*Class{nil, class} {
			properties, _ := text.Properties(c)
			if _, err := json.Marshal(properties); err != nil {
				t.Fatal(err)
			}
		}
		set, err := SetSection(markdown, name, value)
		if err != nil {
			return
		}
		after := Parse(set)
		if s := after.section(name); s == nil || s.Whole != strings.TrimSpace(value) {
			t.Fatalf("%q: %q is set to %q", set, name, value)
		}
		for i, s := range text.Sections {
			if s.Name != name && after.Sections[i].Whole != s.Whole {
				t.Fatalf("the section %q became %q", s.Whole, after.Sections[i].Whole)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		Parse(meeting)
	}
}
