package cardtext

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
)

func TestReferences(t *testing.T) {
	for content, want := range map[string][]Reference{
		"see [[A]] and {{ B+c |view}}":                  {{Link, "A", 6, 7}, {Nest, "B+c", 17, 20}},
		"[[A|with {{N}} in it]]":                        {{Link, "A", 2, 3}, {Nest, "N", 11, 12}},
		`\[[A]] \{{B}} [[/page]] [[https://x.org|x]]`:   nil,
		"{{# a comment}} {{## hidden}} [[]] {{|x}}":     nil,
		"[[A [[B]] {{C":                                 {{Link, "B", 6, 7}},
		"[[mailing list]] [[mailto:a@b.c]] [[Game: 1]]": {{Link, "mailing list", 2, 14}, {Link, "Game: 1", 36, 43}},
	} {
		if diff := cmp.Diff(want, References(content)); diff != "" {
			t.Errorf("%s: %s", content, diff)
		}
	}
}

func TestRename(t *testing.T) {
	for content, want := range map[string]string{
		"see [[RenA]] and [[RenA|label]] {{RenA+kid}} RenA": "see [[New]] and [[New|label]] {{New+kid}} RenA",
		"[[ ren_a | x ]] [[RenAB]] [[X+RenA+y]]":            "[[ New | x ]] [[RenAB]] [[X+New+y]]",
		`\[[RenA]]`:                                         `\[[RenA]]`,
	} {
		if got := Rename(content, "RenA", "New"); got != want {
			t.Errorf("%s: %s, want %s", content, got, want)
		}
	}
}

func TestItems(t *testing.T) {
	want := []cardname.Name{"A", "B+c"}
	if diff := cmp.Diff(want, Items("[[A]]\n\n  B + c \r\n")); diff != "" {
		t.Error(diff)
	}
}

func TestOutline(t *testing.T) {
	for content, want := range map[string][]Heading{
		"<h1>One</h1><p>x</p><h2>Two <b>b</b></h2>": {{1, "One", 0, "html"}, {2, "Two b", 20, "html"}},
		"ä <H3 class=x>A &amp; B</H3>":              {{3, "A & B", 2, "html"}},
		"# T #\n\ntext\n### U":                      {{1, "T", 0, "markdown"}, {3, "U", 12, "markdown"}},
		"nothing":                                   {},
	} {
		if diff := cmp.Diff(want, Outline(content)); diff != "" {
			t.Errorf("%s: %s", content, diff)
		}
	}
}

func TestFind(t *testing.T) {
	got, total := Find("<h1>One</h1><p>x</p><h2>Two <b>b</b></h2>", "o", 3, 10)
	if diff := cmp.Diff([]Match{{26, ">Two <b", 23, 3}}, got); diff != "" || total != 1 {
		t.Error(total, diff)
	}
	if got, total := Find("aaaaa", "aa", 0, 1); len(got) != 1 || total != 2 {
		t.Errorf("%v, %d", got, total)
	}
}

func TestPatch(t *testing.T) {
	const page = "<h2>A</h2><p>one</p><h2>B</h2><p>two</p>"
	for name, c := range map[string]struct {
		patch      Patch
		want, fail string
	}{
		"between":           {Patch{Mode: "replace_between", StartMarker: "<h2>A</h2>", EndMarker: "<h2>", Replacement: new("<h2>A</h2><p>n</p>")}, "<h2>A</h2><p>n</p><h2>B</h2><p>two</p>", ""},
		"between inclusive": {Patch{Mode: "replace_between", StartMarker: "<p>one", EndMarker: "</p>", Replacement: new("-"), EndInclusive: true}, "<h2>A</h2>-<h2>B</h2><p>two</p>", ""},
		"no start":          {Patch{Mode: "replace_between", StartMarker: "x", EndMarker: "y", Replacement: new("")}, "", "Start marker not found"},
		"no end":            {Patch{Mode: "replace_between", StartMarker: "<h2>B", EndMarker: "y", Replacement: new("")}, "", "End marker not found"},
		"append":            {Patch{Mode: "append", Content: new("!"), Separator: `\n`}, page + "\n!", ""},
		"first":             {Patch{Mode: "find_replace", Find: "<p>", Replace: new("<i>")}, "<h2>A</h2><i>one</p><h2>B</h2><p>two</p>", ""},
		"last":              {Patch{Mode: "find_replace", Find: "<p>", Replace: new(""), Occurrence: "last"}, "<h2>A</h2><p>one</p><h2>B</h2>two</p>", ""},
		"regex":             {Patch{Mode: "regex_replace", Pattern: `<h2>(\w)</h2>`, Replace: new("<h3>$1</h3>")}, "<h3>A</h3><p>one</p><h3>B</h3><p>two</p>", ""},
		"regex too often":   {Patch{Mode: "regex_replace", Pattern: `<`, Replace: new(""), MaxMatches: 3}, "", "pattern matches more than 3 times"},
		"unknown":           {Patch{Mode: "x"}, "", "Unknown patch mode: x"},
	} {
		got, _, err := c.patch.Apply(page)
		misfit, _ := errors.AsType[*PatchError](err)
		if got != c.want || (misfit == nil) != (c.fail == "") || misfit != nil && misfit.Message != c.fail {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	got, _, err := Patch{Mode: "append_item", Content: new("[[C]]\nbs")}.Apply("A\n[[B]]")
	if got != "A\nB\nC" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, _, err := (Patch{Mode: "remove_item", Content: new("b")}).Apply("A\nB"); got != "A" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// Whatever the content, tokens are within it and follow each other.
func FuzzTokens(f *testing.F) {
	f.Add("[[a|{{b}}]] {{c}} \\[[d]] [[[e]]] {{{f}}}")
	f.Fuzz(func(t *testing.T, content string) {
		at := 0
		for _, k := range Tokens(content) {
			if k.Start < at || k.End < k.Start+4 || k.End > len(content) {
				t.Fatalf("%q: %+v", content, k)
			}
			at = k.End
		}
		for _, r := range References(content) {
			if cardname.Parse(content[r.Start:r.End]) != r.Name {
				t.Errorf("%q: %+v", content, r)
			}
		}
	})
}

// A text of brackets that nobody closes is read once, not once for each of them.
func TestOpenBracketsTakeNoTime(t *testing.T) {
	began := time.Now()
	for _, text := range []string{strings.Repeat("[[", 1<<20), strings.Repeat("{{[[", 1<<19), strings.Repeat("[", 1<<20) + "]]"} {
		_ = Tokens(text)
	}
	if took := time.Since(began); took > runtest.Timeout {
		t.Errorf("took %s", took)
	}
}
