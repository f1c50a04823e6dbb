package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

// A look that never comes back holds up nothing.
func TestDoctorGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		defer close(never)
		v := doctor{world: testWorld(t)}.visit(t.Context(), "")
		got := v.look(t.Context(), check{name: "a.b", title: "A", within: time.Minute, look: func(context.Context, *visit) status.Check {
			<-never
			return good("late")
		}})
		want := status.Check{
			Name: "a.b", Title: "A", Result: status.CheckFail, Detail: "no answer within 1m0s",
			Fix: "See whether the disk or the program behind it still answers.",
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// The channel ends with ctx, whether or not somebody reads.
func TestDoctorEndsWithItsReader(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	found, err := doctor{world: testWorld(t)}.Check(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	if c := <-found; c.Name != "config.file" || c.Result != status.CheckOK || c.Title == "" {
		t.Errorf("first came %+v", c)
	}
	cancel()
	for range found { // at most one is on its way
	}
	if _, err := (doctor{world: testWorld(t)}).Check(t.Context(), "nothing"); err == nil {
		t.Error("looked at nothing")
	}
}

// Names are stable, each is there once, and what is one group stands together.
func TestDoctorNames(t *testing.T) {
	names := doctor{world: testWorld(t)}.names()
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] || strings.Count(name, ".") != 1 || strings.ToLower(name) != name {
			t.Errorf("%s", name)
		}
		seen[name] = true
	}
	in := map[string]bool{}
	for _, group := range groups(names) {
		if in[group] {
			t.Errorf("group %s stands in two places", group)
		}
		in[group] = true
	}
}

func TestDoctorClock(t *testing.T) {
	w := testWorld(t)
	if err := os.MkdirAll(w.places.State, 0o700); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for want, at := range map[string]time.Time{
		"on the disk as well":           now,
		"yet this binary was written":   now.Add(-24 * 365 * 10 * time.Hour),
		"the clock of the disk is 2h0m": now.Add(2 * time.Hour),
	} {
		w.now = func() time.Time { return at }
		got := lookAtClock(t.Context(), doctor{world: w}.visit(t.Context(), ""))
		if !strings.Contains(got.Detail, want) {
			t.Errorf("%+v, want %s", got, want)
		}
	}
	left, err := filepath.Glob(filepath.Join(w.places.State, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Colours come with a terminal alone, and what others wrote obeys none of theirs.
func TestDoctorReport(t *testing.T) {
	var out strings.Builder
	w := testWorld(t)
	w.out = &out
	r := w.reportOf([]string{"a.b"})
	r.check(status.Check{Name: "a.b", Title: "T", Result: status.CheckFail, Detail: "no\x1b[2J", Fix: "Do\nit."})
	r.check(status.Check{Name: "a.b", Title: "T", Result: status.CheckOK})
	r.sum([]status.Check{{Result: status.CheckFail}, {Result: status.CheckOK}, {Result: status.CheckOK}})
	want := "bad      a.b  no␛[2J\n              Do␊it.\ngood     a.b  T\n\n2 good, 1 bad\n"
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
	out.Reset()
	r.colour = true
	r.check(status.Check{Name: "a.b", Result: status.CheckOK, Detail: "fine"})
	if want := "\x1b[32mgood   \x1b[0m  a.b  fine\n"; out.String() != want {
		t.Errorf("%q", &out)
	}
}
