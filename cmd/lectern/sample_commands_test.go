package main

import (
	"os"
	"strings"
	"testing"
)

// The sample vault names every command, on its own page or beside a related one.
func TestSampleNamesEveryCommand(t *testing.T) {
	page, err := os.ReadFile("../../tools/markdown/welcome/Reference/Commands.md")
	if err != nil {
		t.Fatal(err)
	}
	c, err := newCLI(nil, nil, nil, []string{"LECTERN_HOME=" + t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range rootCommand(c).Commands() {
		name := cmd.Name()
		if cmd.IsAvailableCommand() && !strings.Contains(string(page), "`lectern "+name) && !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("the sample's page of commands lacks %s", name)
		}
	}
}
