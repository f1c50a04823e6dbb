//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Four agents ask at once to write into a folder that does not exist. The first yes makes it, which
// changes what the other three would do: their plans are shown again without it, each yes is for
// the call on the screen alone, and all four are written.
func TestFourAgentsAskAtOnce(t *testing.T) {
	home := newHomeWith(t, "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\nask = [\"write\"]\n")
	x := openScreen(t, 120, 40, environIn(home), "lectern")
	x.waitFor("● ready", "● notes")
	lectern, err := exec.LookPath("lectern")
	if err != nil {
		t.Fatal(err)
	}
	var agents []*agent
	for i := range 4 {
		a := connectAs(t, lectern, home, fmt.Sprintf("agent-%d", i))
		a.nextAnswer(t)
		a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_page","arguments":{"path":"Agents/q%d.md","content":"text %d\n"}}}`, i, i))
		x.waitFor(fmt.Sprintf("! %d pending", i+1))
		agents = append(agents, a)
	}
	x.pressWhile("!", func() { x.waitFor("1 of 4", "2 targets", "create Agents/ ", "+text 0") })
	for i, a := range agents {
		if i > 0 {
			x.waitGone("2 targets")
		}
		x.waitFor(fmt.Sprintf("1 of %d", 4-i), fmt.Sprintf("+text %d", i), "all shown")
		x.pressUntilGone("y", fmt.Sprintf("! %d pending", 4-i))
		if v := a.nextAnswer(t); len(v.Error) > 0 || strings.Contains(string(v.Result), `"isError":true`) {
			t.Errorf("agent %d is told %s%s", i, v.Result, v.Error)
		}
		text, err := os.ReadFile(filepath.Join(home, "notes", "Agents", fmt.Sprintf("q%d.md", i)))
		if err != nil || string(text) != fmt.Sprintf("text %d\n", i) {
			t.Errorf("the page of agent %d: %q, %v", i, text, err)
		}
		if i < 3 {
			if _, err := os.Stat(filepath.Join(home, "notes", "Agents", fmt.Sprintf("q%d.md", i+1))); err == nil {
				t.Errorf("the page of agent %d was written with the one before", i+1)
			}
		}
	}
	x.waitFor("─ Changes", "Agents/q0.md", "Agents/q3.md")
	x.typeKeys("q")
	if got := x.waitExit(); got != 0 {
		t.Errorf("left with %d", got)
	}
	for _, a := range agents {
		a.disconnect(t)
	}
	stopTestHub(t, home)
}
