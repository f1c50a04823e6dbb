package markdown

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// indexAll has the index used for any number of pages.
func indexAll(b *testNotebook) {
	n, _ := tools.As[*Notebook](b.OpenedSource)
	n.index.least = 0
}

// Moves, merges and renamed headings that find the links to change in the index do to
// every byte what those that read all pages do, and answer the same.
func TestIndexedMovesEqualFiles(t *testing.T) {
	runtest.InOrder(t)
	for seed := range runtest.Seeds(16, 8, 6) {
		r := rand.New(rand.NewPCG(uint64(seed), 23))
		files := randomVault(r)
		for file, text := range files {
			if strings.HasSuffix(file, ".md") && r.IntN(3) == 0 {
				files[file] = fmt.Sprintf("---\ntitle: %s\naliases: [%s]\n---\n# H\n[[One#H]] [[A Title]] [[Four#H|x]] [[beta]]\n%s", []string{"A Title", "Two"}[r.IntN(2)], []string{"beta", "One"}[r.IntN(2)], text)
			}
			if r.IntN(12) == 0 && strings.HasSuffix(file, ".md") {
				files[file] = "caf\xe9 [[One]]\n"
			}
		}
		if r.IntN(2) == 0 {
			files["A/_index.md"] = "[[Two]] [x](B/Four.md)\n"
		}
		files["b.base"] = "filters: file.hasLink(\"One\") && file.inFolder(\"A\") && link(\"A/Two\")\n"
		files["b.canvas"] = `{"nodes":[{"type":"file","file":"A/One.md"},{"type":"text","text":"[[One]]"}]}`
		indexed, plain := open(t, files, nil), open(t, files, nil)
		indexAll(indexed)
		for step := range 8 {
			was := indexed.files()
			pages := slices.DeleteFunc(slices.Sorted(maps.Keys(was)), func(f string) bool { return !strings.HasSuffix(f, ".md") })
			if len(pages) == 0 {
				break
			}
			page := func() string { return pages[r.IntN(len(pages))] }
			to := []string{"A/", "B/", "A/B/", "New/", ""}[r.IntN(5)] + []string{"One", "Two", "Three", "Four", "one", "Café"}[r.IntN(6)] + ".md"
			tool, args := "move_page", fmt.Sprintf(`{"sourcePath":%q,"destinationPath":%q}`, page(), to)
			switch r.IntN(8) {
			case 0:
				args = fmt.Sprintf(`{"sourcePath":%q,"destinationPath":%q}`, []string{"A", "B", "A/B"}[r.IntN(3)], []string{"C", "B", "New"}[r.IntN(3)])
			case 1:
				tool, args = "merge_pages", fmt.Sprintf(`{"sourcePath":%q,"destinationPath":%q}`, page(), page())
			case 2:
				tool, args = "rename_heading", fmt.Sprintf(`{"path":%q,"heading":"H","new_heading":"G %d"}`, page(), step)
			case 3: // by somebody else
				file, text := page(), fmt.Sprintf("# H\n[[One#H]] [[Two]] [x](%s)\n", to)
				indexed.put(file, text)
				plain.put(file, text)
				continue
			}
			if dry := strings.TrimSuffix(args, "}") + `,"dry_run":true}`; tool != "rename_heading" {
				got, ok := indexed.try(tool, dry)
				if want, wantOK := plain.try(tool, dry); got != want || ok != wantOK {
					t.Fatalf("seed %d, step %d: %s %s:\n%s\nfrom files:\n%s\n%q", seed, step, tool, dry, got, want, was)
				}
			}
			got, ok := indexed.try(tool, args)
			want, wantOK := plain.try(tool, args)
			if got != want || ok != wantOK {
				t.Fatalf("seed %d, step %d: %s %s:\n%s\nfrom files:\n%s\n%q", seed, step, tool, args, got, want, was)
			}
			if d := cmp.Diff(plain.files(), indexed.files()); d != "" {
				t.Fatalf("seed %d, step %d: %s %s: -files +index\n%s\n%q", seed, step, tool, args, d, was)
			}
		}
	}
}
