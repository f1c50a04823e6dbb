package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFirstRun is a newcomer's first minute: the panel on a new machine finds
// notes and a client, puts one into the other, and the client reads a page.
func TestFirstRun(t *testing.T) {
	home := newHomeWith(t, fmt.Sprintf("[hub]\nport = %d\n", freeTCPPort(t)))
	cursor := filepath.Join(home, ".cursor", "mcp.json")
	if err := os.Mkdir(filepath.Dir(cursor), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cursor, []byte("{\n  // mine\n  \"mcpServers\": {}\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := openTerminal(t, home, 120, 36)
	x.typeKeys("lectern; echo left with $?", "Enter")
	x.waitFor("─ Welcome · 1 of 2 ─", "[x] notes  "+home)
	x.pressUntilShown("Enter", "Welcome · 2 of 2")
	x.waitFor("Cursor", cursor)
	if !strings.Contains(x.waitFor("Cursor"), "[x] Cursor") {
		x.pressUntilShown("Space", "[x] Cursor")
	}
	x.pressUntilShown("Enter", "Set up Lectern?")
	x.waitFor("+path = ", "mcp.json")
	x.pressUntilShown("y", "done: opened notes; connected Cursor")
	x.waitFor("─ Waiting for the first call ─")
	x.pressUntilGone("Escape", "─ Waiting for the first call ─")
	x.waitFor("● notes")

	raw, err := os.ReadFile(cursor)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), "// mine") {
		t.Errorf("the comment is gone:\n%s", raw)
	}
	var conf struct {
		Servers map[string]struct {
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(strings.Replace(string(raw), "// mine", "", 1)), &conf); err != nil {
		t.Fatalf("%v:\n%s", err, raw)
	}
	entry := conf.Servers["lectern"]
	if strings.Join(entry.Args, " ") != "serve --client cursor" || entry.Env["LECTERN_HOME"] != home {
		t.Errorf("the entry is %+v", entry)
	}
	a := connect(t, entry.Command, entry.Env["LECTERN_HOME"])
	a.nextAnswer(t)
	a.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read_page","arguments":{"path":"a.md"}}}`)
	if got := a.nextAnswer(t); !strings.Contains(string(got.Result), "words") {
		t.Errorf("the client reads %s", got.Result)
	}
	a.disconnect(t)
	x.typeKeys("q")
	x.waitFor("left with 0")
	x.typeKeys("clear; lectern hub stop", "Enter")
	x.waitFor("hub stopped")
}

// pressUntilShown presses a key until the screen holds what: an overlay that has come
// by itself is deaf for a moment. It presses seldom, for a slow screen must not
// get the key twice.
func (x terminal) pressUntilShown(key, what string) {
	x.t.Helper()
	looks := 0
	x.waitUntil(fmt.Sprintf("show %q after %s", what, key), func(screen string) bool {
		if strings.Contains(screen, what) {
			return true
		}
		if looks%150 == 20 { // the key before may be under way
			x.tmux("send-keys", key)
		}
		looks++
		return false
	})
}
