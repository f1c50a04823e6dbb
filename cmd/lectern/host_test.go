package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

// openHost is a host without sockets and, by its configuration, without HTTP.
func openHost(t *testing.T, text string) (*host, status.Client) {
	t.Helper()
	w := testWorld(t)
	writeConfig(t, w, text)
	return hostOf(t, w)
}

// hostOf opens a host of w, whose configuration asks for no HTTP.
func hostOf(t *testing.T, w *world) (*host, status.Client) {
	t.Helper()
	h, err := w.newHost(slog.LevelDebug)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() {
		cancel()
		if err := h.close(); err != nil {
			t.Error(err)
		}
	})
	if err := h.open(ctx); err != nil {
		t.Fatal(err)
	}
	return h, h.api()
}

func writeConfig(t *testing.T, w *world, text string) {
	t.Helper()
	if err := os.WriteFile(w.places.File(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// seen waits for a snapshot that pleases.
func seen(t *testing.T, c status.Client, what string, pleases func(status.Snapshot) bool) status.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	shots, err := c.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var last status.Snapshot
	for last = range shots {
		if pleases(last) {
			return last
		}
	}
	t.Fatalf("never seen: %s; last %+v", what, last)
	return last
}

func ready(names ...string) func(status.Snapshot) bool {
	return func(s status.Snapshot) bool {
		var got []string
		for _, src := range s.Sources {
			if src.State == status.Ready {
				got = append(got, src.Name)
			}
		}
		return cmp.Equal(got, names)
	}
}

func problem(kind status.ProblemType) func(status.Snapshot) bool {
	return func(s status.Snapshot) bool {
		for _, p := range s.Problems {
			if p.Code == kind.Code {
				return true
			}
		}
		return false
	}
}

func TestActions(t *testing.T) {
	_, c := openHost(t, "[hub]\nhttp = false\n")
	seen(t, c, "the sample", ready(sampleName))
	notes := filepath.Join(t.TempDir(), "notes")
	if err := os.MkdirAll(filepath.Join(notes, ".obsidian"), 0o700); err != nil {
		t.Fatal(err)
	}
	add := status.Action{Verb: status.AddSource, Source: &status.NewSource{Place: notes}}
	plan, err := c.Preview(t.Context(), add)
	if err != nil || plan.Title != "Add source notes" || !strings.Contains(plan.Steps[0].Diff, "+path = ") || len(plan.Risks) != 2 {
		t.Fatalf("plan %+v, %v", plan, err)
	}
	if err := c.Do(t.Context(), add); err != nil {
		t.Fatal(err)
	}
	seen(t, c, "the added source alone", ready("notes"))
	for _, verb := range []status.Verb{status.PinHub, status.UnpinHub} {
		if err := c.Do(t.Context(), status.Action{Verb: verb}); err != nil {
			t.Fatal(err)
		}
		seen(t, c, string(verb), func(s status.Snapshot) bool { return s.Hub.Pinned == (verb == status.PinHub) })
	}
	if err := c.Do(t.Context(), status.Action{Verb: status.ReopenSource, Target: "nobody"}); err == nil {
		t.Error("reopened a source that is not there")
	}
	relative := status.Action{Verb: status.AddSource, Source: &status.NewSource{Place: "notes"}}
	if err := c.Do(t.Context(), relative); err == nil || !strings.Contains(err.Error(), "in full") {
		t.Errorf("added a path relative to the hub: %v", err)
	}
	if err := c.Do(t.Context(), status.Action{Verb: "make.coffee"}); err == nil {
		t.Error("did what nobody knows")
	}
	if err := c.Do(t.Context(), status.Action{Verb: status.RemoveSource, Target: "notes"}); err != nil {
		t.Fatal(err)
	}
	seen(t, c, "the sample again", ready(sampleName))
}

// Every action of the hub has a preview, so that the panel has something to show.
func TestEveryVerbHasAPlan(t *testing.T) {
	_, c := openHost(t, "[hub]\nhttp = false\n")
	for _, verb := range []status.Verb{status.PinHub, status.UnpinHub, status.ReopenSource, status.Reload} {
		if plan, err := c.Preview(t.Context(), status.Action{Verb: verb, Target: sampleName}); err != nil || plan.Title == "" {
			t.Errorf("%s: %+v, %v", verb, plan, err)
		}
	}
}

func TestReload(t *testing.T) {
	h, c := openHost(t, "[hub]\nhttp = false\n")
	seen(t, c, "the sample", ready(sampleName))
	writeConfig(t, h.world, "[hub\n")
	if err := h.reload(t.Context()); err == nil || !strings.Contains(err.Error(), "config.toml:1:5") {
		t.Errorf("got %v", err)
	}
	s := seen(t, c, "the broken file", problem(configBroken))
	if s.Hub.State != status.Degraded || !ready(sampleName)(s) {
		t.Errorf("the hub is %s with %+v", s.Hub.State, s.Sources)
	}
	writeConfig(t, h.world, "[hub]\nhttp = false\nidle_after = \"1h\"\n")
	if err := h.reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	s = seen(t, c, "that a restart is needed", problem(hubRestart))
	if problem(configBroken)(s) || s.Hub.State != status.Ready {
		t.Errorf("the hub is %s with %+v", s.Hub.State, s.Problems)
	}
}

// What a broken file was meant to forbid is not known, so nothing is served
// and nothing listens until it is mended.
func TestColdStartWithABrokenFile(t *testing.T) {
	h, c := openHost(t, "[[source]]\nname = \"notes\"\nreadonly = true\n")
	s := seen(t, c, "the broken file", problem(configBroken))
	if len(s.Sources) > 0 || s.Hub.Endpoint != "" || h.web.port() != 0 {
		t.Errorf("serves %+v at %q", s.Sources, s.Hub.Endpoint)
	}
}

// A damaged journal is a problem that names the file moved aside, in this hub
// and the next, until a person acknowledges it.
func TestDamagedJournal(t *testing.T) {
	w := testWorld(t)
	writeConfig(t, w, "[hub]\nhttp = false\n")
	if err := os.MkdirAll(w.journalDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.journalDir(), "journal.db"), []byte(strings.Repeat("noise", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.journalDir(), "journal.key"), []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		h, err := w.newHost(slog.LevelDebug)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.open(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := seen(t, h.api(), "the damage", problem(journalDamaged))
		p := s.Problems[slices.IndexFunc(s.Problems, func(p status.Problem) bool { return p.Code == journalDamaged.Code })]
		if !strings.Contains(p.Fix, "journal.db.damaged-") || p.Action == nil || s.Hub.State != status.Degraded {
			t.Errorf("the hub is %s with %+v", s.Hub.State, p)
		}
		if err := h.close(); err != nil {
			t.Fatal(err)
		}
	}
	h, c := hostOf(t, w)
	seen(t, c, "the damage", problem(journalDamaged))
	act := status.Action{Verb: status.Acknowledge, Target: journalDamaged.Code}
	if _, err := c.Preview(t.Context(), act); err != nil {
		t.Error(err)
	}
	if err := c.Do(t.Context(), status.Action{Verb: status.Acknowledge, Target: "port.taken"}); err == nil {
		t.Error("what is still wrong was acknowledged")
	}
	if err := c.Do(t.Context(), act); err != nil {
		t.Fatal(err)
	}
	seen(t, c, "no damage", func(s status.Snapshot) bool { return !problem(journalDamaged)(s) && s.Hub.State == status.Ready })
	if shown := h.lookAtJournal(nil); len(shown) > 0 {
		t.Errorf("still there: %q", shown)
	}
}
