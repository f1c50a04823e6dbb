package thismachine

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
)

// newAppWithFailingHub is a world whose hub says something and ends.
func newAppWithFailingHub(t *testing.T) *app.App {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the hub is a shell script")
	}
	a := newIsolatedApp(t)
	script := "#!/bin/sh\necho looking around >&2\necho 'open log: the disk is on fire' >&2\nexit 70\n"
	if err := os.WriteFile(a.Exe, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return a
}

// A hub that cannot start is shown as failed, with its output and an action that
// tries again; a start by hand that fails is shown as well.
func TestHubSupervisorShowsWhy(t *testing.T) {
	a := newAppWithFailingHub(t)
	if err := os.MkdirAll(a.Paths.State, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.Paths.Daemon().Output(), []byte("what a hub of yesterday said\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hub := NewHubSupervisor(a, supervisor.DefaultRestartPolicy())
	c := hub.API()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { hub.Run(ctx); close(ended) }()
	defer func() { cancel(); <-ended }()
	s := apptest.AwaitSnapshot(t, c, "failed", func(s status.Snapshot) bool { return s.Hub.State == status.Failed && len(s.Problems) > 0 })
	p := s.Problems[len(s.Problems)-1]
	if p.Code != "hub.start" || !strings.Contains(p.Title, "the disk is on fire") || p.Action == nil || p.Action.Verb != status.StartHub {
		t.Errorf("the problem is %+v", p)
	}
	if want := []string{"looking around", "open log: the disk is on fire"}; !slices.Equal(s.Hub.Stderr, want) {
		t.Errorf("stderr is %q, want %q", s.Hub.Stderr, want)
	}
	if err := os.WriteFile(a.Exe, []byte("#!/bin/sh\necho now it is the roof >&2\nexit 70\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := c.Do(t.Context(), status.Action{Verb: status.StartHub}); err == nil {
		t.Error("a hub was started")
	}
	apptest.AwaitSnapshot(t, c, "failed again", func(s status.Snapshot) bool {
		return len(s.Problems) > 0 && strings.Contains(s.Problems[len(s.Problems)-1].Title, "now it is the roof")
	})
}

// A hub that dies again and again is no longer restarted, and its last exit is
// shown. A hub that a person stopped does not count.
func TestHubSupervisorGivesUp(t *testing.T) {
	a := newIsolatedApp(t)
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	a.Now = func() time.Time { return now }
	policy := supervisor.DefaultRestartPolicy()
	policy.Steps = []time.Duration{time.Nanosecond}
	hub := NewHubSupervisor(a, policy)
	for range 2 * policy.LoopExits {
		if !hub.waitToRestart(t.Context(), 0) {
			t.Fatal("a hub that was stopped counts as one that died")
		}
	}
	died := a.Paths.Daemon().Discovery()
	if err := os.MkdirAll(filepath.Dir(died), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(died, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(a.Paths.State, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.Paths.Daemon().Output(), []byte("panic: the roof\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hub.recordExit("signal: killed")
	said := func() status.Snapshot {
		var s status.Snapshot
		hub.addReasonToSnapshot(&s)
		return s
	}
	for i := range policy.LoopExits - 1 {
		if !hub.waitToRestart(t.Context(), 0) {
			t.Fatalf("gave up after %d deaths", i+1)
		}
		if s := said(); s.Hub.State != status.Failed || !strings.Contains(s.Hub.Note, "restart in") || len(s.Problems) > 0 {
			t.Errorf("between deaths: %+v", s)
		}
	}
	if hub.waitToRestart(t.Context(), 0) {
		t.Fatal("goes on for ever")
	}
	s := said()
	if s.Hub.State != status.CrashLoop || len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Title, "signal: killed") || !slices.Equal(s.Hub.Stderr, []string{"panic: the roof"}) {
		t.Errorf("in the end: %+v, %+v", s.Hub, s.Problems)
	}
	if was := hub.clearStopReason(); was != status.CrashLoop || said().Hub.State != "" {
		t.Errorf("after a start it was %q, and is %+v", was, said())
	}
}
