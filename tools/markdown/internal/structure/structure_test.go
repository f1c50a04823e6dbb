package structure_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

func TestHeadings(t *testing.T) {
	const page = "---\nk: v\n---\n# A #\nx\n```\n# no\n```\n## B\ny\n\nC\n---\n### D\n# B\n    # no\n"
	body := strings.Index(page, "# A")
	lines := structure.Lines(page, body)
	var got []string
	for _, h := range structure.Headings(page, lines) {
		got = append(got, fmt.Sprintf("%d %s line %d %q", h.Level, strings.Join(h.Path, "/"), h.Line, page[h.Content:h.End]))
	}
	want := []string{
		`1 A line 4 "x\n` + "```\\n# no\\n```" + `\n## B\ny\n\nC\n---\n### D\n"`,
		`2 A/B line 9 "y\n\n"`, `2 A/C line 12 "### D\n"`, `3 A/C/D line 14 ""`, `1 B line 15 "    # no\n"`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for name, want := range map[string]int{"b": 2, "## B": 1, "# B": 1, "A#B": 1, "A#C#D": 1, "A#D": 1, "B#D": 0, "D": 1, "C #": 0, "#A#B": 1} {
		n := 0
		for _, h := range structure.Headings(page, lines) {
			if h.Matches(name) {
				n++
			}
		}
		if n != want {
			t.Errorf("%q matches %d headings, want %d", name, n, want)
		}
	}
}

func TestBlocksAndTasks(t *testing.T) {
	const page = "one\ntwo ^a\n\n- [ ] first ^b-1\n  more\n- [x] second\n> - [/] third\n\n| t |\n\n^c\n\n```\n- [ ] no ^d\n```\n1. [ ]\nx^no\n"
	lines := structure.Lines(page, 0)
	var got []string
	for _, b := range structure.Blocks(page, lines) {
		got = append(got, fmt.Sprintf("%s %q", b.ID, page[b.Start:b.End]))
	}
	for _, task := range structure.Tasks(page, lines) {
		got = append(got, fmt.Sprintf("%v %q %q %d", task.Done, page[task.Mark:task.Mark+1], task.Text, task.Line))
	}
	want := []string{
		`a "one\ntwo ^a"`, `b-1 "- [ ] first ^b-1"`, `c "| t |\n\n^c"`,
		`false " " "first ^b-1" 4`, `true "x" "second" 6`, `false "/" "third" 7`, `false " " "" 16`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// What is code and what a heading is what CommonMark says, on small random pages.
func TestAgainstGoldmark(t *testing.T) {
	words := []string{"", "", "a", "    a", "\ta", "- a", "  - b", "    - c", "1. a", "   b", "```", "~~~", "  ```", "> a", "> ```", "# h", "  ## h ##", "---", "===", "* * *", "-", "      a"}
	rng := rand.New(rand.NewPCG(1, 2))
	differ := 0
	const rounds = 5000
	for range rounds {
		var b strings.Builder
		for range 1 + rng.IntN(6) {
			b.WriteString(words[rng.IntN(len(words))] + "\n")
		}
		page := b.String()
		if got, want := ours(page), theirs(page); got != want {
			if differ++; differ <= 3 {
				t.Logf("%q\n got %s\nwant %s", page, got, want)
			}
		}
	}
	t.Logf("%d of %d differ", differ, rounds)
	if differ > rounds/20 {
		t.Errorf("%d of %d pages are read otherwise than by goldmark", differ, rounds)
	}
}

func ours(page string) string {
	lines := structure.Lines(page, 0)
	var b strings.Builder
	for _, l := range lines {
		if s := strings.Trim(page[l.Start:l.End], " \t`~>"); l.Code && s != "" {
			fmt.Fprintf(&b, "code%d ", l.Number)
		}
	}
	for _, h := range structure.Headings(page, lines) {
		fmt.Fprintf(&b, "h%d:%s ", h.Level, h.Text)
	}
	return b.String()
}

func theirs(page string) string {
	source := []byte(page)
	var codes [100]bool
	var headings strings.Builder
	_ = ast.Walk(goldmark.New().Parser().Parse(text.NewReader(source)), func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if !enter {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindCodeBlock, ast.KindFencedCodeBlock:
			for i := range n.Lines().Len() {
				s := n.Lines().At(i)
				if strings.Trim(string(s.Value(source)), " \t`~>\n") != "" {
					codes[strings.Count(page[:s.Start], "\n")+1] = true
				}
			}
		case ast.KindHeading:
			var title string
			if n.Lines().Len() > 0 {
				s := n.Lines().At(n.Lines().Len() - 1)
				title = strings.TrimSpace(string(s.Value(source)))
			}
			fmt.Fprintf(&headings, "h%d:%s ", n.(*ast.Heading).Level, title)
		}
		return ast.WalkContinue, nil
	})
	var b strings.Builder
	for i, code := range codes {
		if code {
			fmt.Fprintf(&b, "code%d ", i)
		}
	}
	return b.String() + headings.String()
}
