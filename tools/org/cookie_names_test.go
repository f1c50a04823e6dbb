package org_test

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/org"
)

// Statistics cookies are no part of a name, as in Org's own links: what was listed
// before a write is found after it.
func TestCookiesAreNotInNames(t *testing.T) {
	files := map[string]string{"a.org": "* Release [0/2]\n** TODO write\n** TODO ship\n* [0%] Two  words [/]\n** TODO one\n* Same [1/2]\n* Same\n* [1/3]\n"}
	s := openFiles(t, files, org.Config{})
	for uri, want := range map[string]string{
		"Release/ship":                          "org://a.org/headline/Release/ship",
		"Release%20%5B0%2F2%5D/ship":            "org://a.org/headline/Release/ship",
		"Release%20%5B17%25%5D/ship":            "org://a.org/headline/Release/ship",
		"%5B0%25%5D%20Two%20%20words%20%5B%2F]": "org://a.org/headline/Two%20words",
		"Two%20words/one":                       "org://a.org/headline/Two%20words/one",
		"Same%20%5B1%2F2%5D":                    "org://a.org/headline/Same;1",
		"Same;2":                                "org://a.org/headline/Same;2",
		"%5B1%2F3%5D":                           "org://a.org/headline/",
	} {
		for _, spelling := range []string{"org://a.org/headline/" + uri, "org://a.org/outline/" + uri} {
			out := s.must("org-read-headline", `{"resourceUri":`+quote(strings.ReplaceAll(spelling, "]", "%5D"))+`}`)
			if out["resourceUri"] != want {
				t.Errorf("%s is %v, want %s", spelling, out["resourceUri"], want)
			}
		}
	}
	s.fails("org-read-headline", `{"resourceUri":"org://a.org/headline/Same"}`, "2 headlines")
	s.must("org-read-headline", `{"resourceUri":"file:a.org::*Release"}`)
	s.must("org-read-headline", `{"file":"a.org","headlinePath":"Release [9/9]/ship"}`)
	s.must("org-edit-headline", `{"resourceUri":"org://a.org/headline/Two%20words","currentTitle":"Two words [1/1]","newTitle":"Three [0/0]"}`)
	out := s.must("org-search-headlines", `{"query":"release"}`)
	first, _ := out["items"].([]any)[0].(map[string]any)
	if first["heading"] != "Release [0/2]" || first["resourceUri"] != "org://a.org/headline/Release" {
		t.Errorf("found %v", first)
	}
}

func TestClosingTasksOfOneParent(t *testing.T) {
	const before = "* Release [0/2] :x:\n** TODO write\n** TODO ship\n"
	const after = "* Release [2/2]                                                           :x:\n** DONE write\n** DONE ship\n"
	one := func(title string) string {
		return `{"resourceUri":"org://a.org/headline/Release%20%5B0%2F2%5D/` + title + `","currentState":"TODO","newState":"DONE"}`
	}
	s := openFiles(t, map[string]string{"a.org": before}, org.Config{})
	s.must("org-update-todo-state", one("write"))
	s.must("org-update-todo-state", one("ship"))
	s.holds("a.org", after)

	s = openFiles(t, map[string]string{"a.org": before}, org.Config{})
	etag := s.must("org-read-headline", `{"resourceUri":"org://a.org/headline/Release"}`)["etag"].(string)
	out := s.must("org-bulk-update", `{"edits":[`+one("write")+`,`+one("ship")+`,{"resourceUri":"org://a.org/headline/Release","ifMatch":"`+etag+`","addTags":["y"]}]}`)
	s.holds("a.org", strings.Replace(after, "  :x:", ":x:y:", 1))
	last, _ := out["items"].([]any)[2].(map[string]any)
	if last["resourceUri"] != "org://a.org/headline/Release" || last["etag"] == etag {
		t.Errorf("the last is %v", last)
	}
}
