package doc_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/doc"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// What memo declares, rendered: the template's every branch.
func TestRendering(t *testing.T) {
	m := memo.System().Manifest()
	skill, err := doc.Skill("1.0.0", []*tools.Manifest{m})
	if err != nil {
		t.Fatal(err)
	}
	page, err := doc.Reference(m)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string][]byte{"skill.md": skill, "memo.md": page} {
		golden(t, filepath.Join("testdata", name), got)
		if bytes.Contains(got, []byte("<no value>")) || bytes.Contains(got, []byte("\n\n\n")) || bytes.Contains(got, []byte("| |\n| ---")) == (name == "skill.md") {
			t.Errorf("%s: holes in the rendering", name)
		}
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\nrun: make update", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is out of date; read the difference, then run: make update\n%s", file, diff)
	}
}

// SKILL.md is an Agent Skill: a front matter with a name and a description of
// bounded length, and the sections that agents and the plugin rely on.
func TestSkillForm(t *testing.T) {
	for name, systems := range map[string][]*tools.Manifest{"none": nil, "memo": {memo.System().Manifest()}} {
		b, err := doc.Skill("1.0.0", systems)
		if err != nil {
			t.Fatal(err)
		}
		head, body, found := strings.Cut(strings.TrimPrefix(string(b), "---\n"), "\n---\n")
		if !found || !strings.HasPrefix(string(b), "---\n") {
			t.Fatalf("%s: no front matter", name)
		}
		if !regexp.MustCompile(`(?m)^name: [a-z0-9-]{1,64}$`).MatchString(head) {
			t.Errorf("%s: no valid name in %q", name, head)
		}
		d := regexp.MustCompile(`(?m)^description: "(.+)"$`).FindStringSubmatch(head)
		if d == nil || len(d[1]) > 1024 {
			t.Errorf("%s: no description of at most 1024 bytes in %q", name, head)
		}
		var sections []string
		for _, m := range regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(body, -1) {
			sections = append(sections, m[1])
		}
		want := []string{"Purpose", "Setup", "Tools", "Error model", "Capability gating", "Versioning"}
		if !slices.Equal(sections, want) {
			t.Errorf("%s: sections %q, want %q", name, sections, want)
		}
		for _, m := range systems {
			for _, tool := range m.Tools {
				if !strings.Contains(body, "#### `"+tool.Name+"`") {
					t.Errorf("%s: tool %s is not in it", name, tool.Name)
				}
			}
		}
	}
}
