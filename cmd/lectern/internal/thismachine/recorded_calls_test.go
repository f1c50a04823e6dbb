package thismachine

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
)

// What is read from the audit is what the panel selects among the calls it has
// seen, with no hub at all.
func TestRecordedCallsMatchAlike(t *testing.T) {
	a := newIsolatedApp(t)
	m := newMachine(a, new(statustest.Fake))
	none, err := status.Ask(t.Context(), m, status.RecordedCallsQuery, status.RecordedCallFilter{})
	if err != nil || len(none.Calls) != 0 || none.Next != 0 {
		t.Fatalf("without an audit: %+v, %v", none, err)
	}
	trail, err := audit.Open(t.Context(), audit.Options{File: filepath.Clean(a.Paths.Audit()), Key: []byte("k"), Now: time.Now, Keep: time.Hour * 24 * 365 * 50, MaxBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	began := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for i := range 400 {
		r := audit.Record{
			ID: trail.NewID(began.Add(time.Duration(i) * 7 * time.Minute)), Client: pick("Codex", "claude-code", "100%", ""), Proven: i%2 == 0, Session: fmt.Sprint("s", i/50),
			Source: pick("notes", "notes-2", "wiki"), Tool: pick("read_page", "write_page", "org-query"), Effect: pick("read", "write"), Outcome: audit.OK,
			Targets: [][]string{nil, {"Private/x.md"}, {"Daily/ä_b.md", "README.md"}}[rng.IntN(3)], Waited: time.Duration(i) * time.Millisecond, Worked: time.Second,
			Request: 3, Response: 4, Changes: [][]string{nil, {"c1"}}[rng.IntN(2)],
		}
		switch rng.IntN(4) {
		case 0:
			r.Outcome, r.Code, r.Message = audit.Refused, "denied", "not allowed here"
		case 1:
			r.Outcome, r.Code, r.Message = audit.Failed, "not_found", "no such page"
		case 2:
			r.Outcome, r.Code = audit.Asked, status.Asked
		}
		trail.Add(r)
	}
	trail.Add(audit.Record{ID: trail.NewID(began), Outcome: audit.Dropped, Message: "3 calls were not recorded"})
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	all := recordedCalls(t, m, status.CallSearch{})
	if len(all) != 400 || all[0].Duration != time.Second+399*time.Millisecond || all[0].Worked() != time.Second || !all[0].Time.Equal(began.Add(399*7*time.Minute)) {
		t.Fatalf("%d calls, first %+v", len(all), all[0])
	}
	parts := []string{
		"client:codex", "client:0%", "source:notes", "tool:ORG", "tool:_page", "target:private", "target:ä_", "effect:write", "is:ok", "is:refused",
		"is:error", "is:asked", "on:2026-11-21", "since:2026-11-20T10:00", "until:2026-11-21", "readme", "denied", "s3", "page", "%", "zebra", "here", "a:b",
	}
	for range 300 {
		text := ""
		for range 1 + rng.IntN(3) {
			text = pick(parts...) + pick(" ", " ", " OR ", " -") + pick(parts...) + pick("", " ("+text+")", " OR -("+text+")")
			text = strings.NewReplacer(" ()", "", " OR -()", "").Replace(text)
		}
		search, err := status.ParseCallSearch(text, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		search.Source = pick("", "", "notes")
		want := slices.DeleteFunc(slices.Clone(all), func(c status.Call) bool { return !search.Matches(&c) })
		got := recordedCalls(t, m, search)
		if !slices.EqualFunc(got, want, func(a, b status.Call) bool { return a.ID == b.ID }) {
			t.Errorf("%q in %q: %d recorded calls, %d match", text, search.Source, len(got), len(want))
		}
	}
}

// recordedCalls reads page after page.
func recordedCalls(t *testing.T, m *Machine, s status.CallSearch) (all []status.Call) {
	t.Helper()
	for f := (status.RecordedCallFilter{CallSearch: s, Limit: 70}); ; {
		page, err := status.Ask(t.Context(), m, status.RecordedCallsQuery, f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Calls...)
		if f.Before = page.Next; f.Before == 0 {
			return all
		}
	}
}

// What the hub knows of a call besides comes back from the audit: what a search found, and what a
// person left out. A System's own facts are none of that.
func TestRecordedCallsSayWhatTheHubKnows(t *testing.T) {
	a := newIsolatedApp(t)
	trail, err := audit.Open(t.Context(), audit.Options{File: filepath.Clean(a.Paths.Audit()), Key: []byte("k"), Now: time.Now, Keep: time.Hour, MaxBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	found := 3
	began := time.Now()
	for i, detail := range []string{
		string(audit.HubDetail{Found: &found}.Encode()), string(audit.HubDetail{ChangedByPerson: true, Hunks: 5, LeftOut: 2}.Encode()),
		string(audit.HubDetail{}.Encode()), `{"status":200}`, `[1]`,
	} {
		trail.Add(audit.Record{ID: trail.NewID(began.Add(time.Duration(i) * time.Second)), Tool: "t", Outcome: audit.OK, Detail: []byte(detail)})
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range recordedCalls(t, newMachine(a, new(statustest.Fake)), status.CallSearch{}) { // the newest first
		n := -1
		if c.Found != nil {
			n = *c.Found
		}
		got = append(got, fmt.Sprintf("%d found, %s", n, c.PersonEdit.Note()))
	}
	want := []string{"-1 found, ", "-1 found, ", "-1 found, ", "-1 found, 2 of 5 hunks left out", "3 found, "}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
