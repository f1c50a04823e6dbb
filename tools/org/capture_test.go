package org_test

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/org"
)

// captureTemplates are templates as a user of Emacs has them.
const captureTemplates = `'(("t" "Task" entry (file+headline "work.org" "Tasks") "* TODO %? %^g\n%U\n%i" :prepend t)
 ("j" "Notes")
 ("jd" "Day" entry (file+datetree "day.org") "* %<%H:%M> %?")
 ("c" "Check" checkitem (file+olp "work.org" "Plan" "List") "- [ ] %?")
 ("r" "Row" table-line (file+headline "work.org" "Table") "| %t | %^{Amount|5} |")
 ("p" "Person" entry (id "abc") "* %^{Name} %\\1\n%^{Phone}p%^{Met}u\n  > %i")
 ("x" "Lisp" entry (file "work.org") "* %(shell-command \"ls\")")
 ("f" "Function" entry (function my-place) "* %?")
 ("o" "Outside" entry (file "/etc/x.org") "* %?"))`

func openCapture(t *testing.T) *testSource {
	return openFiles(t, map[string]string{
		"work.org": "* Plan\n** List [0/1]\n- [ ] one\n* Table\n| a | b |\n* People\n:PROPERTIES:\n:ID:       abc\n:END:\n* Tasks\n** TODO old\n",
	}, org.Config{IDs: "never", Vars: map[string]string{"org-capture-templates": captureTemplates}})
}

func TestCapture(t *testing.T) {
	for _, c := range []struct{ name, args, file, want string }{
		{
			"first of a headline", `{"title": "call", "tags": ["phone"], "text": "one\ntwo"}`, "work.org",
			"* Tasks\n** TODO call                                                          :phone:\n[2026-01-07 Wed 10:00]\none\ntwo\n** TODO old\n",
		},
		{"a file that is made", `{"template": "jd", "title": "woke up"}`, "day.org", "* 2026\n** 2026-01 January\n*** 2026-01-07 Wednesday\n**** 10:00 woke up\n"},
		{"an item is counted", `{"template": "c", "title": "two"}`, "work.org", "** List [0/2]\n- [ ] one\n- [ ] two\n"},
		{"a default answer", `{"template": "r"}`, "work.org", "| <2026-01-07 Wed> | 5 |\n"},
		{
			"answers", `{"template": "p", "answers": {"Name": "Ines", "Phone": "12", "Met": "+1d"}, "text": "a %t\nb"}`, "work.org",
			"** Ines Ines\n:PROPERTIES:\n:Phone:    12\n:END:\n[2026-01-08 Thu]\n  > a %t\n  > b\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openCapture(t)
			out := s.must("org-capture", c.args)
			if out["file"] != c.file || out["resourceUri"] == "" || out["etag"] == "" {
				t.Errorf("the answer is %v", out)
			}
			if got := s.read(c.file); !strings.Contains(got, c.want) {
				t.Errorf("%s is\n%s\nwithout\n%s", c.file, got, c.want)
			}
		})
	}
}

func TestRefusedCaptures(t *testing.T) {
	s := openCapture(t)
	before := s.read("work.org")
	for args, words := range map[string]string{
		`{"template": "zz"}`:                           "no capture template",
		`{"template": "x"}`:                            "needs Lisp",
		`{"template": "f"}`:                            "its target",
		`{"template": "o", "title": "a"}`:              "not open to agents",
		`{"template": "p", "answers": {"Phone": "1"}}`: `asks for \"Name\"`,
		`{"template": "p", "answers": {"Name": "a", "Phone": "1", "Other": ""}}`: "Other",
		`{"template": "r", "title": "a"}`:                                        "no place",
		`{"title": "a", "text": "* b"}`:                                          "headlines",
		`{"title": "** a"}`:                                                      "heading",
		`{"template": "c", "title": "a\n* b"}`:                                   "newlines",
		`{"template": "c", "text": "b"}`:                                         "no place",
		`{"template": "p", "answers": {"Name": "a\n* b"}}`:                       "one line",
		`{"title": "a", "tags": ["b c"]}`:                                        "tag name",
	} {
		s.fails("org-capture", args, strings.ReplaceAll(words, `\"`, `"`))
	}
	if got := s.read("work.org"); got != before {
		t.Errorf("a refused capture wrote\n%s", got)
	}
}

func TestDefaultCapture(t *testing.T) {
	s := openFiles(t, map[string]string{"a.org": ""}, org.Config{})
	out := s.must("org-capture", `{"title": "books"}`)
	id, _ := out["orgId"].(string)
	if id == "" {
		t.Fatalf("there is no ID in %v", out)
	}
	s.holds("inbox.org", "* TODO books\n:PROPERTIES:\n:ID:       "+id+"\n:END:\n[2026-01-07 Wed 10:00]\n")
}
