package org_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/org"
)

// A date that is none is refused by everything that takes one.
func TestDatesThatAreNone(t *testing.T) {
	const file = "* TODO A\nSCHEDULED: <2026-01-05 Mon>\n"
	s := openFiles(t, map[string]string{"a.org": file}, org.Config{Vars: map[string]string{"org-capture-templates": `'(("p" "P" entry (file "a.org") "* x %^{Met}t"))`}})
	for _, date := range []string{"2026-13-01", "2026-02-30", "2026-00-10", "2026-12-32", "2026-W54-1", "2026-01-05 25:10"} {
		for tool, args := range map[string]string{
			"org-get-agenda-items": `{"date":"%s"}`, "org-get-agenda": `{"view":"day","date":"%s"}`, "org-query": `{"query":"deadline:\"%s\""}`, "org-clock-report": `{"from":"%s"}`,
			"org-schedule-task": `{"resourceUri":"org://a.org/headline/A","scheduled":"%s"}`, "org-set-planning": `{"uri":"org://a.org/headline/A","deadline":"%s"}`,
			"org-set-properties": `{"resourceUri":"org://a.org/headline/A","properties":{"DEADLINE":"%s"}}`, "org-add-todo": `{"title":"x","deadline":"%s"}`,
			"org-bulk-update": `{"edits":[{"resourceUri":"org://a.org/headline/A","deadline":"%s"}]}`, "org-capture": `{"template":"p","answers":{"Met":"%s"}}`,
			"org-get-todos": `{"deadline":{"from":"%s"}}`,
		} {
			if out := s.fails(tool, fmt.Sprintf(args, date), ""); out["error"] != "Invalid request" {
				t.Errorf("%s with %s: %v", tool, date, out["error"])
			}
		}
	}
	for _, span := range []string{`"to":"2026-99-99"`, `"from":"2026-11-02 10:00"`, `"from":"2026-1-2"`, `"from":"fri"`, `"from":"2026-02-02","to":"2026-02-01"`} {
		s.fails("org-get-todos", `{"scheduled":{`+span+`}}`, "scheduled")
	}
	s.holds("a.org", file)
}

// A state that no file knows is refused where it filters, with those that there are.
func TestUnknownStatesInFilters(t *testing.T) {
	s := openFiles(t, map[string]string{"a.org": "* TODO A\n", "b.org": "#+TODO: IDEA | PAST\n* IDEA B\n", "c.org": "#+FILETAGS: :secret:\n#+TODO: HIDDEN\n* HIDDEN C\n"}, org.Config{}, "#secret")
	for _, call := range [][2]string{
		{"org-get-todos", `{"states":["TODO","IDEA","PAST"]}`},
		{"org-get-todos", `{"states":["IDEA"],"files":["b.org"]}`},
		{"org-query", `{"query":"todo:TODO,IDEA or done:PAST"}`},
		{"org-query", `{"query":"!todo:DONE"}`},
	} {
		s.must(call[0], call[1])
	}
	for _, call := range [][2]string{
		{"org-get-todos", `{"states":["TODO","BOGUS"]}`},
		{"org-get-todos", `{"states":["todo"]}`},
		{"org-get-todos", `{"states":["HIDDEN"]}`},
		{"org-get-todos", `{"states":[""]}`},
		{"org-get-todos", `{"states":["IDEA"],"files":["a.org"]}`},
		{"org-query", `{"query":"A or todo:BOGUS"}`},
		{"org-query", `{"query":"not done:BOGUS"}`},
	} {
		out := s.fails(call[0], call[1], "state")
		if hint, _ := out["hint"].(string); out["error"] != "Invalid request" || !strings.Contains(hint, "TODO") || strings.Contains(hint, "HIDDEN") {
			t.Errorf("%s: %v", call, out)
		}
	}
}

// The outline of a file is a tree.
func TestOutlineIsATree(t *testing.T) {
	s := openFiles(t, map[string]string{"a.org": "* A\n** B\n**** C\n** D\n* E\n"}, org.Config{})
	type node struct {
		Heading  string
		Level    int
		Line     int
		Children []node
	}
	for uri, want := range map[string]string{
		"org://a.org/outline":   "A1:1(B2:2(C4:3())D2:4())E1:5()",
		"org-outline://a.org":   "A1:1(B2:2(C4:3())D2:4())E1:5()",
		"org://a.org/outline/A": "A1:1(B2:2(C4:3())D2:4())",
	} {
		got, err := s.Read(t.Context(), uri)
		if err != nil {
			t.Fatal(err)
		}
		var out struct{ Headings []node }
		if err := json.Unmarshal([]byte(got.Text), &out); err != nil {
			t.Fatal(err)
		}
		var print func(nodes []node) string
		print = func(nodes []node) (text string) {
			for _, n := range nodes {
				text += fmt.Sprintf("%s%d:%d(%s)", n.Heading, n.Level, n.Line, print(n.Children))
			}
			return text
		}
		if tree := print(out.Headings); tree != want {
			t.Errorf("%s is %s, want %s", uri, tree, want)
		}
	}
}
