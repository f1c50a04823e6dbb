package markdown

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
)

// lookIndexed writes pages into an indexed vault and looks at it.
func lookIndexed(t *testing.T, n *Notebook, dir string, pages map[string]string) *comparison {
	t.Helper()
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := n.look(t.Context())
	if err != nil || c.x == nil {
		t.Fatal(c, err)
	}
	return c
}

// A waitingContext tells when somebody begins to wait for its end.
type waitingContext struct {
	context.Context //nolint:containedctx // it is one

	waits func()
}

func (c waitingContext) Done() <-chan struct{} {
	c.waits()
	return c.Context.Done()
}

// Equal searches that come together are one, and none fails because another was
// cancelled.
func TestEqualSearchesAreOne(t *testing.T) {
	dir := t.TempDir()
	n, _ := openPair(t, dir, nil)
	now := lookIndexed(t, n, dir, map[string]string{"a.md": "alpha\n", "b.md": "alpha beta\n"})
	q := index.Query{Terms: [][]string{{"alpha"}}}
	var c rankCache
	key := rankKey(q, 0, 10)
	running, mine := c.begin(key)
	if _, second := c.begin(key); !mine || second {
		t.Fatalf("two equal searches run: %v, %v", mine, second)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, _, err := c.search(ended, now.x, q, 0, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("one that is cancelled while it waits: %v", err)
	}
	type answer struct {
		hits  []index.Hit
		total int
		err   error
	}
	answered, waits := make(chan answer, 1), make(chan struct{})
	go func() {
		ctx := waitingContext{t.Context(), sync.OnceFunc(func() { close(waits) })}
		hits, total, _, err := c.search(ctx, now.x, q, 0, 10)
		answered <- answer{hits, total, err}
	}()
	<-waits
	c.run(key, running, func() { running.err = context.Canceled })
	got := <-answered
	want, total, _, err := now.x.Search(t.Context(), q, 0, 10)
	if d := cmp.Diff(want, got.hits); d != "" || got.total != total || got.err != nil || err != nil {
		t.Errorf("after the first was cancelled: %d, %v, %v\n%s", got.total, got.err, err, d)
	}
	again, _, _, err := c.search(t.Context(), now.x, q, 0, 10)
	if err != nil || len(again) == 0 || len(got.hits) == 0 || &again[0] != &got.hits[0] {
		t.Errorf("it was searched again: %v, %v", again, err)
	}
}

// What was found is known until a page changes.
func TestRankingsEndWithTheState(t *testing.T) {
	dir := t.TempDir()
	n, _ := openPair(t, dir, nil)
	before := lookIndexed(t, n, dir, map[string]string{"a.md": "alpha\n", "b.md": "beta\n"})
	find := func(want int) {
		t.Helper()
		out, err := n.SearchPages(t.Context(), SearchPagesIn{Query: "alpha", Limit: 10})
		if err != nil || out.Total != want {
			t.Errorf("found %d pages, want %d: %v", out.Total, want, err)
		}
	}
	find(1)
	after := lookIndexed(t, n, dir, map[string]string{"b.md": "now alpha too\n"})
	if before.cache == after.cache {
		t.Error("an edited vault has the answers of before")
	}
	find(2)
}

// Searches that differ in anything have keys that differ.
func TestRankKeysDiffer(t *testing.T) {
	terms := [][]string{{"a", "b"}}
	queries := []index.Query{
		{Terms: terms}, {Terms: [][]string{{"a"}, {"b"}}}, {Terms: terms, Spellings: [][]string{}}, {Terms: terms, Spellings: [][]string{{"c"}}},
	}
	for _, f := range []index.Filter{
		{Page: "x"},
		{Below: "x"},
		{Tag: "x"},
		{Property: "x"},
		{Property: "x", Value: "y"},
		{Tasks: index.OpenTasks},
		{Since: time.Unix(1, 0)},
		{Until: time.Unix(1, 0)},
		{Files: map[string]bool{}},
		{Files: map[string]bool{"x": true}},
		{Excluded: map[string]bool{"x": true}},
		{Files: map[string]bool{"x": true, "y": true}},
	} {
		queries = append(queries, index.Query{Terms: terms, Filter: f})
	}
	seen := map[string]int{}
	for i, q := range queries {
		for offset := range 2 {
			key := rankKey(q, offset, 10)
			if before, double := seen[key]; double || key == "" {
				t.Errorf("query %d has the key of %d: %s", i, before, key)
			}
			seen[key] = i
		}
	}
	if key := rankKey(index.Query{Terms: terms, Filter: index.Filter{Property: "x", Test: func(string) bool { return true }}}, 0, 10); key != "" {
		t.Errorf("a test has the key %s", key)
	}
}

// Equal searches share what they show, which no caller can change, and keep it only if
// all of it could be read.
func TestShownMatchesAreShared(t *testing.T) {
	dir := t.TempDir()
	n, _ := openPair(t, dir, nil)
	lookIndexed(t, n, dir, map[string]string{"a.md": "alpha\n", "b.md": "alpha beta\n"})
	in := SearchPagesIn{Query: "alpha", Limit: 10}
	s, err := newSearch(t.Context(), n, in)
	if err != nil {
		t.Fatal(err)
	}
	away := filepath.Join(t.TempDir(), "b.md")
	if err := os.Rename(filepath.Join(dir, "b.md"), away); err != nil {
		t.Fatal(err)
	}
	if r := s.described(t.Context()); r.err != nil || r.total != 1 || len(r.matches) != 1 {
		t.Fatalf("while a page is away: %+v", r)
	}
	if err := os.Rename(away, filepath.Join(dir, "b.md")); err != nil {
		t.Fatal(err)
	}
	all := s.described(t.Context())
	if all.err != nil || all.total != 2 || len(all.matches) != 2 {
		t.Fatalf("after it is back: %+v", all)
	}
	if again := s.described(t.Context()); again != all {
		t.Error("the pages were read again")
	}
	out, err := n.SearchPages(t.Context(), in)
	if err != nil || len(out.Matches) != 2 {
		t.Fatalf("%+v, %v", out, err)
	}
	first := out.Matches[0].Path
	out.redact(func(page string) bool { return page == first })
	if again, err := n.SearchPages(t.Context(), in); err != nil || len(again.Matches) != 2 || again.Matches[0].Path != first {
		t.Errorf("after a policy hid a page from one client: %+v, %v", again, err)
	}
	upper, err := newSearch(t.Context(), n, SearchPagesIn{Query: "ALPHA", Limit: 10})
	if err != nil || upper.described(t.Context()) == all {
		t.Errorf("another text has the same answer: %v", err)
	}
}
