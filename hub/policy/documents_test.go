package policy_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// What documents, help, the wizard and the panel say of the default is what it is.
func TestDocumentsSayTheDefault(t *testing.T) {
	granted, asked := policy.ResolveSourceEffects(false, nil, nil)
	free := slices.DeleteFunc(slices.Clone(granted), func(e tools.Effect) bool { return slices.Contains(asked, e) })
	short := fmt.Sprintf("%s and %s, ask to %s or %s", free[0], free[1], asked[0], asked[1]) // where there is room for a line
	for name, want := range map[string]string{
		"README.md": policy.DescribeDefaultEffects(), "docs/sources.md": policy.DescribeDefaultEffects(),
		"tools/markdown/welcome/Safety.md": policy.DescribeDefaultEffects(), "tools/markdown/welcome/Things to ask.md": policy.DescribeDefaultEffects(),
		"tools/markdown/welcome/Add your own notes.md": policy.DescribeDefaultEffects(),
		"cmd/lectern/config.go":                        policy.DescribeDefaultEffects(), "tui/pane/sources_grant.go": policy.DescribeDefaultEffects(),
		"tui/wizard.go": short, "tui/pane/source_form.go": short,
	} {
		words := strings.ReplaceAll(readWords(t, name), "#", " ")
		if words = strings.Join(strings.Fields(words), " "); !strings.Contains(words, want) {
			t.Errorf("%s does not say that agents %s", name, want)
		}
	}
}

// No document promises more than the code does, nor less.
func TestDocumentsPromiseNothingFalse(t *testing.T) {
	claims := []string{"all but admin", "talks to no server", "are coming", "agents may read and write and"}
	for _, name := range documents(t) {
		for _, claim := range claims {
			if words := readWords(t, name); strings.Contains(words, claim) {
				t.Errorf("%s says %q", name, claim)
			}
		}
	}
	if words := readWords(t, "tools/markdown/welcome/Safety.md"); !strings.Contains(words, "update.check") {
		t.Error("the sample does not say that Lectern looks for a new version")
	}
}

// documents are what people read of Lectern: the README, the guide and the sample.
func documents(t *testing.T) (names []string) {
	t.Helper()
	for _, pattern := range []string{"README.md", "docs/*.md", "tools/markdown/welcome/*.md", "tools/markdown/welcome/*/*.md"} {
		found, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %q, %v", pattern, found, err)
		}
		names = append(names, found...)
	}
	return names
}

const root = "../.."

// readWords is a file with every run of blanks and line breaks as one blank.
func readWords(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}
