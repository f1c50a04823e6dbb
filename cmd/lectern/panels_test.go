//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// TestTwoPanels: two panels of one hub show the same. What is answered in one no
// longer waits in the other, what is added in one is there in both, and both
// find the next hub when one is killed.
func TestTwoPanels(t *testing.T) {
	home := furnish(t, "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\nask = [\"write\"]\n")
	if err := os.MkdirAll(filepath.Join(home, "second", ".obsidian"), 0o700); err != nil {
		t.Fatal(err)
	}
	panels := []*screen{openScreen(t, 120, 40, in(home), "lectern"), openScreen(t, 120, 40, in(home), "lectern")}
	both := func(what ...string) {
		t.Helper()
		for _, x := range panels {
			x.shows(what...)
		}
	}
	both("● ready", "● notes")
	first := hubOf(t, home).PID

	a := connectAgent(t, home)
	a.next(t)
	a.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	create := func(id int, title string) {
		a.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"create_page","arguments":{"title":"%s"}}}`, id, title))
	}
	create(1, "One")
	both("! 1 waiting")
	for _, x := range panels {
		x.types("!")
		x.shows("Waiting for you", "+++ after")
	}
	panels[0].dismisses("y", "Waiting for you")
	panels[1].shows("create_page: allowed elsewhere")
	for _, x := range panels {
		x.loses("waiting")
	}
	if v := a.next(t); v.ID != 1 {
		t.Errorf("told %+v", v)
	}
	both("One.md")

	// Both answer the same: one of them is the first, the other is told so.
	create(2, "Two")
	both("! 1 waiting", "Two.md")
	for _, x := range panels {
		x.repeats("!", func() { x.shows("+title: Two") })
	}
	for _, x := range panels {
		x.dismisses("y", "waiting")
	}
	if v := a.next(t); v.ID != 2 {
		t.Errorf("told %+v", v)
	}

	both("create  Two.md")
	for _, x := range panels {
		x.repeats("2", func() { x.shows("─ Sources 1 ─") })
	}
	panels[1].types("a" + filepath.Join(home, "second") + "\r")
	panels[1].shows("y yes, do it")
	panels[1].dismisses("y", "y yes, do it")
	both("─ Sources 2 ─", "● second")

	p, err := os.FindProcess(first)
	if err != nil || p.Kill() != nil {
		t.Fatalf("kill hub: %v", err)
	}
	eventually(t, "another hub runs", func() bool {
		v, err := daemon.GetHealth(t.Context(), pathsIn(home))
		return err == nil && v.PID != first
	})
	for _, x := range panels {
		x.types("1")
	}
	both("● ready", "● second", "● notes", "─ Agents")
	both(fmt.Sprintf("pid %d", hubOf(t, home).PID))
	a.leave(t)
	for _, x := range panels {
		x.types("q")
		if got := x.ends(); got != 0 {
			t.Errorf("left with %d", got)
		}
		x.restored()
	}
	stopTestHub(t, home)
}
