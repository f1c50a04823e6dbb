package org_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/org"
)

var madeID = regexp.MustCompile(`:PROPERTIES:\n:ID:       [0-9a-f-]{36}\n:END:\n`)

// Each headline that an agent writes gets an ID, where the configuration says so.
func TestIDsOfHeadlinesInTexts(t *testing.T) {
	const template = `'(("t" "Task" entry (file "a.org") "* TODO %?\n** plan\n%i"))`
	for _, c := range []struct{ name, tool, args, want string }{
		{
			"a body", "org-add-todo", `"parentUri":"org://a.org/headline/A","title":"N","body":"text\n*** one\nSCHEDULED: <2026-01-09 Fri>\n**** two :x:\n- [ ] list"`,
			"** N\nID\ntext\n*** one\nSCHEDULED: <2026-01-09 Fri>\nID\n**** two :x:\nID\n- [ ] list\n",
		},
		{"a new text", "org-edit-body", `"resourceUri":"org://a.org/headline/A","oldBody":"line","newBody":"first\n** one\n** two"`, "* A\nfirst\n** one\nID\n** two\nID\n** old\n"},
		{"all of a text", "org-edit-body", `"resourceUri":"org://a.org/headline/A/old","oldBody":"","newBody":"*** one"`, "** old\n*** one\nID\n* B\n"},
		{"each occurrence", "org-edit-body", `"resourceUri":"org://a.org/headline/B","oldBody":"a","newBody":"\n** h\n","replaceAll":true`, "* B\n\n** h\nID\nb\n** h\nID\n\n"},
		{"a capture", "org-capture", `"title":"N","text":"*** three"`, "* TODO N\nID\n** plan\nID\n*** three\nID\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for policy, want := range map[string]string{"": c.want, "never": strings.ReplaceAll(c.want, "ID\n", "")} {
				s := openFiles(t, map[string]string{"a.org": "* A\nline\n** old\n* B\naba\n"}, org.Config{IDs: policy, Vars: map[string]string{"org-capture-templates": template}})
				s.must(c.tool, "{"+c.args+"}")
				if got := madeID.ReplaceAllString(s.read("a.org"), "ID\n"); !strings.Contains(got, want) {
					t.Errorf("with ids = %q it is\n%s\nwithout\n%s", policy, got, want)
				}
			}
		})
	}
}

// A title of which Org would read a part as something else is refused.
func TestTitlesThatReadAsSomethingElse(t *testing.T) {
	const before = "#+TODO: TODO WAIT | DONE\n* WAIT [#B] A :t:\n* B\n"
	const template = `'(("t" "Task" entry (file "a.org") "* WAIT %?") ("n" "Note" entry (file "a.org") "* %?") ("l" "Link" entry (file "a.org") "* %a"))`
	s := openFiles(t, map[string]string{"a.org": before}, org.Config{IDs: "never", Vars: map[string]string{"org-capture-templates": template}})
	for title, part := range map[string]string{"WAIT x": "WAIT", "DONE": "DONE", "[#A] x": "[#A]", "x :a:b_1:": ":a:b_1:", ":a:": ":a:", "COMMENT x": "COMMENT", "COMMENT": "COMMENT", "TODO [#C] x :a:": "TODO"} {
		s.fails("org-add-todo", `{"title":"`+title+`","parentUri":"org://a.org"}`, part)
		s.fails("org-edit-headline", `{"resourceUri":"org://a.org/headline/B","currentTitle":"B","newTitle":"`+title+`"}`, part)
		s.fails("org-capture", `{"template":"n","title":"`+title+`"}`, "")
		s.fails("org-capture", `{"template":"l","link":"`+title+`"}`, "")
	}
	for _, title := range []string{"[#A] x", "x :a:", "COMMENT x"} { // behind a state
		s.fails("org-add-todo", `{"title":"`+title+`","todoState":"TODO","parentUri":"org://a.org"}`, "")
		s.fails("org-capture", `{"template":"t","title":"`+title+`"}`, "")
	}
	s.holds("a.org", before)
	for _, call := range [][3]string{
		{"org-add-todo", `"title":"  NEXT x: [2/3] :a-b: ","parentUri":"org://a.org"`, "NEXT x: [2/3] :a-b:"},
		{"org-add-todo", `"title":"TODO x","todoState":"WAIT","parentUri":"org://a.org"`, "TODO x"},
		{"org-edit-headline", `"resourceUri":"org://a.org/headline/A","currentTitle":"A","newTitle":"DONE it [#C] 100%"`, "DONE it [#C] 100%"},
		{"org-capture", `"template":"t","title":"TODO x"`, "TODO x"},
		{"org-capture", `"template":"n","title":"x"`, "x"},
	} {
		if out := s.must(call[0], "{"+call[1]+"}"); out["title"] != call[2] {
			t.Errorf("%s: the title is %v, want %q", call[0], out["title"], call[2])
		}
	}
}
