package machine

import (
	"testing"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
)

// A look at this machine that finds what the last one found wakes nobody: a
// panel would draw the same again, every half minute.
func TestLookWithoutNewsWakesNobody(t *testing.T) {
	l := newMachine(isolated(t), &statustest.Fake{})
	l.scan(t.Context())
	first, changed := l.current()
	if len(first.installs) == 0 {
		t.Fatal("nothing was found")
	}
	l.scan(t.Context())
	select {
	case <-changed:
		second, _ := l.current()
		t.Errorf("woken without news: %+v, was %+v", second, first)
	default:
	}
	l.change(func(s *localState) { s.update = status.Update{Available: "9.9.9"} })
	select {
	case <-changed:
	default:
		t.Error("news wakes nobody")
	}
}
