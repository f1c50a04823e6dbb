package hubproc

import (
	"os"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// What the runtime printed last is the reason, unless it is of an earlier hub or was
// never printed.
func TestReadCrashLine(t *testing.T) {
	p := daemon.Paths{State: t.TempDir()}
	now := time.Now()
	if got := readCrashLine(p, now); got != "" {
		t.Errorf("without output: %q", got)
	}
	const text = "panic: the first\n\ngoroutine 1 [running]:\nfatal error: all goroutines are asleep\n\ngoroutine 1 [chan receive]:\n"
	if err := os.WriteFile(p.Output(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := readCrashLine(p, now.Add(-time.Hour)), "fatal error: all goroutines are asleep"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := readCrashLine(p, now.Add(time.Hour)); got != "" {
		t.Errorf("of a hub before: %q", got)
	}
	if err := os.WriteFile(p.Output(), []byte("listening\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := readCrashLine(p, now.Add(-time.Hour)); got != "" {
		t.Errorf("without a crash: %q", got)
	}
}
