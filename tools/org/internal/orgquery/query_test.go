package orgquery

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

var now = time.Date(2026, 1, 7, 10, 0, 0, 0, time.UTC)

const notes = `#+CATEGORY: cat
#+FILETAGS: :file:
* TODO [#A] report :work:
DEADLINE: <2026-01-10 Sat> SCHEDULED: <2026-01-07 Wed 09:00>
:PROPERTIES:
:ID: one
:Effort: 1:30
:END:
Annual Figures see [[https://example.org][the page]]
** NEXT [#C] chapter
DEADLINE: <2026-02-01 Sun>
CLOCK: [2026-01-05 Mon 09:00]--[2026-01-05 Mon 10:00] =>  1:00
#+begin_src go
x
#+end_src
* DONE old things
CLOSED: [2025-12-24 Wed 10:00] SCHEDULED: <2025-12-24 Wed>
* plain ümlaut :home:
<2026-01-05 Mon>--<2026-01-09 Fri>
* COMMENT quiet
** below
* shelf :ARCHIVE:
* TODO habit
SCHEDULED: <2026-01-07 Wed .+2d>
:PROPERTIES:
:STYLE: habit
:END:
`

func view(t *testing.T, hide string) *orgfile.View {
	t.Helper()
	settings := orgfile.DefaultSettings()
	settings.Todo = orgfile.ParseTodo([]orgfile.TodoLine{{Type: "sequence", Words: []string{"TODO", "NEXT", "|", "DONE"}}})
	f, err := orgfile.Parse([]byte(notes), "dir/notes.org", settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	return orgfile.NewView(f, func(i int) bool { return f.Text(f.Headlines[i].Title) == hide })
}

func find(t *testing.T, v *orgfile.View, query string, o Options) string {
	t.Helper()
	q, err := Parse(query, now)
	if err != nil {
		return err.Error()
	}
	var titles []string
	for _, i := range q.Select(v, o) {
		titles = append(titles, v.File.Text(v.File.Headlines[i].Title))
	}
	return strings.Join(titles, "|")
}

func TestSelect(t *testing.T) {
	v := view(t, "")
	for query, want := range map[string]string{
		"todo:":                         "report|chapter|habit",
		"todo:NEXT":                     "chapter",
		"todo:NEXT,DONE":                "chapter|old things",
		"done:":                         "old things",
		"tags:work":                     "report|chapter",
		"tags-local:work":               "report",
		"tags-inherited:work":           "chapter",
		"tags:home,work":                "report|chapter|plain ümlaut",
		"tags-all:file,home":            "plain ümlaut",
		"priority:":                     "report|chapter",
		"priority:A,B":                  "report",
		"priority:>=B":                  "report",
		"priority:<B":                   "chapter",
		"level:2":                       "chapter",
		"level:<=1 todo:":               "report|habit",
		"category:cat level:2":          "chapter",
		"property:ID":                   "report",
		"property:id=one":               "report",
		"property:ID,two":               "",
		"id:one":                        "report",
		"effort:>=1:00":                 "report",
		"effort:>90":                    "",
		"heading:REPORT":                "report",
		"olp:rep,chap":                  "chapter",
		"path:NOTES level:2":            "chapter",
		"link:example":                  "report",
		"src:lang=go":                   "chapter",
		"src:python":                    "",
		"habit:":                        "habit",
		`regexp:"annual +fig"`:          "report",
		`"annual figures"`:              "report",
		"figures annual":                "report",
		"ÜMLAUT":                        "plain ümlaut",
		"deadline:":                     "report|chapter",
		"deadline:<=+7d":                "report",
		"deadline:auto":                 "report",
		"deadline:from=2026-01-11":      "chapter",
		"deadline:>3":                   "chapter",
		"scheduled:today":               "report|habit",
		"scheduled:on=2025-12-24":       "old things",
		"scheduled:from=-1,to=+1":       "report|habit",
		"closed:<today":                 "old things",
		"planning:<2026-01-01":          "old things",
		"ts-active:2026-01-07":          "report|plain ümlaut|habit",
		"ts:2025-12-24":                 "old things",
		"ts-inactive:":                  "chapter|old things",
		"clocked:2026-01-05":            "chapter",
		"clocked:>2026-01-05":           "",
		"!todo: !done:":                 "plain ümlaut",
		"not (todo: or done:)":          "plain ümlaut",
		"todo:NEXT or tags:home":        "chapter|plain ümlaut",
		"(todo: or done:) and !level:2": "report|old things|habit",
		"todo: AND NOT tags:work":       "habit",
		`tags:home or todo: heading:h`:  "chapter|plain ümlaut|habit",
	} {
		if got := find(t, v, query, Options{}); got != want {
			t.Errorf("%s finds %s, want %s", query, got, want)
		}
	}
	if got, want := find(t, v, "!todo: !done: level:<3", Options{Archived: true, Commented: true}), "plain ümlaut|quiet|below|shelf"; got != want {
		t.Errorf("with archived and commented: %s, want %s", got, want)
	}
	if got := find(t, view(t, "report"), "tags:work or figures or clocked:", Options{}); got != "" {
		t.Errorf("a hidden subtree is found: %s", got)
	}
}

func TestSyntaxErrors(t *testing.T) {
	for query, want := range map[string]string{
		"":                   "column 1: the query is empty",
		"  ":                 "column 3: the query is empty",
		"(todo:":             "column 1: the parenthesis is never closed",
		"todo: )":            "column 7: this parenthesis closes nothing",
		"()":                 "column 2: a term is expected before the parenthesis",
		`a "b`:               "column 3: the quote is never closed",
		`a ""`:               "column 3: the quotes are empty",
		"tag:x":              `column 1: unknown predicate "tag"; did you mean "tags"?`,
		"a https://x":        `column 3: unknown predicate "https"; put text with a colon in quotes`,
		"deadline:<=someday": "column 10: ",
		"deadline:at=today":  "column 10: deadline: takes a date, or on=",
		"priority:>=":        "column 12: a value is missing",
		"level:x":            `column 7: "x" is not a value for level:`,
		"todo:A,":            "column 7: a value is expected behind the comma",
		"ümlaut (todo:":      "column 8: the parenthesis is never closed",
		"a or":               "column 5: the query ends where a term is expected",
		"or a":               `column 1: a term is expected before "or"`,
		"not":                "column 1: a term is missing after the negation",
		"regexp:(":           "column 8: ",
		`todo:"a"b`:          "column 9: a blank or a comma is expected",
		"property:<a":        "column 1: property: takes KEY",
		"heading:":           "column 1: heading: needs a value",
	} {
		_, err := Parse(query, now)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.HasPrefix(err.Error(), "query, "+want) {
			t.Errorf("%q: %v, want query, %s…", query, err, want)
		}
	}
	if _, err := Parse(strings.Repeat("(", 5000), now); err == nil || !strings.Contains(err.Error(), "nested more than") {
		t.Errorf("5,000 parentheses: %v", err)
	}
}

func TestFinder(t *testing.T) {
	for _, c := range []struct {
		text, in string
		want     int
	}{
		{"abc", "xxABcx", 2}, {"abc", "ab", -1}, {"Straße", "die STRAßE", 4}, {"日本", "a日本語", 1}, {"", "x", 0}, {"zz", "z zz", 2}, {"q", "", -1}, {"ab", "aab", 1},
	} {
		if got := NewFinder(c.text).Index([]byte(c.in)); got != c.want {
			t.Errorf("%q in %q: %d, want %d", c.text, c.in, got, c.want)
		}
	}
}

// FuzzParse: a query is understood or refused with a column inside it, and what
// is understood can be carried out.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`todo:NEXT tags:work deadline:<=+7d "text"`, "(a or b) !c", "level:1,2 property:A=b", "src:lang=go,c", "not not x", "ts:from=-3,to=fri"} {
		f.Add(s)
	}
	settings := orgfile.DefaultSettings()
	file, err := orgfile.Parse([]byte(notes), "notes.org", settings, nil)
	if err != nil {
		f.Fatal(err)
	}
	v := orgfile.NewView(file, nil)
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text, now)
		var syntax *SyntaxError
		if err != nil {
			if !errors.As(err, &syntax) || syntax.Column < 1 || syntax.Column > len([]rune(text))+1 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if found := q.Select(v, Options{}); len(found) > len(file.Headlines) {
			t.Fatal(fmt.Sprint(found))
		}
	})
}

// FuzzFinder compares with what strings finds in lower case.
func FuzzFinder(f *testing.F) {
	f.Add("abc", "xxABC")
	f.Fuzz(func(t *testing.T, text, in string) {
		for _, s := range []string{text, in} {
			for _, r := range s {
				if r >= 0x80 {
					return
				}
			}
		}
		if got, want := NewFinder(text).Index([]byte(in)), strings.Index(strings.ToLower(in), strings.ToLower(text)); got != want {
			t.Fatalf("%q in %q: %d, want %d", text, in, got, want)
		}
	})
}
