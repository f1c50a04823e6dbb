package markdown

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// Links looked up in the index are those that reading every page finds: every form
// of a link, names that differ in case or in accents, titles and aliases, in a vault
// of Obsidian and in plain folders.
func TestIndexedLinksEqualFiles(t *testing.T) {
	runtest.InOrder(t)
	files := []string{
		"Alpha.md", "A/Alpha.md", "A/beta.md", "A/B/Beta.md", "A/_index.md", "A/B.md", "_index.md", "v1.2.md", "Café.md", "A/Cafe\u0301.md",
		"ALPHA.md", "x y.md", "A/pic.png", "pic.png", "A/data.v1.csv", "deep/er/est/Gamma.md", "deep/Gamma.md",
	}
	targets := []string{
		"Alpha", "alpha", "A/Alpha", "a/ALPHA", "Alpha.md", "./Alpha", "../Alpha", "../A/beta.md", "/A/beta", "/A/", "A/_index", "A/_index.md", "_index", "B/Beta", "Beta",
		"v1.2", "v1.2.md", "CAFÉ", "Cafe\u0301", "x y", "x%20y.md", "pic.png", "A/pic.png", "../pic.png", "data.v1.csv", "er/est/Gamma", "Gamma", "est/Gamma.md", "..", ".", "../",
		"A Title", "a title", "Other Name", "Other/Name", "Title.md", "nowhere", "no/where.md", "Alpha#Goals", "Alpha^b1", "#Goals", "https://example.org/Alpha",
	}
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 11))
		dir := t.TempDir()
		if seed%3 == 0 {
			if err := os.Mkdir(filepath.Join(dir, ".obsidian"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		for _, file := range files {
			if r.IntN(5) == 0 {
				continue
			}
			var text strings.Builder
			if r.IntN(2) == 0 {
				fmt.Fprintf(&text, "---\ntitle: %s\naliases: [%s, Other Name]\nup: \"[[%s]]\"\n---\n", []string{"A Title", "Title.md", "Alpha"}[r.IntN(3)], []string{"beta", "Other/Name"}[r.IntN(2)], targets[r.IntN(len(targets))])
			}
			for range r.IntN(12) {
				target := targets[r.IntN(len(targets))]
				fmt.Fprintf(&text, []string{"[[%s]] ", "![[%s|shown]] ", "[text](%s) ", "![i](<%s>)\n", "[text][r]\n\n[r]: %s\n\n", "[[%s\\|in a table]] "}[r.IntN(6)], target)
			}
			full := filepath.Join(dir, filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(text.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		indexed, plain := openPair(t, dir, nil)
		found := 0
		for _, file := range files {
			if !isPage(file) {
				continue
			}
			in := GetPageLinksIn{Path: file, Limit: tools.Limit(100)}
			got, gotErr := indexed.GetPageLinks(t.Context(), in)
			want, wantErr := plain.GetPageLinks(t.Context(), in)
			if d := cmp.Diff(want, got); d != "" || fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
				t.Fatalf("seed %d, %s: %v, files: %v; -files +index\n%s", seed, file, gotErr, wantErr, d)
			}
			found += len(got.Incoming)
		}
		if found < 10 {
			t.Errorf("seed %d: only %d pages link to others", seed, found)
		}
	}
}
