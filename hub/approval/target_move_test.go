package approval_test

import (
	"strings"
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
			&status.TargetMove{From: "Old.md", To: "New/Page.md", Count: 1, Links: 2},
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

// What moves is one target with one diff, whatever else the call changes; nothing is said to be deleted and created.
func TestMovesAreOneTarget(t *testing.T) {
	q := newQueue()
	r := request(
		tools.Change{Target: "New/", After: tools.State{Exists: true}},
		tools.Change{Target: "Old.md", Before: tools.State{Exists: true, Data: []byte("one\ntwo\nthree\n")}},
		tools.Change{Target: "New/Page.md", After: tools.State{Exists: true, Data: []byte("one\n2\nthree\n")}},
		tools.Change{Target: "Same.md", Before: tools.State{Exists: true, Data: []byte("same\n")}},
		tools.Change{Target: "New/Same.md", After: tools.State{Exists: true, Data: []byte("same\n")}},
		rewrite("A.md", "[[Old]]", "[[Page]]"),
	)
	id := pendingID(t, q, r)
	view := only(t, q)
	if want := []string{"New/", "Old.md → New/Page.md", "Same.md → New/Same.md", "A.md"}; !cmp.Equal(want, view.Targets) || view.More != 0 {
		t.Errorf("targets %q and %d more", view.Targets, view.More)
	}
	all, err := q.ApprovalTargets(status.ApprovalRange{ID: id})
	if err != nil || all.Total != 4 || all.Added != 2 || all.Removed != 2 {
		t.Errorf("%+v, %v", all, err)
	}
	text, err := q.ApprovalText(status.ApprovalRange{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"move Old.md → New/Page.md (+1 −1)\n", "\n-two\n+2\n", "move Same.md → New/Same.md\nits text stays the same\n"} {
		if !strings.Contains(text.Text, want) {
			t.Errorf("%q is not in\n%s", want, text.Text)
		}
	}
	for _, wrong := range []string{"delete ", "create Old", "create New/Page"} {
		if strings.Contains(text.Text, wrong) {
			t.Errorf("%q is in\n%s", wrong, text.Text)
		}
	}
}
