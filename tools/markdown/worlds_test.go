package markdown_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown"
	"github.com/lectern-mcp/lectern/tools/toolstest"
)

// ruleSets are what people write to hide something, with and without slashes. Each
// has the text that a hidden page holds and names that the rules cover; none: any
// name may be hidden, by its text.
var ruleSets = []struct {
	exclude, only []string
	text          string
	covered       []string
}{
	{exclude: []string{"Private"}, covered: []string{"Private", "Private/A", "Private/Deep/A", "Private/_index"}},
	{exclude: []string{"Private/"}, covered: []string{"Private/A", "Private/Empty/B", "private"}},
	{exclude: []string{"/Private/**"}, covered: []string{"Private/A", "Private/B", "Private"}},
	{exclude: []string{"./Private/*.md"}, covered: []string{"Private/A", "Private/B"}},
	{exclude: []string{"A.md", "Work/B"}, covered: []string{"A", "Work/B", "Work/B/A"}},
	{exclude: []string{"**/secret*"}, covered: []string{"Secret A", "Work/secret", "Other/secrets/A", "Secret"}},
	{exclude: []string{"namespace:Diary"}, covered: []string{"Diary", "Diary/A", "Diary/Deep/B"}},
	{exclude: []string{"*/*/**"}, covered: []string{"Work/A", "Other/Deep/B", "Private/A"}},
	{exclude: []string{"#secret"}, text: "Some #secret text.\n"},
	{exclude: []string{"property:private=true"}, text: "---\nprivate: true\n---\nText.\n"},
	{exclude: []string{"#secret", "property:private"}, text: "---\nprivate: [\n---\nNot to be read.\n"},
	{exclude: []string{"#secret"}, only: []string{"Work", "A", "New"}, text: "#secret\n", covered: []string{"Home/A", "Home/Deep/B", "Diary"}},
	{only: []string{"Work/Plans/", "#open"}, text: "Text.\n", covered: []string{"A", "Work/A", "Void/C", "Void/Deep/C", "Own/Deep/F", "Case"}},
}

// TestRandomWorlds: whatever the folder and the rules, agents cannot tell whether
// what is hidden is there, by dry runs least of all.
func TestRandomWorlds(t *testing.T) {
	for seed := range uint64(len(ruleSets) * 2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			toolstest.CompareWorlds(t, markdown.System(), func(t testing.TB) toolstest.Fixture { return randomWorld(t, seed) }, seed)
		})
	}
}

// randomWorld is the same folder for the same seed.
func randomWorld(t testing.TB, seed uint64) toolstest.Fixture {
	dir := t.TempDir()
	set := ruleSets[seed%uint64(len(ruleSets))]
	privacy := tools.Privacy{Exclude: parse(t, set.exclude), Only: parse(t, set.only)}
	random := rand.New(rand.NewPCG(seed, 7))
	visible, folders := map[string]string{}, []string{"", "Work", "Work/Plans", "Other", "Other/Deep"}
	for _, name := range []string{"A", "B", "New", "Work/A", "Work/_index", "Work/B/A", "Work/Plans/A", "Work/Plans/Open", "Other/Deep/A", "Other/B", "Other/_index"} {
		page := tools.Page{Path: strings.TrimSuffix(name, "/_index"), File: name + ".md", Tags: []string{"open"}}
		if random.IntN(3) > 0 && !privacy.Hides(page) {
			visible[name+".md"] = fmt.Sprintf("See [[%s]], [x](%s.md) and ![](assets/p.png). #open\n", "A", folders[random.IntN(len(folders))]+"/A")
		}
	}
	for name, text := range visible {
		put(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	for _, empty := range []string{"Work/Empty", "Other/Deep/Empty", "Void", "Private/Empty", "Diary/Empty", "Work/Plans/Empty"} {
		if random.IntN(2) == 0 {
			if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(empty)), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	covered := set.covered
	if covered == nil {
		covered = []string{"A", "Work/A", "Work/B", "Other/C", "Void/C", "Void/Deep/C", "Work/Empty/D", "Other/Deep/Empty/E", "Own/Deep/F", "Work/Plans/G", "Case", "Private/A"}
	}
	return toolstest.Fixture{
		Privacy: privacy,
		Hide:    func(round int) []string { return hideRandom(t, dir, seed, round, set.text, covered, visible) },
		Names:   append(slices.Sorted(maps.Keys(visible)), "Fresh.md", "Fresh/Deep.md", "Work", "Void/Fresh.md", "/", "Fresh title"),
		Config:  markdown.Config{Path: tools.Folder(dir)},
		Digest:  func() string { return digest(t, dir, "") },
		Outside: func() string { return "" },
	}
}

// hideRandom adds hidden pages with attachments and dot files, and changes some of
// them in later rounds.
func hideRandom(t testing.TB, dir string, seed uint64, round int, text string, covered []string, visible map[string]string) (words []string) {
	random := rand.New(rand.NewPCG(seed, uint64(round)+100))
	for _, name := range covered {
		file := name + ".md"
		words = append(words, name, file, path.Dir(file))
		if _, taken := visible[file]; taken || sharesFolder(name, visible) || round > 0 && random.IntN(2) == 0 {
			continue
		}
		full := filepath.Join(dir, filepath.FromSlash(file))
		if round > 0 && random.IntN(2) == 0 {
			_ = os.Remove(full) // which may not be there
			continue
		}
		if _, err := os.Stat(full); err == nil && round > 0 {
			continue
		}
		put(t, full, text+fmt.Sprintf("[[A]] [[Work/A]] hidden %d\n", round))
	}
	return append(words, "hidden", "p.png")
}

// sharesFolder reports whether a page would take the attachments of a visible one, or
// be the page of a folder that a visible one is in, which hides them too.
func sharesFolder(name string, visible map[string]string) bool {
	place := strings.TrimSuffix(name, "/_index")
	_, page := visible[place+".md"]
	_, index := visible[place+"/_index.md"]
	return page || index
}

func parse(t testing.TB, texts []string) (rules []tools.PrivacyRule) {
	t.Helper()
	for _, s := range texts {
		rule, err := tools.ParsePrivacyRule(s)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, rule)
	}
	return rules
}
