package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// On a terminal a plan is carried out when the person says so, and not before.
func TestAskInATerminal(t *testing.T) {
	home := furnish(t, "[hub]\nhttp = false\n")
	x := openTerminal(t, home, 100, 40)
	file := filepath.Join(home, ".cursor", "mcp.json")

	x.types("clear; HOME="+home+" lectern client install cursor; echo left with $?", "Enter")
	x.shows("+  \"mcpServers\": {", "Apply these changes? [y/N]")
	x.types("no", "Enter")
	x.shows("nothing was changed", "left with 4")
	if _, err := os.Stat(file); err == nil {
		t.Error("no was taken for yes")
	}
	x.types("clear; HOME="+home+" lectern client install cursor; echo left with $?", "Enter")
	x.shows("Apply these changes? [y/N]")
	x.types("y", "Enter")
	x.shows("done", "left with 0")
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
