package logseq_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools/logseq"
)

// The page is what the table renders; UPDATE=1 writes it.
func TestCompatibilityPage(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "logseq-compatibility.md")
	want := logseq.Compatibility()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is out of date; run: make update\n%s", file, diff)
	}
}

// Every tool but those that need nothing of their own stands in the table, and no row names one that is not.
func TestTableNamesTools(t *testing.T) {
	var named, all []string
	for _, c := range logseq.Capabilities() {
		named = append(named, c.Tools...)
	}
	for _, tool := range logseq.System().Manifest().Tools {
		if !slices.Contains([]string{"ping", "get_capabilities", "batch"}, tool.Name) {
			all = append(all, tool.Name)
		}
	}
	slices.Sort(named)
	slices.Sort(all)
	if diff := cmp.Diff(all, slices.Compact(named)); diff != "" {
		t.Errorf("tools and the table differ (-tools +table):\n%s", diff)
	}
}
