package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
)

// unwilling is a world whose hub says something and ends.
func unwilling(t *testing.T) *world {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the hub is a shell script")
	}
	w := quiet(t)
	script := "#!/bin/sh\necho looking around >&2\necho 'open log: the disk is on fire' >&2\nexit 70\n"
	if err := os.WriteFile(w.exe, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return w
}

// A hub that cannot start is shown as failed, with what it said and what tries
// again, and that it cannot be started by hand either is shown as well.
func TestTenderTellsWhy(t *testing.T) {
	w := unwilling(t)
	if err := os.MkdirAll(w.places.State, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.hubPaths().Output(), []byte("what a hub of yesterday said\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hub := w.newTender(supervisor.DefaultRestartPolicy())
	c := w.client(hub)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { hub.run(ctx); close(ended) }()
	defer func() { cancel(); <-ended }()
	s := seen(t, c, "failed", func(s status.Snapshot) bool { return s.Hub.State == status.Failed && len(s.Problems) > 0 })
	p := s.Problems[len(s.Problems)-1]
	if p.Code != "hub.start" || !strings.Contains(p.Title, "the disk is on fire") || p.Action == nil || p.Action.Verb != status.StartHub {
		t.Errorf("the problem is %+v", p)
	}
	if want := []string{"looking around", "open log: the disk is on fire"}; !slices.Equal(s.Hub.Stderr, want) {
		t.Errorf("stderr is %q, want %q", s.Hub.Stderr, want)
	}
	if err := os.WriteFile(w.exe, []byte("#!/bin/sh\necho now it is the roof >&2\nexit 70\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := c.Do(t.Context(), status.Action{Verb: status.StartHub}); err == nil {
		t.Error("a hub was started")
	}
	seen(t, c, "failed anew", func(s status.Snapshot) bool {
		return len(s.Problems) > 0 && strings.Contains(s.Problems[len(s.Problems)-1].Title, "now it is the roof")
	})
}

// A hub that dies again and again is left alone in the end, and how it ended is
// said; one that a person stopped is no loss.
func TestTenderGivesUp(t *testing.T) {
	w := quiet(t)
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	w.now = func() time.Time { return now }
	policy := supervisor.DefaultRestartPolicy()
	policy.Steps = []time.Duration{time.Nanosecond}
	hub := w.newTender(policy)
	for range 2 * policy.LoopExits {
		if !hub.wait(t.Context()) {
			t.Fatal("a hub that was stopped counts as one that died")
		}
	}
	died := w.hubPaths().Discovery()
	if err := os.MkdirAll(filepath.Dir(died), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(died, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(w.places.State, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.hubPaths().Output(), []byte("panic: the roof\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hub.ended("signal: killed")
	said := func() status.Snapshot {
		var s status.Snapshot
		hub.tell(&s)
		return s
	}
	for i := range policy.LoopExits - 1 {
		if !hub.wait(t.Context()) {
			t.Fatalf("gave up after %d deaths", i+1)
		}
		if s := said(); s.Hub.State != status.Failed || !strings.Contains(s.Hub.Note, "starts again in") || len(s.Problems) > 0 {
			t.Errorf("between deaths: %+v", s)
		}
	}
	if hub.wait(t.Context()) {
		t.Fatal("goes on for ever")
	}
	s := said()
	if s.Hub.State != status.CrashLoop || len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Title, "signal: killed") || !slices.Equal(s.Hub.Stderr, []string{"panic: the roof"}) {
		t.Errorf("in the end: %+v, %+v", s.Hub, s.Problems)
	}
	if was := hub.clear(); was != status.CrashLoop || said().Hub.State != "" {
		t.Errorf("after a start it was %q, and is %+v", was, said())
	}
}
