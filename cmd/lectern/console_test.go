package main

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Columns line up, and what pads them ends no line: not behind the last cell, and
// not where the last cells are empty.
func TestTableEndsWithoutBlanks(t *testing.T) {
	var out bytes.Buffer
	c := console{out: &out, json: &jsonOutput{}}
	rows := table{}
	rows.add("codex", "configured", "~/.codex/config.toml", "")
	rows.add("gemini-cli", "broken", "", "")
	rows.add("zed", "configured", "settings.json", "reached ")
	rows.add("", "", "", "")
	if err := c.printTable(rows); err != nil {
		t.Fatal(err)
	}
	want := "codex       configured  ~/.codex/config.toml\n" +
		"gemini-cli  broken\n" +
		"zed         configured  settings.json         reached\n" +
		"\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}
