package markdown

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// A generatedVault is one of the generator of vaults beside the checkout: pages of folders
// are their _index.md, titles repeat, links take many forms, some lead nowhere, and line ends,
// byte order marks and letters vary.
type generatedVault struct {
	dir   string
	seed  uint64
	r     *rand.Rand
	n     *Notebook // with an index
	plain *Notebook
}

// eachGeneratedVault runs test for some seeds; `make soak PART=generated` takes more and larger ones, and
// VAULT_SEED is where they begin.
func eachGeneratedVault(t *testing.T, test func(t *testing.T, v *generatedVault)) {
	generator := filepath.Join("..", "..", "..", "shared", "data", "gen_vault.go")
	if file := os.Getenv("VAULT_GENERATOR"); file != "" {
		generator = file
	}
	if _, err := os.Stat(generator); err != nil || testing.Short() {
		t.Skip("without the generator of vaults: ", err)
	}
	first, seeds, pages := number(t, "VAULT_SEED", 1), number(t, "VAULT_SEEDS", 3), number(t, "VAULT_PAGES", runtest.Size(150, 150, 40))
	for seed := first; seed < first+seeds; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "vault")
			cmd := exec.CommandContext(t.Context(), "go", "run", generator, "-n", fmt.Sprint(pages), "-seed", fmt.Sprint(seed), "-out", dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", cmd, err, out)
			}
			if seed%2 == 0 {
				if err := os.MkdirAll(filepath.Join(dir, ".obsidian"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, ".obsidian", "app.json"), []byte("{}"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			v := &generatedVault{dir: dir, seed: uint64(seed), r: rand.New(rand.NewPCG(uint64(seed), 31))}
			v.n, v.plain = openPair(t, dir, nil)
			test(t, v)
		})
	}
}

func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// files are the pages as they are on disk.
func (v *generatedVault) files(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(v.dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(file)
		name, _ := filepath.Rel(v.dir, file)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func (v *generatedVault) pages(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(v.files(t))), func(f string) bool { return !isPage(f) })
}

var (
	idLine    = regexp.MustCompile(`(?m)^id: (\S+)\r?$`)
	titleLine = regexp.MustCompile(`(?m)^title: "(.*)"\r?$`)
	aliasLine = regexp.MustCompile(`(?m)^  - "(Alias of .*)"\r?$`)
	linkText  = regexp.MustCompile(`\[\[.*?\]\]|\]\(.*?\)`)
	tagLine   = regexp.MustCompile(`(?m)^(?:tags: \[(.*)\]|  - ([^"\r\n]*))\r?$`)
)

// splitGenerated is the front matter of a page and what follows.
func splitGenerated(text string) (front, body string) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		front, body, _ = strings.Cut(rest, "\n---\n")
		return front, body
	}
	return "", text
}

// identity tells a page from every other wherever it is: its id, or else its first words
// without those of its links, which a move rewrites.
func identity(text string) string {
	front, body := splitGenerated(text)
	if id := idLine.FindStringSubmatch(front); id != nil {
		return id[1]
	}
	body = linkText.ReplaceAllString(body, "")
	return body[:min(len(body), 200)]
}

// generatedTargets is where each link of a vault leads, by the identities of both
// pages. What may mean several pages is left out.
func generatedTargets(files map[string]string) map[string]string {
	rules := newLinkRules(files)
	for file, text := range files {
		front, _ := splitGenerated(text)
		title := path.Base(placeOf(file))
		if found := titleLine.FindStringSubmatch(front); found != nil {
			title = found[1]
		}
		title = strings.ToLower(title)
		rules.titles[title] = append(rules.titles[title], file)
		for _, found := range aliasLine.FindAllStringSubmatch(front, -1) {
			alias := strings.ToLower(found[1])
			rules.aliases[alias] = append(rules.aliases[alias], file)
		}
	}
	leads := map[string]string{}
	for file, text := range files {
		_, body := splitGenerated(text)
		for i, l := range links.Scan(body, 0) {
			if found := rules.leads(file, l); found != "" && l.Target != "" {
				leads[identity(text)+" "+fmt.Sprint(i)] = identity(files[found])
			}
		}
	}
	return leads
}

// After any move every link leads where it led, and the index has the links that the
// files have.
func TestGeneratedMovesKeepTargets(t *testing.T) {
	eachGeneratedVault(t, func(t *testing.T, v *generatedVault) {
		moves, links := 0, 0
		for range number(t, "VAULT_MOVES", runtest.Size(100, 25, 8)) {
			before := v.files(t)
			pages := v.pages(t)
			page := func() string { return pages[v.r.IntN(len(pages))] }
			from, to := page(), strings.TrimSuffix(strings.TrimSuffix(page(), ".md"), "/_index")
			switch v.r.IntN(4) {
			case 0:
				to = "/"
			case 1:
				to = path.Join(path.Dir(from), fmt.Sprintf("Renamed %d.md", v.r.IntN(1000)))
			case 2:
				to = path.Join(path.Dir(page()), path.Base(from))
			}
			want := generatedTargets(before)
			out, err := v.n.MovePage(t.Context(), tools.CallContext{}, MovePageIn{SourcePath: from, DestinationPath: to, UpdateLinks: true})
			if err != nil {
				if code := tools.AsError(err); code == nil || code.Code == tools.Internal {
					t.Fatal(err)
				}
				continue
			}
			after := v.files(t)
			got := generatedTargets(after)
			for link, leads := range want {
				if got[link] != leads {
					t.Errorf("seed %d, %s to %s (%+v): link %s led to %s and leads to %q", v.seed, from, to, out, link, leads, got[link])
				}
			}
			if len(after) != len(before) {
				t.Errorf("seed %d, %s to %s: %d pages became %d", v.seed, from, to, len(before), len(after))
			}
			moves, links = moves+1, len(want)
		}
		v.compareLinks(t)
		t.Logf("seed %d: %d moves, %d links", v.seed, moves, links)
		if moves == 0 || links == 0 {
			t.Error("nothing was tried")
		}
	})
}

// compareLinks compares the links in the index with those in the files.
func (v *generatedVault) compareLinks(t *testing.T) {
	t.Helper()
	now, err := v.n.look(t.Context())
	if err == nil && now.x == nil { // a move of a large folder leaves the index to Run
		if err = v.n.index.fill(t.Context()); err == nil {
			now, err = v.n.look(t.Context())
		}
	}
	if err != nil || now.x == nil {
		t.Fatal("there is no index: ", err)
	}
	pages := v.pages(t)
	v.r.Shuffle(len(pages), func(i, j int) { pages[i], pages[j] = pages[j], pages[i] })
	for _, page := range pages[:min(len(pages), 30)] {
		in := GetPageLinksIn{Path: page, Limit: 200}
		got, err := v.n.GetPageLinks(t.Context(), in)
		want, err2 := v.plain.GetPageLinks(t.Context(), in)
		if d := cmp.Diff(want, got); d != "" || err != nil || err2 != nil {
			t.Fatalf("seed %d: links of %s: %v %v -files +index\n%s", v.seed, page, err, err2, d)
		}
	}
	got, err := now.oddLinks(t.Context(), v.n)
	read, err2 := v.plain.look(t.Context())
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	want, err := read.oddLinks(t.Context(), v.plain)
	if d := cmp.Diff(want, got, cmp.AllowUnexported(oddPages{})); d != "" || err != nil {
		t.Fatalf("seed %d: orphans and broken links: %v -files +index\n%s", v.seed, err, d)
	}
}

// What is found is what a scan of all bytes finds.
func TestGeneratedHitsEqualScan(t *testing.T) {
	eachGeneratedVault(t, func(t *testing.T, v *generatedVault) {
		files := v.files(t)
		words := map[string]map[string]bool{} // by word: the pages that have it
		for file, text := range files {
			if !isPage(file) {
				continue
			}
			front, body := splitGenerated(text)
			searched := []string{body, path.Base(strings.TrimSuffix(strings.TrimSuffix(file, ".md"), "/_index"))}
			if title := titleLine.FindStringSubmatch(front); title != nil {
				searched[1] = title[1]
			}
			for _, tag := range tagLine.FindAllStringSubmatch(front, -1) {
				searched = append(searched, tag[1]+tag[2])
			}
			for _, word := range strings.FieldsFunc(strings.ToLower(strings.Join(searched, "\n")), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
				if words[word] == nil {
					words[word] = map[string]bool{}
				}
				words[word][file] = true
			}
		}
		all := slices.Sorted(maps.Keys(words))
		for range number(t, "VAULT_SEARCHES", runtest.Size(120, 60, 20)) {
			word := all[v.r.IntN(len(all))]
			if strings.ContainsFunc(word, func(c rune) bool { return c > unicode.MaxASCII }) {
				continue // accents are folded
			}
			out, err := v.n.SearchPages(context.Background(), SearchPagesIn{Query: word, Limit: 200})
			if err != nil || out.Total != len(words[word]) {
				t.Errorf("seed %d: %q: %d pages, %v; want %d", v.seed, word, out.Total, err, len(words[word]))
			}
			for _, m := range out.Matches {
				if !words[word][m.Path] {
					t.Errorf("seed %d: %q is not in %s", v.seed, word, m.Path)
				}
			}
			v.searchExactly(t, files)
		}
	})
}

// searchExactly searches for some bytes of a line.
func (v *generatedVault) searchExactly(t *testing.T, files map[string]string) {
	t.Helper()
	pages := v.pages(t)
	text := strings.ReplaceAll(strings.TrimPrefix(files[pages[v.r.IntN(len(pages))]], "\ufeff"), "\r\n", "\n")
	lines := strings.Split(text, "\n")
	line := []rune(lines[v.r.IntN(len(lines))])
	if len(line) < 3 {
		return
	}
	from := v.r.IntN(len(line) - 2)
	query := string(line[from : from+2+v.r.IntN(min(20, len(line)-from-1))])
	if strings.TrimSpace(query) == "" {
		return
	}
	want := 0
	for _, text := range files {
		for line := range strings.SplitSeq(text, "\n") {
			if strings.Contains(line, query) {
				want++
			}
		}
	}
	for _, mode := range []SearchMode{byText, byRegex} {
		pattern := query
		if mode == byRegex {
			pattern = regexp.QuoteMeta(query)
		}
		out, err := v.n.SearchPages(context.Background(), SearchPagesIn{Query: pattern, Kind: findLines, Mode: mode, Limit: 200})
		if err != nil || out.Total != want {
			t.Errorf("seed %d: %s %q: %d lines, %v; want %d", v.seed, mode, query, out.Total, err, want)
		}
	}
}
