package markdown_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown"
	"github.com/lectern-mcp/lectern/tools/toolstest"
)

// A ruleSet is what people write to hide something, with and without slashes.
type ruleSet struct {
	exclude, only []string
	// texts are what a hidden page may hold; nil: anything.
	texts []string
	// covered are names that the rules cover; nil: any name may be hidden, by its text.
	covered []string
}

func ruleSets() []ruleSet {
	tagged := []string{
		"Some #secret text.\n", "_#secret_", "#[[ Secret ]]", "#secret/plans", "---\ntags: [a, secret]\n---\n", "---\nTAGS: secret\n---\nText\n", "---\ntags: a\ntags: secret\n---\n", "---\ntags: {secret: 1}\n---\n",
		"tags:: [[secret]]\n", "a [tag:: secret] b", "---\ntags: [\n---\n", "--- \ntags: secret\n", "a\r#secret\r", "\xff\xfe#\x00s\x00", "word \xe9\n",
	}
	private := []string{
		"---\nprivate: true\n---\nText.\n", "---\nPrivate: yes\n---\n", "private:: on\n", "- (private:: true)\n", "---\nprivate: false\nprivate: true\n---\n", "---\nb: &b {private: 1}\n<<: *b\n---\n", "---\nprivate: [\n---\n", "\x00",
	}
	inPrivate := []string{"Private/A", "Private/Empty/B", "private", "Private/Deep/A", "Private/_index", "Private/assets/p.png", "Private/Cafe\u0301", "Private/logseq/bak/x"}
	return []ruleSet{
		{exclude: []string{"Private"}, covered: inPrivate},
		{exclude: []string{"Private/"}, covered: inPrivate},
		{exclude: []string{"/Private/**"}, covered: inPrivate},
		{exclude: []string{"./Private/*.md"}, covered: []string{"Private/A", "Private/B"}},
		{exclude: []string{"A.md", "Work/B"}, covered: []string{"A", "Work/B", "Work/B/A", "Work/B/assets/p.png"}},
		{exclude: []string{"**/secret*"}, covered: []string{"Secret A", "Work/secret", "Other/secrets/A", "Secret", "Other/SECRET.pdf"}},
		{exclude: []string{"namespace:Diary"}, covered: []string{"Diary", "Diary/A", "Diary/Deep/B"}},
		{exclude: []string{"*/*/**"}, covered: []string{"Work/A", "Other/Deep/B", "Private/A"}},
		{exclude: []string{"Café", "Work/Stra?e"}, covered: []string{"Cafe\u0301", "CAFÉ/A", "Café/B", "Work/Straße"}},
		{exclude: []string{"**/*.png", "Work/*.pdf"}, covered: []string{"Work/Plans/x.png", "assets/q.png", "Work/y.pdf"}},
		{exclude: []string{"#secret"}, texts: tagged},
		{exclude: []string{"property:private=true"}, texts: private},
		{exclude: []string{"#secret", "property:private"}, texts: slices.Concat(tagged, private)},
		{exclude: []string{"Private", "#secret"}, texts: tagged},
		{exclude: []string{"#secret"}, only: []string{"Work", "A", "New"}, texts: []string{"#secret\n"}, covered: []string{"Home/A", "Home/Deep/B", "Diary"}},
		{only: []string{"Work/Plans/", "#open"}, covered: []string{"A", "Work/A", "Void/C", "Void/Deep/C", "Own/Deep/F", "Case"}},
	}
}

// TestRandomWorlds: whatever the folder and the rules, agents cannot tell whether
// what is hidden is there, by dry runs least of all.
func TestRandomWorlds(t *testing.T) {
	runtest.InOrder(t)
	sets := len(ruleSets())
	worlds, compared := runtest.Seeds(5*sets, sets/2, 2), atomic.Int64{} // of every second rule one; two run beside each other
	if text := os.Getenv("WORLDS"); text != "" {
		count, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		worlds = runtest.Seeds(count, count, count)
	}
	t.Run("worlds", func(t *testing.T) {
		for seed := range worlds {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				fixture := func(t testing.TB) toolstest.Fixture { return randomWorld(t, uint64(seed)) }
				compared.Add(int64(toolstest.CompareWorlds(t, markdown.System(), fixture, uint64(seed))))
			})
		}
	})
	t.Logf("%d requests compared", compared.Load())
}

// randomWorld is the same folder for the same seed.
func randomWorld(t testing.TB, seed uint64) toolstest.Fixture {
	dir, sets := t.TempDir(), ruleSets()
	set := sets[seed%uint64(len(sets))]
	random := rand.New(rand.NewPCG(seed, 7))
	if seed >= uint64(len(sets)) && set.only == nil && set.texts == nil { // another set beside it
		if other := sets[random.IntN(len(sets))]; other.only == nil && other.texts == nil {
			set.exclude, set.covered = slices.Concat(set.exclude, other.exclude), slices.Concat(set.covered, other.covered)
		}
	}
	privacy := tools.Privacy{Exclude: parse(t, set.exclude), Only: parse(t, set.only)}
	visible := randomPages(random, privacy)
	for name, text := range visible {
		put(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	for _, empty := range []string{"Work/Empty", "Other/Deep/Empty", "Void", "Private/Empty", "Diary/Empty", "Work/Plans/Empty", "void", "Work/B/assets"} {
		if random.IntN(2) == 0 {
			if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(empty)), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	for from, to := range map[string]string{"link.md": "A.md", "Work/dir": "../Private", "Other/loop": ".", "Void.md": "Private/A.md"} {
		if random.IntN(2) == 0 {
			if os.MkdirAll(filepath.Join(dir, filepath.Dir(from)), 0o700) != nil || os.Symlink(to, filepath.Join(dir, from)) != nil {
				t.Logf("no link %s here", from)
			}
		}
	}
	covered := set.covered
	if covered == nil {
		covered = []string{
			"A", "Work/A", "Work/B", "Other/C", "Void/C", "Void/Deep/C", "Work/Empty/D", "Other/Deep/Empty/E", "Own/Deep/F", "Work/Plans/G", "Case", "Private/A",
			"case", "work/Q", "Cafe\u0301", "Work/Café", "Own/Deep/_index", "New/_index",
		}
	}
	return toolstest.Fixture{
		Privacy: privacy,
		Hide:    func(round int) []string { return hideRandom(t, dir, seed, round, set.texts, covered, visible) },
		Names:   append(slices.Sorted(maps.Keys(visible)), "Fresh.md", "Fresh/Deep.md", "Work", "Void/Fresh.md", "/", "Fresh title"),
		Config:  markdown.Config{Path: tools.Folder(dir)},
		Digest:  func() string { return digest(t, dir, "") },
		Outside: func() string { return "" },
	}
}

// randomPages are pages and attachments that nothing hides.
func randomPages(random *rand.Rand, privacy tools.Privacy) map[string]string {
	visible, folders := map[string]string{}, []string{"", "Work", "Work/Plans", "Other", "Other/Deep"}
	starts := []string{"", "---\ntitle: T\n---\n", "---\ntags: open\nposition: 2\n---\n", "\ufeff", "---\r\nTags: [open]\r\n---\r\n"}
	for _, name := range []string{"A", "B", "New", "Work/A", "Work/_index", "Work/B/A", "Work/Plans/A", "Work/Plans/Open", "Other/Deep/A", "Other/B", "Other/_index", "Work/b", "Ä/Ö", "A/assets/v.txt", "Work/Plans/Open/assets/w.txt"} {
		file := name + ".md"
		if path.Ext(name) != "" {
			file = name
		}
		page := tools.Page{Path: strings.TrimSuffix(name, "/_index"), File: file, Tags: []string{"open"}}
		if random.IntN(3) > 0 && !privacy.Hides(page) {
			visible[file] = fmt.Sprintf("%sSee [[%s]], [x](%s.md) and ![](assets/p.png). #open\n", starts[random.IntN(len(starts))], "A", folders[random.IntN(len(folders))]+"/A")
		}
	}
	return visible
}

// hideRandom adds hidden pages with attachments and dot files, and changes some of
// them in later rounds.
func hideRandom(t testing.TB, dir string, seed uint64, round int, texts, covered []string, visible map[string]string) (words []string) {
	random := rand.New(rand.NewPCG(seed, uint64(round)+100))
	for _, name := range covered {
		file := name
		if path.Ext(name) == "" {
			file += ".md"
		}
		words = append(words, name, file, path.Dir(file), strings.ToLower(name))
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
		text := fmt.Sprintf("[[A]] [[Work/A]] hidden %d\n", round)
		if texts != nil {
			text = texts[random.IntN(len(texts))] + text
		}
		put(t, full, text)
	}
	return append(words, "hidden", "p.png", "Private/A.md/x", "logseq/bak/A.md")
}

// sharesFolder reports whether a page would take the attachments of a visible one, or
// those that are nobody's so far, or be the page of a folder that a visible one is in,
// which hides them too.
func sharesFolder(name string, visible map[string]string) bool {
	place := strings.TrimSuffix(name, "/_index")
	_, page := visible[place+".md"]
	_, index := visible[place+"/_index.md"]
	for file := range visible {
		if strings.HasPrefix(file, place+"/assets/") {
			return true
		}
	}
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
