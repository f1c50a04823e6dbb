package org_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org"
)

func linkingFiles() map[string]string {
	return map[string]string{
		"a.org": "See [[*Old plan]] and [[Old plan][it]].\n* Top\n** TODO Old  plan [1/2] :x:\nMe: [[*Old\nplan]].\n** Other [[file:a.org::*Old plan]]\n#+begin_src org\n[[*Old plan]]\n#+end_src\n" +
			"# [[*Old plan]]\n=[[*Old plan]]= [[*Old plans]] [[*old plan]] [[#Old plan]]\n",
		"sub/b.org":     "[[file:../a.org::*Old plan][plan]] [[../a.org::Old plan]] [[file:b.org::*Old plan]] [[*Old plan]] [[file:../a.org]]\n",
		"hidden.org":    "* H :secret:\n[[file:a.org::*Old plan]]\n* Shown\n[[file:a.org::*Old plan]] [[file:a.org::*Old plan]]\n",
		"a.org_archive": "* [[file:a.org::*Old plan]]\n",
	}
}

// A rename names the links by the old title, and changes them if that is asked for: in
// all files, at once, and taken back at once.
func TestLinksByTitle(t *testing.T) {
	rename := func(more string) string {
		return `{"resourceUri":"org://a.org/headline/Top/Old%20plan","currentTitle":"Old plan [1/2]","newTitle":"New [x] plan [0/1]"` + more + `}`
	}
	s := openFiles(t, linkingFiles(), org.Config{}, "#secret")
	before := map[string]string{}
	for name := range linkingFiles() {
		before[name] = s.read(name)
	}
	places := func(out map[string]any) (text string) {
		for _, l := range out["links"].([]any) {
			link := l.(map[string]any)
			text += fmt.Sprintf("%v:%v ", link["file"], link["line"])
		}
		return text
	}
	const want = "a.org:1 a.org:1 a.org:4 a.org:6 a.org_archive:1 hidden.org:2 hidden.org:2 sub/b.org:1 sub/b.org:1 "
	out := s.must("org-edit-headline", rename(`,"dryRun":true`))
	if places(out) != want || out["linkCount"] != 9.0 || !strings.Contains(out["hint"].(string), "updateLinks") {
		t.Errorf("links %s, %v, %v", places(out), out["linkCount"], out["hint"])
	}
	out = s.must("org-edit-headline", rename(`,"updateLinks":true,"dryRun":true`))
	if diff, _ := out["diff"].(string); strings.Count(diff, "+++ ") != 4 || strings.Contains(diff, "secret") {
		t.Errorf("the preview is\n%s", diff)
	}
	for name, text := range before {
		s.holds(name, text)
	}

	s.changes = nil
	out = s.must("org-edit-headline", rename(`,"updateLinks":true`))
	if places(out) != want || out["hint"] != nil || out["title"] != "New [x] plan [0/0]" {
		t.Errorf("the answer is %v", out)
	}
	const name = `New \[x\] plan`
	a := strings.NewReplacer("See [[*Old plan]] and [[Old plan][it]]", "See [[*"+name+"]] and [["+name+"][it]]", "Me: [[*Old\nplan]]", "Me: [[*"+name+"]]",
		"Other [[file:a.org::*Old plan]]", "Other [[file:a.org::*"+name+"]]", "** TODO Old  plan [1/2] :x:", "** TODO New [x] plan [0/0]"+strings.Repeat(" ", 77-26-3)+":x:").Replace(before["a.org"])
	s.holds("a.org", a)
	s.holds("sub/b.org", strings.NewReplacer("::*Old plan][plan]", "::*"+name+"][plan]", "::Old plan]", "::"+name+"]").Replace(before["sub/b.org"]))
	s.holds("hidden.org", strings.Replace(before["hidden.org"], "* Shown\n[[file:a.org::*Old plan]] [[file:a.org::*Old plan]]", "* Shown\n[[file:a.org::*"+name+"]] [[file:a.org::*"+name+"]]", 1))
	if got := s.must("org-get-backlinks", `{"resourceUri":"org://a.org/headline/Top/New%20%5Bx%5D%20plan"}`); got["total"] != 9.0 {
		t.Errorf("it has the backlinks %v", got)
	}

	if len(s.changes) != 4 {
		t.Fatalf("%d changes", len(s.changes))
	}
	var back []tools.Change
	for _, c := range s.changes {
		back = append(back, tools.Change{Target: c.Target, Before: c.After, After: c.Before})
	}
	if err := s.Restorer().Restore(t.Context(), tools.CallContext{}, back); err != nil {
		t.Fatal(err)
	}
	for name, text := range before {
		s.holds(name, text)
	}
}

// Links are neither named nor changed where they lead elsewhere.
func TestLinksThatLeadElsewhere(t *testing.T) {
	text := "* A\n** Same\n* Same\n* Named\n<<Named>>\n* New\n* Last\n[[*Same]] [[Named]] [[*Last]]\n"
	s := openFiles(t, map[string]string{"a.org": text}, org.Config{})
	rename := func(uri, title, more string) string {
		parts := strings.Split(uri, "/")
		return `{"resourceUri":"org://a.org/headline/` + uri + `","currentTitle":"` + parts[len(parts)-1] + `","newTitle":"` + title + `","dryRun":true` + more + `}`
	}
	for uri, want := range map[string]any{"Same": nil, "A/Same": 1.0, "Named": nil, "Last": 1.0} {
		if out := s.must("org-edit-headline", rename(uri, "Z", "")); out["linkCount"] != want {
			t.Errorf("%s has %v links, want %v", uri, out["linkCount"], want)
		}
	}
	s.fails("org-edit-headline", rename("Last", "New", `,"updateLinks":true`), "another headline")
	s.fails("org-edit-headline", rename("Last", "[1/2]", `,"updateLinks":true`), "another headline")
	for title, link := range map[string]string{"/x/": "[[*/x/]]", "id:x": "[[*id:x]]", "#x": "[[*#x]]", `a]b\\`: `[[*a\\]b\\\\]]`} {
		out := s.must("org-edit-headline", rename("Last", title, `,"updateLinks":true`))
		if diff, _ := out["diff"].(string); !strings.Contains(diff, strings.ReplaceAll(link, `\\`, `\`)) {
			t.Errorf("%s is not in\n%s", link, diff)
		}
	}
}
