package approval_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A call that moves targets says so, with what else it changes; one that does more does not.
func TestMovesAreSaid(t *testing.T) {
	gone := func(target, data string) tools.Change {
		return tools.Change{Target: target, Before: tools.State{Exists: true, Data: []byte(data)}}
	}
	made := func(target, data string) tools.Change {
		return tools.Change{Target: target, After: tools.State{Exists: true, Data: []byte(data)}}
	}
	const page = "one\ntwo\nthree\n"
	for name, c := range map[string]struct {
		changes []tools.Change
		want    *status.TargetMove
	}{
		"a page with its links, into a new folder": {
			[]tools.Change{made("New/", ""), gone("Old.md", page), made("New/Page.md", page), rewrite("A.md", "[[Old]]", "[[Page]]"), rewrite("B.md", "[[Old]]", "[[Page]]")},
			&status.TargetMove{From: "Old.md", To: "New/Page.md", Count: 1, Changed: 2},
		},
		"a page whose own text changes": {
			[]tools.Change{gone("Old.md", page), made("Page.md", "one\ntwo\nfour\n")},
			&status.TargetMove{From: "Old.md", To: "Page.md", Count: 1, Edited: 1},
		},
		"a folder": {
			[]tools.Change{
				gone("a/one.md", page), gone("a/two.md", ""), gone("a/three.md", ""), gone("a/", ""), made("b/", ""),
				made("b/three.md", ""), made("b/two.md", ""), made("b/one.md", "one\n2\nthree\n"),
			},
			&status.TargetMove{From: "a/one.md", To: "b/one.md", Count: 3, Edited: 1},
		},
		"another page in its place": {[]tools.Change{gone("Old.md", page), made("Page.md", "all\nelse\n")}, nil},
		"one more page":             {[]tools.Change{gone("Old.md", page), made("Page.md", page), made("More.md", page)}, nil},
		"one page less":             {[]tools.Change{gone("Old.md", page), made("Page.md", page), gone("More.md", page)}, nil},
		"no deletion":               {[]tools.Change{made("Page.md", page), rewrite("A.md", "a", "b")}, nil},
		"an application decides": {
			[]tools.Change{gone("Old.md", page), {Target: "Page.md", After: tools.State{Exists: true, Data: []byte(page)}, AfterUnknown: true}}, nil,
		},
	} {
		q := newQueue()
		r := request(c.changes...)
		pendingID(t, q, r)
		if got := only(t, q).Move; !cmp.Equal(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
