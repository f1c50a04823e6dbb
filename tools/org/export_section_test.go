package org_test

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/org"
)

// An export shows what the source shows: hidden headlines are in no text, number or
// contents list of it.
func TestExportsHideHeadlines(t *testing.T) {
	const text = "* Alpha\ntext\n** Hidden :secret:\nsecret words\n** Shown\nmore\n"
	hidden := openFiles(t, map[string]string{"a.org": text}, org.Config{}, "#secret")
	without := openFiles(t, map[string]string{"a.org": "* Alpha\ntext\n** Shown\nmore\n"}, org.Config{})
	for _, format := range []string{"html", "markdown", "latex", "plain"} {
		args := `{"resourceUri":"org://a.org/headline/Alpha","format":"` + format + `"}`
		got, want := hidden.must("org-export-section", args), without.must("org-export-section", args)
		if got["content"] != want["content"] || !strings.Contains(got["content"].(string), "Shown") {
			t.Errorf("%s: got %v, want %v", format, got["content"], want["content"])
		}
	}
	out := without.must("org-export-section", `{"uri":"org://a.org/headline/Alpha","format":"plain","include_subheadings":"false","body_only":"true"}`)
	if out["content"] != "text\n" {
		t.Errorf("%q", out["content"])
	}
}
