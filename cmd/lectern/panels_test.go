//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// TestTwoPanels: two panels of one hub show the same. What is answered in one no
// longer waits in the other, what is added in one is there in both, and both
// find the next hub when one is killed.
func TestTwoPanels(t *testing.T) {
	home := newHomeWith(t, "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\nask = [\"write\"]\n")
	if err := os.MkdirAll(filepath.Join(home, "second", ".obsidian"), 0o700); err != nil {
		t.Fatal(err)
	}
	panels := []*screen{openScreen(t, 120, 40, environIn(home), "lectern"), openScreen(t, 120, 40, environIn(home), "lectern")}
	both := func(what ...string) {
		t.Helper()
		for _, x := range panels {
			x.waitFor(what...)
		}
	}
	both("● ready", "● notes")
	first := askHub(t, home).PID

	a := connectAgent(t, home)
	a.nextAnswer(t)
	a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	create := func(id int, title string) {
		a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"create_page","arguments":{"title":"%s","content":"# %s"}}}`, id, title, title))
	}
	create(1, "One")
	both("! 1 pending")
	for _, x := range panels {
		x.typeKeys("!")
		x.waitFor("1 of 1", "+# One")
	}
	panels[0].pressWhile("y", func() { panels[0].waitFor("create  One.md") }) // what was asked about is on the screen for a moment only, or again
	panels[1].waitFor("create_page of", ": allowed elsewhere")
	for _, x := range panels {
		x.waitGone("1 pending")
	}
	if v := a.nextAnswer(t); v.ID != 1 {
		t.Errorf("told %+v", v)
	}
	both("One.md")

	// Both answer the same: one of them is the first, the other is told so.
	create(2, "Two")
	both("! 1 pending", "Two.md")
	for _, x := range panels {
		x.pressWhile("!", func() { x.waitFor("+# Two") })
	}
	for _, x := range panels {
		x.pressWhile("y", func() { x.waitFor("create  Two.md") })
	}
	if v := a.nextAnswer(t); v.ID != 2 {
		t.Errorf("told %+v", v)
	}

	for _, x := range panels {
		x.pressWhile("2", func() { x.waitFor("─ Sources 1 ─") })
	}
	panels[1].typeKeys("a" + filepath.Join(home, "second") + "\r")
	panels[1].waitFor("y yes")
	panels[1].pressUntilGone("y", "y yes")
	both("─ Sources 2 ─", "● second")

	p, err := os.FindProcess(first)
	if err != nil || p.Kill() != nil {
		t.Fatalf("kill hub: %v", err)
	}
	runtest.Eventually(t, "another hub runs", func() bool {
		v, err := daemon.GetHealth(t.Context(), daemonPaths(home))
		return err == nil && v.PID != first
	})
	both("The hub crashed and was restarted.")
	for _, x := range panels {
		x.typeKeys("1")
	}
	both("● ready", "● second", "● notes", "─ Agents")
	both(fmt.Sprintf("pid %d", askHub(t, home).PID))
	a.disconnect(t)
	for _, x := range panels {
		x.typeKeys("q")
		if got := x.waitExit(); got != 0 {
			t.Errorf("left with %d", got)
		}
		x.checkRestored()
	}
	stopTestHub(t, home)
}
