package pauses

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestPauseAndResume(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "state", "paused.json"), time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	f, other := Open(path, clock), Open(path, clock)
	since := func(client string) time.Time {
		t.Helper()
		s, err := other.State() // another process
		if err != nil {
			t.Fatal(err)
		}
		return s.Since(client)
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if !since("codex").IsZero() {
		t.Error("stopped before anybody said so")
	}
	do(f.Resume(""))
	do(f.Pause("codex"))
	first := now
	now = now.Add(time.Hour)
	do(f.Pause("CODEX")) // the first time counts
	if !since("Codex").Equal(first) || !since("cursor").IsZero() {
		t.Errorf("codex %s, cursor %s", since("codex"), since("cursor"))
	}
	do(other.Pause(""))
	if !since("codex").Equal(now) || !since("").Equal(now) {
		t.Error("not all are stopped")
	}
	do(f.Resume("codex"))
	if since("codex").IsZero() {
		t.Error("one of all was let go")
	}
	do(f.Resume(""))
	if _, err := os.Stat(path); !os.IsNotExist(err) || !since("codex").IsZero() {
		t.Errorf("after all were let go: %v", err)
	}
}

// A file that cannot be read stops everybody until a person decides.
func TestDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "paused.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := Open(path, time.Now)
	if _, err := f.State(); err == nil || !strings.Contains(err.Error(), "paused.json does not say who may not write") {
		t.Errorf("got %v", err)
	}
	if err := f.Resume(""); err != nil {
		t.Fatal(err)
	}
	if s, err := f.State(); err != nil || !s.Since("x").IsZero() {
		t.Errorf("got %+v, %v", s, err)
	}
}
