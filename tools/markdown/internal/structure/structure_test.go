package structure_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

func TestHeadings(t *testing.T) {
	const page = "---\nk: v\n---\n# A #\nx\n```\n# no\n```\n## B\ny\n\nC\n---\n### D\n# B\n    # no\n"
	body := strings.Index(page, "# A")
	lines := structure.Lines(page, body)
	var got []string
	for _, h := range structure.Headings(page, lines) {
		got = append(got, fmt.Sprintf("%d %s line %d %q", h.Level, strings.Join(h.Path, "/"), h.Line, page[h.Content:h.End]))
	}
	want := []string{
		`1 A line 4 "x\n` + "```\\n# no\\n```" + `\n## B\ny\n\nC\n---\n### D\n"`,
		`2 A/B line 9 "y\n\n"`, `2 A/C line 12 "### D\n"`, `3 A/C/D line 14 ""`, `1 B line 15 "    # no\n"`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for name, want := range map[string]int{"b": 2, "## B": 1, "# B": 1, "A#B": 1, "A#C#D": 1, "A#D": 1, "B#D": 0, "D": 1, "C #": 1, "C: #": 1, ":": 0, "#A#B": 1} {
		n := 0
		for _, h := range structure.Headings(page, lines) {
			if h.Matches(name) {
				n++
			}
		}
		if n != want {
			t.Errorf("%q matches %d headings, want %d", name, n, want)
		}
	}
}

// One dash underlines a heading too, but not in a list.
func TestUnderlinedByOneDash(t *testing.T) {
	for page, want := range map[string]int{"Yes\n-\n": 1, "Yes\n=\n": 1, "a\nYes\n   -  \nx\n": 1, "- a\n-\n": 0, "a\n\n-\n": 0, "> a\n> -\n": 0, "a\n    -\n": 0, "a\n- b\n": 0} {
		if got := structure.Headings(page, structure.Lines(page, 0)); len(got) != want {
			t.Errorf("%q: %+v", page, got)
		}
	}
}

// A heading that is underlined may have several lines, and is named by all or by the last.
func TestUnderlinedHeadings(t *testing.T) {
	for page, want := range map[string]string{
		"Foo\nbar\n---\ntext\n":       "Foo bar 1 \"text\\n\"",
		"x\n\n  A\n      b\nc\n===\n": "A b c 3 \"\"",
		"> a\n> b\n> ---\n":           "",
		"- a\n  b\n  ---\n":           "",
	} {
		got := ""
		for _, h := range structure.Headings(page, structure.Lines(page, 0)) {
			got += fmt.Sprintf("%s %d %q", h.Text, h.Line, page[h.Content:h.End])
			if last := h.Written[strings.LastIndex(h.Written, "\n")+1:]; !h.Matches(h.Text) || !h.Matches(last) {
				t.Errorf("%q is not named by %q and %q", page, h.Text, last)
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s", page, got, want)
		}
	}
}

// Headings and tasks in HTML, comments and display maths are none; what has no end is text.
func TestRawLines(t *testing.T) {
	for page, want := range map[string]string{
		"<!--\n# a\n\n- [ ] b\n-->\n# c\n":     "c",
		"<!-- a -->\n# b\n":                    "b",
		"<div>\n# a\n</div>\n\n# b\n":          "b",
		"x <!--\n# a\n-->\n":                   "a",
		"<details>\n\n# a\n\n</details>\n":     "a",
		"%%\n# a\n- [ ] b\n%%\n# c\n":          "c",
		"%% a %%\n# b\n":                       "b",
		"%%\n# a\n":                            "a",
		"$$\n# a\n\nb\n---\n$$\n# c\n":         "c",
		"$$ x $$\n# a\n":                       "a",
		"costs $$\n# a\n$$\n# b\n":             "a b",
		"- $$\n  # a\n\n# b\n$$\n":             "b",
		"> <!--\n# a\n-->\n":                   "a",
		"<pre>\n\n# a\n</PRE>\n# b\n":          "b",
		"text\n<span>\n# a\n":                  "a",
		"<span class=\"x\">\n# a\n\n- [ ] b\n": "- b",
	} {
		var got []string
		lines := structure.Lines(page, 0)
		for _, task := range structure.Tasks(page, lines) {
			got = append(got, "- "+task.Text)
		}
		for _, h := range structure.Headings(page, lines) {
			got = append(got, h.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", page, got, want)
		}
	}
}

// What an id names, by where it stands; what looks like one elsewhere names nothing.
func TestIDs(t *testing.T) {
	for page, want := range map[string]string{
		"a\nb ^x\n":                      `x="a\nb ^x"`,
		"a ^x\nb":                        "",
		"a ^x b\n":                       "",
		"a^x\n":                          "",
		"a ^x_y\n":                       "",
		"a\n^x":                          `x="a\n^x"`,
		"^x\n":                           `x="^x"`,
		"```\na ^x\n```\n\n    b ^y\n":   "",
		"`a\n^x`\n":                      "",
		"<!-- a ^x\n-->\n%%\nb ^y\n%%\n": "",
		"```\na\n```\n\n\n\n^x\n":        "x=\"```\\na\\n```\"",
		"```\na\n```\n^x\n":              "x=\"```\\na\\n```\"",
		"- a\n- b\n\n^x\n":               `x="- a\n- b"`,
		"- a\n- b\n^x\n":                 `x="- b\n^x"`,
		"- a\n  - b\n\n  ^x\n- c\n":      `x="- b"`,
		"- a ^x\n  - b\n- c\n":           `x="- a ^x\n  - b"`,
		"- a\n\n  b ^x\n":                `x="b ^x"`,
		"1. a\n\n   ^x\n":                `x="1. a\n\n   ^x"`,
		"> a\n\n^x\n":                    `x="> a"`,
		"> a\n>\n> b\n^x\n":              `x="> a\n>\n> b\n^x"`,
		"> a ^x\n>\n> b ^y\n":            `x="a ^x" y="b ^y"`,
		"> a ^x\n":                       `x="> a ^x"`,
		"| a |\n|-|\n| b | ^y\n\n^x\n":   `y="| b | ^y" x="| a |\n|-|\n| b | ^y"`,
		"| a |\n|-|\n^x\n^y\n":           `x="| a |\n|-|\n^x\n^y" y="| a |\n|-|\n^x\n^y"`,
		"# a ^x\n\nb ^y\n===\n":          `x="# a ^x" y="b ^y\n==="`,
		"$$\na ^z\n$$ ^x\n":              `x="$$\na ^z\n$$ ^x"`,
		"<div>\n</div>\n\n^x\n\n^y\n":    `x="<div>\n</div>" y="<div>\n</div>"`,
		"a ^X\n\nb ^x-1\n":               `X="a ^X" x-1="b ^x-1"`,
	} {
		var got []string
		for _, id := range structure.Read(page, 0).IDs() {
			got = append(got, fmt.Sprintf("%s=%q", id.Name, page[id.Of.Start:id.Of.End]))
			if !strings.HasSuffix(page[:id.End], "^"+id.Name) || id.Start > id.End {
				t.Errorf("%q: ^%s is said to stand at %q", page, id.Name, page[id.Start:id.End])
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q:\n got %s\nwant %s", page, strings.Join(got, " "), want)
		}
	}
}

func TestBlocksAndTasks(t *testing.T) {
	const page = "one\ntwo ^a\n\n- [ ] first\n  more ^b-1\n- [x] second\n> - [/] third\n\n| t |\n\n^c\n\n```\n- [ ] no ^d\n```\n1. [ ]\nx^no\n"
	lines := structure.Lines(page, 0)
	var got []string
	for _, id := range structure.Read(page, 0).IDs() {
		got = append(got, fmt.Sprintf("%s %q", id.Name, page[id.Of.Start:id.Of.End]))
	}
	for _, task := range structure.Tasks(page, lines) {
		got = append(got, fmt.Sprintf("%v %q %q %d", task.Done, page[task.Mark:task.Mark+1], task.Text, task.Line))
	}
	want := []string{
		`a "one\ntwo ^a"`, `b-1 "- [ ] first\n  more ^b-1"`, `c "| t |"`,
		`false " " "first" 4`, `true "x" "second" 6`, `false "/" "third" 7`, `false " " "" 16`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
