package thismachine

import (
	"testing"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
)

// A scan that finds nothing new wakes no watcher: a panel would redraw the same
// screen every half minute.
func TestScanWithoutChangesWakesNoWatcher(t *testing.T) {
	l := newMachine(newIsolatedApp(t), &statustest.Fake{})
	l.scan(t.Context())
	first, changed := l.currentState()
	if len(first.installs) == 0 {
		t.Fatal("nothing was found")
	}
	l.scan(t.Context())
	select {
	case <-changed:
		second, _ := l.currentState()
		t.Errorf("woken without news: %+v, was %+v", second, first)
	default:
	}
	l.changeLocalState(func(s *machineSnapshot) { s.update = status.Update{Available: "9.9.9"} })
	select {
	case <-changed:
	default:
		t.Error("news wakes nobody")
	}
}
