package tools_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
)

func exists(text string) tools.State { return tools.State{Exists: true, Data: []byte(text)} }

// What a call deletes and creates with the same text, or half of its lines, is a move; what only looks alike is none.
func TestFindTargetMoves(t *testing.T) {
	const page = "one\ntwo\nthree\n"
	gone := func(name, text string) tools.Change { return tools.Change{Target: name, Before: exists(text)} }
	made := func(name, text string) tools.Change { return tools.Change{Target: name, After: exists(text)} }
	for name, c := range map[string]struct {
		changes []tools.Change
		want    []tools.TargetMove
	}{
		"into a new folder":              {[]tools.Change{made("New/", ""), made("New/a.md", page), gone("a.md", page)}, []tools.TargetMove{{From: 2, To: 1}}},
		"beside a new page":              {[]tools.Change{gone("a.md", page), made("c.md", "else"), made("b.md", page)}, []tools.TargetMove{{From: 0, To: 2}}},
		"an empty page beside others":    {[]tools.Change{gone("a.md", ""), made("b.md", ""), made("c.md", "")}, nil},
		"one that keeps its name":        {[]tools.Change{gone("x/a.md", page), gone("x/b.md", page), made("y/b.md", page), made("y/a.md", page)}, []tools.TargetMove{{From: 0, To: 3}, {From: 1, To: 2}}},
		"with half of its lines":         {[]tools.Change{gone("a.md", page), made("b.md", "one\ntwo\n3\n")}, []tools.TargetMove{{From: 0, To: 1}}},
		"another page in its place":      {[]tools.Change{gone("a.md", page), made("b.md", "all\nelse\n")}, nil},
		"what an application decides":    {[]tools.Change{gone("a.md", page), {Target: "b.md", After: exists(page), AfterUnknown: true}}, nil},
		"half of the lines, one of many": {[]tools.Change{gone("a.md", page), made("b.md", "one\ntwo\n3\n"), made("c.md", "one\ntwo\n4\n")}, nil},
	} {
		if d := cmp.Diff(c.want, tools.FindTargetMoves(c.changes)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// Links that follow a move are counted, if nothing else changes.
func TestEditedLinks(t *testing.T) {
	changes := []tools.Change{{Target: "Notes/Old Page.md", Before: exists("x")}, {Target: "Archive/New.md", After: exists("x")}}
	moves := tools.FindTargetMoves(changes)
	for _, c := range []struct {
		before, after string
		links         int
		only          bool
	}{
		{"see [[Old Page]] and [[Old Page|it]]\n", "see [[New]] and [[New|it]]\n", 2, true},
		{"see [it](Notes/Old%20Page.md#top)\n", "see [it](Archive/New.md#top)\n", 1, true},
		{"![](../a/b.png) [[file:../x.org][x]]\n", "![](../../a/b.png) [[file:../../x.org][x]]\n", 2, true},
		{"see [[Old Page]] today\n", "see [[New]] tomorrow\n", 0, false},
		{"see [[Old Page]]\n", "see [[New]]\n\n[[New]]\n", 0, false},
		{"see [[Other]]\n", "see [[New]]\n", 0, false},
		{"the same\n", "the same\n", 0, true},
	} {
		if links, only := tools.EditedLinks(changes, moves, []byte(c.before), []byte(c.after)); links != c.links || only != c.only {
			t.Errorf("%q becomes %q: %d links, only %v", c.before, c.after, links, only)
		}
	}
}
