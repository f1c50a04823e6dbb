package audit

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Whatever a filter asks for, its pages hold every call that a plain walk over all
// calls finds, once and in order, and no page goes on for ever.
func TestFiltersMatchAWalk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.db")
	trail := openTrail(t, file, atNoon)
	rng := rand.New(rand.NewPCG(18, 99))
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	var all []Record
	for i := range 600 {
		r := Record{
			ID: trail.NewID(noon.Add(time.Duration(i) * time.Second)), Client: pick("a", "a", "ab", "c"), Source: pick("notes", "work"), Tool: pick("read", "write", "move"),
			Effect: pick("read", "read", "write"), Outcome: Outcome(pick("ok", "ok", "error", "refused", "event")), Session: fmt.Sprint("s", i/200),
		}
		if i < 100 {
			r.Client = pick("old", "a") // one that did not call again
		}
		if rng.IntN(3) == 0 {
			r.Targets = []string{fmt.Sprint("p/", rng.IntN(20), ".md"), "README.md"}
		}
		if rng.IntN(10) == 0 {
			r.Changes = []string{"c1"}
		}
		all = append(all, r)
	}
	if err := insert(t.Context(), trail.store, all); err != nil {
		t.Fatal(err)
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(all)
	r, err := OpenReader(t.Context(), file, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range 1500 {
		f := Filter{Limit: pickNumber(rng, 7, 50), searched: pickNumber(rng, 0, 30, 90), rare: pickNumber(rng, 1, 40, 1000), Events: rng.IntN(2) == 0}
		for range 1 + rng.IntN(4) {
			addCondition(&f, rng)
		}
		want := slices.DeleteFunc(slices.Clone(all), func(r Record) bool { return !f.selects(&r) })
		got, pages := []Record(nil), 0
		for f, more := f, true; more; pages++ {
			page, err := r.Calls(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, page.Calls...)
			if page.More != (page.Next != 0) || page.Reached().IsZero() == page.More || pages > 700 {
				t.Fatalf("%+v: page %d: more %v, next %d, reached %s", f, pages, page.More, page.Next, page.Reached())
			}
			more, f.Before = page.More, page.Next
		}
		if !slices.EqualFunc(got, want, func(a, b Record) bool { return a.ID == b.ID }) {
			t.Fatalf("%+v: %d calls in %d pages, want %d", f, len(got), pages, len(want))
		}
	}
}

func pickNumber(rng *rand.Rand, of ...int) int { return of[rng.IntN(len(of))] }

// addCondition sets one field of f, or one more word.
func addCondition(f *Filter, rng *rand.Rand) {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	at := noon.Add(time.Duration(rng.IntN(600)) * time.Second)
	switch rng.IntN(9) {
	case 0:
		f.Client = pick("a", "ab", "old", "nobody")
	case 1:
		f.Source = pick("notes", "work")
	case 2:
		f.Tool = pick("read", "move")
	case 3:
		f.Effect = pick("read", "write")
	case 4:
		f.Outcome = Outcome(pick("ok", "error", "event"))
	case 5:
		f.Target = pick("README.md", "p/7.md", "p/")
	case 6:
		f.Since = at
	case 7:
		f.Until = at
	case 8:
		f.Search = append(f.Search, randomCondition(rng, 2))
	}
}

// randomCondition is a condition, or several joined, so deep at most.
func randomCondition(rng *rand.Rand, depth int) (c Condition) {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	kind := rng.IntN(12)
	if depth == 0 {
		kind += 3
	}
	switch kind {
	case 0, 1, 2:
		c.Op = []Op{Not, Any, All}[kind]
		for range 1 + min(kind, 1)*rng.IntN(3) {
			c.Of = append(c.Of, randomCondition(rng, depth-1))
		}
		return c
	case 3:
		return Condition{Field: "client", Text: pick("a", "b", "OLD", "%")}
	case 4:
		return Condition{Field: "targets", Text: pick("p/1", ".MD", "nowhere")}
	case 5:
		return Condition{Field: "tool", Text: pick("re", "e")}
	case 6:
		return Condition{Field: "changes"}
	case 7:
		return Condition{Field: "effect", Text: pick("read", "write")}
	case 8:
		return Condition{Field: "outcome", Text: pick("ok", "error", "event")}
	case 9:
		return Condition{Field: pick("since", "until"), Time: noon.Add(time.Duration(rng.IntN(600)) * time.Second)}
	}
	return Condition{Text: pick("s1", "old", "readme", "write", "work", "nothing")}
}

// selects is what a Filter promises, call by call.
func (f *Filter) selects(r *Record) bool {
	is := func(want, value string) bool { return want == "" || want == value }
	at := idTime(r.ID)
	for _, c := range f.Search {
		if !c.selects(r) {
			return false
		}
	}
	return is(f.Client, r.Client) && is(f.Source, r.Source) && is(f.Tool, r.Tool) && is(f.Effect, r.Effect) && is(string(f.Outcome), string(r.Outcome)) &&
		(f.Target == "" || slices.Contains(r.Targets, f.Target)) &&
		(r.Outcome != Event || f.Events || f.Outcome == Event || f.Search.mentions(Event)) &&
		(f.Since.IsZero() || !at.Before(f.Since)) && (f.Until.IsZero() || at.Before(f.Until))
}

// selects is what a Condition promises, call by call.
func (c Condition) selects(r *Record) bool {
	has := func(fields ...string) bool {
		return slices.ContainsFunc(fields, func(field string) bool { return strings.Contains(strings.ToLower(field), strings.ToLower(c.Text)) })
	}
	holds := func(c Condition) bool { return c.selects(r) }
	switch c.Op {
	case Not:
		return !holds(c.Of[0])
	case Any:
		return slices.ContainsFunc(c.Of, holds)
	case All:
		return !slices.ContainsFunc(c.Of, func(c Condition) bool { return !holds(c) })
	}
	switch c.Field {
	case "client":
		return has(r.Client)
	case "targets":
		return has(r.Targets...)
	case "tool":
		return has(r.Tool)
	case "changes":
		return len(r.Changes) > 0
	case "effect":
		return r.Effect == c.Text
	case "outcome":
		return string(r.Outcome) == c.Text
	case "since":
		return !idTime(r.ID).Before(c.Time)
	case "until":
		return idTime(r.ID).Before(c.Time)
	}
	return has(append([]string{r.Client, r.Source, r.Tool, r.Effect, r.Code, r.Message, r.Session}, r.Targets...)...)
}
