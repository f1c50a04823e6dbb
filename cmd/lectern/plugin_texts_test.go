package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every command that the plugin names is there, and takes what it is given.
func TestPluginNamesCommands(t *testing.T) {
	c, err := newCLI(nil, nil, nil, []string{"LECTERN_HOME=" + t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	root := rootCommand(c)
	named := regexp.MustCompile("(?:`|: |command )lectern ((?:[a-z-]+ ?)+)")
	found := 0
	for _, dir := range []string{"../../plugin/src", "../../plugin/readme.md", "../../bridge/handshake.go", "internal/problems"} {
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if filepath.Base(file) == "proof.ts" {
				return nil // its texts are what is signed
			}
			text, err := os.ReadFile(file)
			for _, m := range named.FindAllStringSubmatch(string(text), -1) {
				found++
				cmd, rest, err := root.Find(strings.Fields(m[1]))
				if err != nil || cmd == root || cmd.HasSubCommands() && len(rest) > 0 {
					t.Errorf("%s: lectern %s: no such command", file, m[1])
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 6 {
		t.Errorf("found %d commands", found)
	}
}
