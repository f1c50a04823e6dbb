package app

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A client is seen while it sends something, not only when it connects, and also
// after the clock was set back; a busy one costs a write a minute.
func TestSeenClients(t *testing.T) {
	file := filepath.Join(t.TempDir(), "seen.json")
	start := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	now := start
	s := NewSeenClients(file, func() time.Time { return now })
	s.RecordConnected("")
	if seen := ReadSeenClients(file); len(seen) > 0 {
		t.Errorf("nobody is noted as %v", seen)
	}
	in := s.WrapReader(strings.NewReader("ab"), "codex")
	one := make([]byte, 1)
	for _, step := range []struct {
		after time.Duration
		want  time.Duration // of what is noted
	}{{0, 0}, {3 * time.Hour, 3 * time.Hour}} {
		now = start.Add(step.after)
		if _, err := in.Read(one); err != nil {
			t.Fatal(err)
		}
		if got := ReadSeenClients(file)["codex"]; !got.Equal(start.Add(step.want)) {
			t.Errorf("after %s: %s", step.after, got)
		}
	}
	now = start.Add(5 * time.Hour)
	if _, err := in.Read(one); err != io.EOF {
		t.Fatal(err)
	}
	for _, step := range []struct{ at, want time.Duration }{
		{3*time.Hour + 59*time.Second, 3 * time.Hour}, // the end of a stream is no sign of life; another minute is
		{3*time.Hour + 60*time.Second, 3*time.Hour + time.Minute},
		{time.Hour, time.Hour},
	} {
		now = start.Add(step.at)
		s.RecordConnected("codex")
		if got := ReadSeenClients(file)["codex"]; !got.Equal(start.Add(step.want)) {
			t.Errorf("at %s: %s", step.at, got)
		}
	}
	if again := NewSeenClients(file, func() time.Time { return now }); !again.last["codex"].Equal(now) {
		t.Errorf("the next hub knows %v", again.last)
	}
}
