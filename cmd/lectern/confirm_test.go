package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// On a terminal a plan is applied only after the person has confirmed it.
func TestAskInATerminal(t *testing.T) {
	home := newHomeWith(t, "[hub]\nhttp = false\n")
	x := openTerminal(t, home, 100, 40)
	file := filepath.Join(home, ".cursor", "mcp.json")

	x.typeKeys("clear; HOME="+home+" lectern client install cursor; echo left with $?", "Enter")
	x.waitFor("+  \"mcpServers\": {", "Apply these changes? [y/N]")
	x.typeKeys("no", "Enter")
	x.waitFor("nothing was changed", "left with 4")
	if _, err := os.Stat(file); err == nil {
		t.Error("no was taken for yes")
	}
	x.typeKeys("clear; HOME="+home+" lectern client install cursor; echo left with $?", "Enter")
	x.waitFor("Apply these changes? [y/N]")
	x.typeKeys("y", "Enter")
	x.waitFor("done", "left with 0")
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), `"lectern"`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestReadLine(t *testing.T) {
	in := strings.NewReader("yes\nfor the shell")
	if got, err := readLine(in); got != "yes" || err != nil || in.Len() != len("for the shell") {
		t.Errorf("read %q, %v; %d bytes left", got, err, in.Len())
	}
	if got, err := readLine(strings.NewReader("y")); got != "y" || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
}
