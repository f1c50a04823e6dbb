package orgexport_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgexport"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// emacsExport is what Emacs wrote of one file, body only.
type emacsExport struct {
	File  string `json:"file"`
	HTML  string `json:"html"`
	MD    string `json:"md"`
	Latex string `json:"latex"`
	ASCII string `json:"ascii"`
}

func (e emacsExport) of(format orgexport.Format) string {
	switch format {
	case orgexport.HTML:
		return e.HTML
	case orgexport.Markdown:
		return e.MD
	case orgexport.Latex:
		return e.Latex
	default: // Plain; there are no others
		return e.ASCII
	}
}

var formats = []orgexport.Format{orgexport.HTML, orgexport.Markdown, orgexport.Latex, orgexport.Plain}

// TestExportsLikeEmacs exports the files of testdata and random ones here and in
// Emacs with Org 9.5, and compares structure and text. ORG_EXPORT is how many
// random files; with ORG_CORPUS, a folder, its Org files are compared as well and
// counted, as docs/org-export.md has them.
func TestExportsLikeEmacs(t *testing.T) {
	emacs, err := exec.LookPath("emacs")
	if err != nil {
		t.Skip("the comparison with Emacs needs emacs; make oracle installs it")
	}
	version, err := exec.CommandContext(t.Context(), emacs, "-Q", "--batch", "--eval", "(progn (require 'org) (princ (org-version)))").Output()
	if err != nil || !strings.HasPrefix(string(version), "9.5") {
		t.Skipf("Emacs has Org %s (%v), the comparison is with Org 9.5", version, err)
	}
	count := 25
	if v := os.Getenv("ORG_EXPORT"); v != "" {
		if count, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob("testdata/files/*.org")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for i, f := range files {
		if files[i], err = filepath.Abs(f); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	for i := range count {
		file := filepath.Join(dir, fmt.Sprintf("random-%d.org", i))
		if err := atomicfile.WriteFile(file, []byte(randomFile(rand.New(rand.NewPCG(uint64(i), 14)))), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	c := comparison{home: dir}
	c.run(t, emacs, files)
	if c.differ > 0 {
		t.Errorf("%d exports differ from Emacs", c.differ)
	}
	if corpus := os.Getenv("ORG_CORPUS"); corpus != "" {
		c := comparison{home: dir, corpus: true}
		c.run(t, emacs, orgFiles(t, corpus))
		for i, f := range formats {
			t.Logf("%-8s %3d of %3d files equal, %6d of %6d lines (%.2f%%)", f, c.equal[i], c.total[i], c.same[i], c.lines[i], 100*float64(c.same[i])/float64(c.lines[i]))
			if float64(c.same[i]) < 0.98*float64(c.lines[i]) {
				t.Errorf("%s: fewer than 98%% of the lines are equal", f)
			}
		}
	}
}

func orgFiles(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.Contains(d.Name(), ".org") && d.Type().IsRegular() {
			if info, e := d.Info(); e == nil && info.Size() < 200<<10 { // Emacs takes minutes for more
				files = append(files, path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

type comparison struct {
	home                      string
	corpus                    bool // count differences only
	differ                    int
	equal, total, lines, same [4]int
}

func (c *comparison) run(t *testing.T, emacs string, files []string) {
	t.Helper()
	list := filepath.Join(c.home, "list")
	if err := atomicfile.WriteFile(list, []byte(strings.Join(files, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), emacs, "-Q", "--batch", "-l", "testdata/export.el", "-f", "export-run", list)
	cmd.Env = append(os.Environ(), "TZ=UTC", "LC_ALL=C.UTF-8", "HOME="+c.home)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("emacs: %v\n%s", err, stderr.Bytes())
	}
	in := bufio.NewScanner(bytes.NewReader(out))
	in.Buffer(nil, 64<<20)
	n := 0
	for in.Scan() {
		var want emacsExport
		if err := json.Unmarshal(in.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		n++
		c.compare(t, want)
	}
	if n == 0 {
		t.Fatalf("Emacs exported nothing\n%s", stderr.Bytes())
	}
}

func (c *comparison) compare(t *testing.T, want emacsExport) {
	t.Helper()
	source, err := os.ReadFile(want.File)
	if err != nil {
		t.Fatal(err)
	}
	settings := orgfile.DefaultSettings()
	settings.Quirks = orgfile.Org95
	file, err := orgfile.Parse(source, want.File, settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, format := range formats {
		expected := want.of(format)
		if strings.HasPrefix(expected, "ERROR") {
			continue
		}
		got, err := orgexport.Export(file, orgexport.Options{Format: format, Headline: -1, BodyOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		g, w := c.normalize(format, got), c.normalize(format, expected)
		gotLines, wantLines := strings.Split(g, "\n"), strings.Split(w, "\n")
		c.total[i]++
		c.lines[i] += len(wantLines)
		c.same[i] += commonLines(gotLines, wantLines)
		if g == w {
			c.equal[i]++
			continue
		}
		if c.differ++; !c.corpus && c.differ <= 20 || os.Getenv("ORG_EXPORT_SHOW") == string(format) {
			at := 0
			for at < len(gotLines) && at < len(wantLines) && gotLines[at] == wantLines[at] {
				at++
			}
			show := func(l []string) string { return fmt.Sprintf("%.600q", l[max(0, at-1):min(len(l), at+4)]) }
			t.Logf("%s of %s differs at line %d\n  got %s\nEmacs %s", format, want.File, at, show(gotLines), show(wantLines))
		}
	}
}

// commonLines counts the lines of want that got has as well.
func commonLines(got, want []string) int {
	count := map[string]int{}
	for _, line := range got {
		count[line]++
	}
	same := 0
	for _, line := range want {
		if count[line] > 0 {
			count[line]--
			same++
		}
	}
	return same
}

var (
	anchorPattern = regexp.MustCompile(`org[0-9a-f]{7}`)
	blankPattern  = regexp.MustCompile(`\s+`)
	lineBlanks    = regexp.MustCompile(`(?m)[ \t]+$`)
	loneAnchor    = regexp.MustCompile(`(?m)^<a id="[^"]*"></a>$`)
	tocEntry      = regexp.MustCompile(`^\s*(-|[0-9]+\.)\s+\[`)
	htmlTable     = regexp.MustCompile(`(?s)<table.*?</table>`)
	pipeRow       = regexp.MustCompile(`(?m)^[ >]*\|.*\|$\n?`)
	stampBlank    = regexp.MustCompile(`([>\]]) +\}`)
	tableRule     = regexp.MustCompile(`[━─═╌]{3,}`)
	emptyLines    = regexp.MustCompile(`\n{2,}`)
)

// normalize takes away what the comparison does not look at: the names of anchors,
// the user's folder, and blanks where they mean nothing.
func (c *comparison) normalize(format orgexport.Format, text string) string {
	text = anchorPattern.ReplaceAllString(text, "org")
	text = strings.ReplaceAll(text, "#MissingReference", "")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "file://"+c.home, "file://~"), c.home+"/", "~/")
	text = strings.ReplaceAll(text, " </span>", "</span>")
	text = stampBlank.ReplaceAllString(text, "$1}") // Emacs writes the blanks behind a timestamp twice
	switch format {
	case orgexport.HTML:
		text = blankPattern.ReplaceAllString(text, " ")
		text = strings.ReplaceAll(strings.ReplaceAll(text, "> <", "><"), " </", "</")
		return strings.TrimSpace(strings.ReplaceAll(text, "<", "\n<"))
	case orgexport.Markdown: // tables differ on purpose
		text = strings.TrimSpace(text)
		if rest, ok := strings.CutPrefix(text, "# Table of Contents"); ok && !tocEntry.MatchString(rest) {
			text = rest // without headings, Emacs writes an empty one
		}
		text = loneAnchor.ReplaceAllString(text, "") // ours are there where something links to them
		text = pipeRow.ReplaceAllString(htmlTable.ReplaceAllString(text, ""), "")
	case orgexport.Plain: // where lines are broken is not compared
		text = blankPattern.ReplaceAllString(tableRule.ReplaceAllString(text, "─"), "\n")
	default: // LaTeX is compared as it is
	}
	return strings.TrimSpace(emptyLines.ReplaceAllString(lineBlanks.ReplaceAllString(text, ""), "\n"))
}

// randomFile composes an Org file of all elements.
func randomFile(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	words := func() string {
		var out []string
		for range 1 + r.IntN(8) {
			out = append(out, pick("alpha", "beta", "*bold text*", "/italic/", "_under_", "+gone+", "=code=", "~verb~", "x_{1}", "y^2", `\alpha`, "dash--dash",
				"so---so", "dots...", "[[https://example.org/a][a link]]", "https://example.org/b_c", "<2026-01-07 Wed>", "[2026-01-08 Thu 10:00]", "50%",
				"a & b", "[[*One][first]]", "$x+1$", `\(y\)`, "[fn:1]", "[fn::inline *note*]", "c < d > e", "#tag", "{brace}", "back\\slash", "<<place>>"))
		}
		return "word " + strings.Join(out, " ")
	}
	var element func(depth int) string
	list := func(depth int) string {
		bullet := pick("- ", "1. ", "+ ", "- [ ] ", "- [X] ", "- term :: ")
		var b strings.Builder
		for range 1 + r.IntN(3) {
			b.WriteString(bullet + words() + "\n")
			if r.IntN(3) == 0 && depth < 2 {
				b.WriteString("  - " + words() + "\n  - " + words() + "\n")
			}
		}
		return b.String()
	}
	element = func(depth int) string {
		switch r.IntN(11) {
		case 0, 1, 2:
			return words() + "\n" + words() + "\n"
		case 3, 4:
			return list(depth)
		case 5:
			if depth > 0 { // Emacs writes an HTML table there
				return words() + "\n"
			}
			return "| a | b |\n|---+---|\n| " + pick("1", "x") + " | " + words() + " |\n"
		case 6:
			return "#+begin_src " + pick("sh", "emacs-lisp -n", "go") + "\n  code " + pick("<x>", "&y", "_z_") + "\n    more\n#+end_src\n"
		case 7:
			return "#+begin_example\nexample *text*\n,* no heading\n#+end_example\n"
		case 8:
			if depth == 0 {
				return "#+begin_quote\n" + element(1) + "#+end_quote\n"
			}
			return words() + "\n"
		case 9:
			return ": fixed " + pick("<a>", "b") + "\n"
		}
		return "#+begin_verse\n" + pick("one", "two *bold*") + "\n   indented\n#+end_verse\n"
	}
	var b strings.Builder
	b.WriteString(pick("", "#+OPTIONS: toc:nil num:nil\n", "#+OPTIONS: ^:{} H:2 -:nil\n", "#+OPTIONS: tags:nil todo:nil *:nil\n", "#+OPTIONS: pri:t toc:1\n") + "\n" + element(0) + "\n* One\n" + words() + "\n\n")
	level := 1
	for range 2 + r.IntN(5) {
		level = 1 + r.IntN(min(level+1, 4))
		b.WriteString(strings.Repeat("*", level) + " " + pick("", "TODO ", "DONE [#B] ") + pick("Plain", "With *bold*", "A [1/2] cookie", "Under_score") +
			pick("", " :tag:", " :a:b:", " :noexport:", " :ARCHIVE:") + "\n" + pick("", "SCHEDULED: <2026-01-07 Wed>\n", ":PROPERTIES:\n:CUSTOM_ID: id"+strconv.Itoa(r.IntN(1000))+"\n:END:\n"))
		for range r.IntN(4) {
			b.WriteString(element(0) + "\n")
		}
	}
	return b.String() + "* Footnotes\n[fn:1] The /note/.\n"
}
