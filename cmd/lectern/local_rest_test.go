package main

import (
	"testing"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
)

// A look at this machine that finds what the last one found wakes nobody: a
// panel would draw the same again, every half minute.
func TestLookWithoutNewsWakesNobody(t *testing.T) {
	l := quiet(t).onMachine(&statustest.Fake{})
	l.look(t.Context())
	first, changed := l.present()
	if len(first.installs) == 0 {
		t.Fatal("nothing was found")
	}
	l.look(t.Context())
	select {
	case <-changed:
		second, _ := l.present()
		t.Errorf("woken without news: %+v, was %+v", second, first)
	default:
	}
	l.change(func(a *addition) { a.update = status.Update{Available: "9.9.9"} })
	select {
	case <-changed:
	default:
		t.Error("news wakes nobody")
	}
}
