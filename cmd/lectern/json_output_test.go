package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Each command that lists or changes something has --json, and without a hub, a
// configuration and a record prints JSON too: an array or an object, never null.
func TestEveryCommandHasJSON(t *testing.T) {
	environ := []string{"LECTERN_HOME=" + t.TempDir(), "HOME=" + t.TempDir(), "PATH="}
	c, err := newCLI(&bytes.Buffer{}, nil, nil, environ)
	if err != nil {
		t.Fatal(err)
	}
	root := rootCommand(c)
	addKindCommands(root, c, []string{"--help"})
	kinds := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		path := cmd.CommandPath()
		if cmd.RunE == nil || !cmd.IsAvailableCommand() || cmd.Annotations["parent"] != "" || slices.Contains(notJSON(), path) ||
			strings.HasPrefix(path, "lectern completion") || cmd.Name() == "help" {
			return
		}
		if cmd.Flags().Lookup("json") == nil {
			t.Errorf("%s has no --json", path)
		}
		if strings.HasPrefix(path, "lectern cards") {
			kinds++
		}
	}
	walk(root)
	if kinds == 0 {
		t.Error("the commands of Systems were not looked at")
	}
	lists := []string{"source list", "source kinds", "client list", "client check", "grants", "calls", "activity", "agents", "config list"}
	for _, command := range slices.Concat(lists, []string{
		"approve", "approve end", "hub status", "hub stop", "hub cancel", "hub disconnect", "changes", "undo", "source show none",
		"policy explain all none/none", "service status", "pause", "resume", "client show codex", "client install cursor --yes",
		"client remove cursor --yes", "config set hub.port 12999", "source add markdown --sample --yes", "source remove none --yes", "version",
		"plugin status", "grant all none read", "cards key list",
	}) {
		var out, failed bytes.Buffer
		run(t.Context(), append(strings.Fields(command), "--json"), &bytes.Buffer{}, &out, &failed, environ)
		var value any
		if err := json.Unmarshal(out.Bytes(), &value); err != nil || value == nil {
			t.Errorf("%s --json: %v\n%s%s", command, err, out.String(), failed.String())
		}
		if _, is := value.([]any); is != slices.Contains(lists, command) {
			t.Errorf("%s --json: %.200s", command, out.String())
		}
	}
}
