package policy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/hub/policy"
)

// What documents, help and the panel say of the default is what it is.
func TestDocumentsSayTheDefault(t *testing.T) {
	for _, name := range []string{
		"README.md", "docs/sources.md", "tools/markdown/welcome/Safety.md", "tools/markdown/welcome/Things to ask.md",
		"cmd/lectern/config.go", "tui/pane/sources_grant.go",
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Join(strings.Fields(strings.ReplaceAll(string(text), "#", " ")), " ")
		if !strings.Contains(words, policy.DescribeDefault()) {
			t.Errorf("%s does not say that agents %s", name, policy.DescribeDefault())
		}
		if strings.Contains(words, "all but admin") {
			t.Errorf("%s says that agents may do all but admin", name)
		}
	}
}
