package audit

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func openTrail(tb testing.TB, file string, now func() time.Time) *Trail {
	tb.Helper()
	t, err := Open(tb.Context(), Options{File: file, Key: []byte("key"), Now: now, Keep: 24 * time.Hour, MaxBytes: 1 << 30})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := t.Close(); err != nil && !errors.Is(err, sql.ErrConnDone) {
			tb.Error(err)
		}
	})
	return t
}

func calls(t *testing.T, file string, f Filter) Page {
	t.Helper()
	r, err := OpenReader(t.Context(), file, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	page, err := r.Calls(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func atNoon() time.Time { return noon }

func TestRecordComesBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "audit.db")
	if _, err := OpenReader(t.Context(), file, time.Now); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no trail: %v", err)
	}
	trail := openTrail(t, file, atNoon)
	want := Record{
		ID: trail.NewID(noon), Time: noon, Client: "zed", Proven: true, Session: "s1", Transport: "http", Role: "gm", Source: "notes", Tool: "move_page",
		Effect: "write", Targets: []string{"a.md", "b.md"}, Outcome: Failed, Code: "conflict", Message: "the page … was edited",
		Waited: 3 * time.Second, Worked: 1500 * time.Microsecond, Request: 12, Response: 34, Digest: trail.Digest([]byte("x")), Parent: 77,
		Changes: []string{"c1", "c2"}, Approval: "k3v9q2xw", Detail: json.RawMessage(`{"fuel":9}`),
	}
	trail.Add(want)
	least := Record{ID: trail.NewID(noon.Add(time.Second)), Time: noon.Add(time.Second), Outcome: OK}
	trail.Add(least)
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Page{Calls: []Record{least, want}}, calls(t, file, Filter{}), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	trail.Add(least) // after Close: nothing happens
}

func TestTargetsAreBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.db")
	trail := openTrail(t, file, atNoon)
	long := "x" + strings.Repeat("é", 200)
	r := Record{ID: trail.NewID(noon), Outcome: OK, Targets: []string{long}}
	for i := range 100 {
		r.Targets = append(r.Targets, fmt.Sprint(i))
	}
	trail.Add(r)
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	got := calls(t, file, Filter{Target: long})
	if len(got.Calls) != 1 {
		t.Fatal("not found by a long target")
	}
	if first := got.Calls[0].Targets[0]; len(got.Calls[0].Targets) != MaxTargets || len(first) > MaxTarget || !utf8.ValidString(first) {
		t.Errorf("%d targets, the first %q", len(got.Calls[0].Targets), first)
	}
}

func TestPagesAndFilters(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.db")
	trail := openTrail(t, file, atNoon)
	for i := range 250 {
		r := Record{ID: trail.NewID(noon.Add(time.Duration(i) * time.Second)), Client: "a", Source: "notes", Tool: "read_page", Effect: "read", Outcome: OK}
		if i%10 == 0 {
			r.Client, r.Source, r.Tool, r.Effect, r.Outcome, r.Targets = "b", "work", "write_page", "write", Refused, []string{"x.md", fmt.Sprint(i)}
		}
		trail.Add(r)
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	at := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	for name, c := range map[string]struct {
		f    Filter
		want int
		more bool
		last int // second of the last call
	}{
		"all":             {Filter{}, 100, true, 150},
		"limit":           {Filter{Limit: 3}, 3, true, 247},
		"exactly":         {Filter{Limit: 250}, 250, false, 0},
		"client":          {Filter{Client: "b"}, 25, false, 0},
		"source":          {Filter{Source: "work", Limit: 24}, 24, true, 10},
		"tool":            {Filter{Tool: "write_page"}, 25, false, 0},
		"effect":          {Filter{Effect: "write"}, 25, false, 0},
		"outcome":         {Filter{Outcome: Refused}, 25, false, 0},
		"target":          {Filter{Target: "20"}, 1, false, 20},
		"target of many":  {Filter{Target: "x.md"}, 25, false, 0},
		"part of a name":  {Filter{Target: "x"}, 0, false, 0},
		"client and tool": {Filter{Client: "a", Tool: "write_page"}, 0, false, 0},
		"since":           {Filter{Since: at(240)}, 10, false, 240},
		"until":           {Filter{Until: at(10)}, 10, false, 0},
		"between":         {Filter{Since: at(100), Until: at(111), Client: "b"}, 2, false, 100},
	} {
		page := calls(t, file, c.f)
		if len(page.Calls) != c.want || page.More != c.more {
			t.Errorf("%s: %d calls, more %v", name, len(page.Calls), page.More)
		} else if c.want > 0 && !page.Calls[c.want-1].Time.Equal(at(c.last)) {
			t.Errorf("%s: the last at %s", name, page.Calls[c.want-1].Time)
		}
	}
	// Page after page comes every call once, newest first.
	seen, before := 0, int64(0)
	for more := true; more; {
		page := calls(t, file, Filter{Limit: 40, Before: before})
		for _, r := range page.Calls {
			if seen++; !r.Time.Equal(at(250 - seen)) {
				t.Fatalf("call %d at %s", seen, r.Time)
			}
			before = r.ID
		}
		more = page.More
	}
	if seen != 250 {
		t.Errorf("%d calls in pages of 40", seen)
	}
}

// A search finds parts of names, whatever their case, in every page of the trail.
func TestSearch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.db")
	trail := openTrail(t, file, atNoon)
	for i := range 250 {
		r := Record{ID: trail.NewID(noon.Add(time.Duration(i) * time.Second)), Client: "Codex", Source: "notes", Tool: "read_page", Session: "s1"}
		if i%50 == 7 {
			r.Client, r.Targets, r.Code, r.Message = "100%", []string{"Daily/" + fmt.Sprint(i) + ".md", "a_b"}, "not_found", "no such page"
		}
		trail.Add(r)
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		f    Filter
		want int
	}{
		"client": {Filter{Search: Search{{Field: "client", Text: "ode"}}}, 245}, "any case": {Filter{Search: Search{{Field: "client", Text: "cODEX"}}}, 245},
		"percent": {Filter{Search: Search{{Field: "client", Text: "0%"}}}, 5}, "line": {Filter{Search: Search{{Field: "targets", Text: "a_b"}}}, 5}, "no line": {Filter{Search: Search{{Field: "tool", Text: "read-page"}}}, 0},
		"target": {Filter{Search: Search{{Field: "targets", Text: "daily/107"}}}, 1}, "word": {Filter{Search: Search{{Text: "NOT_found"}}}, 5},
		"words": {Filter{Search: Search{{Text: "such"}, {Text: "157"}}}, 1}, "word and name": {Filter{Client: "Codex", Search: Search{{Text: "daily"}}}, 0},
		"session": {Filter{Search: Search{{Text: "s1"}, {Field: "source", Text: "not"}, {Field: "tool", Text: "read"}}}, 250},
	} {
		for _, rare := range []int{1, 40, 1000} { // found among the newest, mixed, by index
			found, pages := 0, 0
			f := c.f
			f.searched, f.Limit, f.rare = 40, 30, rare
			for more := true; more; pages++ {
				page := calls(t, file, f)
				found += len(page.Calls)
				more, f.Before = page.More, page.Next
				if more != (page.Next != 0) || pages > 20 {
					t.Fatalf("%s: more %v, next %d, after %d pages", name, more, page.Next, pages)
				}
			}
			if found != c.want {
				t.Errorf("%s, rare %d: %d calls, want %d", name, rare, found, c.want)
			}
		}
	}
}

// Processes that write to the same file do not lose each other's calls.
func TestTwoWriters(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.db")
	trails := []*Trail{openTrail(t, file, atNoon), openTrail(t, file, atNoon)}
	var adding sync.WaitGroup
	for n, trail := range trails {
		adding.Go(func() {
			for i := range 400 {
				trail.Add(Record{ID: trail.NewID(noon.Add(time.Duration(2*i+n) * time.Millisecond)), Outcome: OK})
			}
		})
	}
	adding.Wait()
	for _, trail := range trails {
		if err := trail.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := len(calls(t, file, Filter{Limit: 1000}).Calls); n != 800 {
		t.Errorf("%d calls of 800", n)
	}
}

// Records are written soon, without anybody asking for it.
func TestRecordsAreWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.db")
	trail := openTrail(t, file, atNoon)
	trail.Add(Record{ID: trail.NewID(noon), Outcome: OK})
	runtest.Eventually(t, "the record is written", func() bool { return len(calls(t, file, Filter{}).Calls) > 0 })
}

// A file that cannot be written is a problem as long as it lasts, and what was
// lost meanwhile is counted in the trail itself.
func TestLostRecordsAreCounted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.db")
	trail := openTrail(t, file, func() time.Time { return noon.Add(time.Hour) })
	damage, mend := "ALTER TABLE calls RENAME TO away", "ALTER TABLE away RENAME TO calls"
	run(t, trail, damage)
	const many = maxWaiting + 2*maxBatch
	for i := range many {
		trail.Add(Record{ID: trail.NewID(noon.Add(time.Duration(i) * time.Millisecond)), Client: "zed", Outcome: OK})
	}
	if err := trail.Err(); err == nil || !strings.Contains(err.Error(), "audit: ") {
		t.Errorf("while it cannot be written: %v", err)
	}
	run(t, trail, mend)
	if err := trail.Close(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	lost := calls(t, file, Filter{Outcome: Dropped})
	if len(lost.Calls) != 1 {
		t.Fatalf("%d records of lost ones", len(lost.Calls))
	}
	var n int
	if _, err := fmt.Sscanf(lost.Calls[0].Message, "%d calls were not recorded", &n); err != nil {
		t.Fatal(err)
	}
	kept, before := 0, int64(0)
	for more := true; more; {
		page := calls(t, file, Filter{Client: "zed", Limit: 1000, Before: before})
		kept, more = kept+len(page.Calls), page.More
		if len(page.Calls) > 0 {
			before = page.Calls[len(page.Calls)-1].ID
		}
	}
	if n == 0 || kept+n != many {
		t.Errorf("%d kept and %d lost of %d", kept, n, many)
	}
}

func TestRetention(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.db")
	trail := openTrail(t, file, atNoon)
	ctx := t.Context()
	var records []Record
	for i := range 6000 {
		records = append(records, Record{
			ID: trail.NewID(noon.Add(time.Duration(i) * time.Second)), Outcome: OK, Message: strings.Repeat("x", 300), Targets: []string{fmt.Sprint(i), "of all"}, Session: fmt.Sprintf("s%d", i/100%100),
		})
	}
	if err := insert(ctx, trail.store, records); err != nil {
		t.Fatal(err)
	}
	count := func(query string) (n int64) {
		if err := trail.store.Reader().QueryRow(ctx, query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := enforceRetention(ctx, trail.store, noon.Add(2500*time.Second), 1<<30); err != nil {
		t.Fatal(err)
	}
	targets, names := count("SELECT count(*) FROM call_targets"), count("SELECT count(*) FROM search_values")
	if n := count("SELECT count(*) FROM calls"); n != 3500 || targets != 3500+3500 || names != 3500+1+35 {
		t.Errorf("by age %d calls, %d targets and %d names are left", n, targets, names)
	}
	if oldest := idTime(count("SELECT min(id) FROM calls")); !oldest.Equal(noon.Add(2500 * time.Second)) {
		t.Errorf("by age the oldest is from %s", oldest)
	}
	full, err := usedBytes(ctx, trail.store)
	if err != nil {
		t.Fatal(err)
	}
	if err := enforceRetention(ctx, trail.store, noon, full/2); err != nil {
		t.Fatal(err)
	}
	left, err := usedBytes(ctx, trail.store)
	if n := count("SELECT count(*) FROM calls"); err != nil || left > full/2 || n == 0 || n >= 3500 {
		t.Errorf("by size %d calls are left in %d bytes of %d, %v", n, left, full, err)
	}
	if newest := idTime(count("SELECT max(id) FROM calls")); !newest.Equal(noon.Add(5999 * time.Second)) {
		t.Errorf("by size the newest is from %s", newest)
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Size() > full*3/4 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
}

func TestDigestIsKeyed(t *testing.T) {
	dir := t.TempDir()
	a := openTrail(t, filepath.Join(dir, "a"), atNoon)
	b, err := Open(t.Context(), Options{File: filepath.Join(dir, "b"), Key: []byte("another"), Now: time.Now, Keep: time.Hour, MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	text := `{"page":"a"}`
	digest := a.Digest([]byte(text))
	if digest != a.Digest([]byte(text)) || digest == a.Digest([]byte(text[1:])) || digest == b.Digest([]byte(text)) || len(digest) != 32 {
		t.Errorf("digests %s %s %s", digest, a.Digest([]byte(text[1:])), b.Digest([]byte(text)))
	}
}

func run(t *testing.T, trail *Trail, statement string) {
	t.Helper()
	// its own connection, as another process would
	s, err := sql.Open("sqlite", "file:"+trail.opts.File+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// The names of targets are a list in JSON in the row of their call.
func TestSearchForNamesThatJSONEscapes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.db")
	trail := openTrail(t, file, atNoon)
	for i, name := range []string{"R&D.md", `the "plan".md`, `a\b.md`, "<x>.md"} {
		trail.Add(Record{ID: trail.NewID(noon.Add(time.Duration(i) * time.Second)), Targets: []string{"first.md", name}, Outcome: OK})
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]int{"&d": 1, `"plan"`: 1, `\b`: 1, "<x>": 1, `md","`: 0, "": 4} {
		for _, rare := range []int{1, 1000} {
			f := Filter{rare: rare, searched: 2, Search: Search{{Field: "targets", Text: word}}}
			found := 0
			for more := true; more; {
				page := calls(t, file, f)
				found += len(page.Calls)
				more, f.Before = page.More, page.Next
			}
			if found != want {
				t.Errorf("%q, rare %d: %d calls, want %d", word, rare, found, want)
			}
		}
	}
}
