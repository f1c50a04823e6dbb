package structure_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// What is code, what a heading is, and which blocks hold which is what CommonMark says,
// on small random pages.
func TestAgainstGoldmark(t *testing.T) {
	words := []string{
		"", "", "a", "    a", "\ta", "- a", "  - b", "    - c", "1. a", "   b", "```", "~~~", "  ```", "> a", "> ```", "# h", "  ## h ##", "---", "===",
		"* * *", "-", "      a", "2) a", "+ a", ">", "> - a", "> > b", "- > a", "- # h", "- ```", "\t- a", "  \ta", "-\ta", "1.  \ta", "- - a", "~~~ x", "`` ` ``",
		"<div>", "</div>", "<b>", "x <b>", "<!-- a", "-->", "<!-- a -->", "<?a", "?>", "<pre>", "</pre> a", "  <a href='x'>", "> <div>", "| a | b |", "| - | - |", "| - |", "a | b", "- | -", "| :-: |", "a \\| b",
		"> | a |", "  | -- |", "10. a", "-   a", "-     a", "*\ta", "####### a", "#", "# a #b", "<!A", "<script>", "</script>", "<b", "> # h", "   - a", "   > a",
	}
	parser := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
	rng := rand.New(rand.NewPCG(1, 2))
	differ := 0
	const rounds = 20000
	for range rounds {
		var b strings.Builder
		for range 1 + rng.IntN(6) {
			b.WriteString(words[rng.IntN(len(words))] + "\n")
		}
		page := b.String()
		source := []byte(page)
		doc := parser.Parse(text.NewReader(source))
		if hasShortHeader(doc) || underlinesTable(page) {
			continue
		}
		if got, want := ours(page), theirs(doc, source); got != want {
			if differ++; differ <= 12 {
				t.Logf("%q\n got %s\nwant %s", page, got, want)
			}
		}
	}
	if differ > 0 {
		t.Errorf("%d of %d pages are read otherwise than by goldmark", differ, rounds)
	}
}

// hasShortHeader reports a difference that is meant: goldmark takes a line for the header
// of a table although it has fewer cells than the line below it, which GitHub does not.
func hasShortHeader(doc ast.Node) (short bool) {
	_ = ast.Walk(doc, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		if n.Kind() == table.KindTableHeader {
			short = short || n.LastChild().Lines().Len() == 0
		}
		return ast.WalkContinue, nil
	})
	return short
}

// isInside reports whether a line of code is neither blank nor the beginning or end of a
// fence, of which goldmark does not tell the lines.
func isInside(line string) bool {
	line = strings.Trim(line, " \t>-\n")
	return line != "" && !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~")
}

// underlinesTable is the other: goldmark reads a table as a paragraph first, and so a line
// of it as an underline or a second divider. On GitHub such a line is a row, a rule or an item.
func underlinesTable(page string) bool {
	dividers, marks := 0, false
	for line := range strings.Lines(page) {
		line = strings.Trim(line, " >\n")
		if strings.Trim(line, "|:- ") == "" && strings.Trim(line, "-") != "" {
			dividers++
		}
		marks = marks || line == "===" || strings.Trim(line, "-") == "" && line != ""
	}
	return dividers > 1 || dividers == 1 && marks
}

func ours(page string) string {
	p := structure.Read(page, 0)
	var b strings.Builder
	for _, l := range p.Lines {
		if l.Code && isInside(page[l.Start:l.End]) {
			fmt.Fprintf(&b, "code%d ", l.Number)
		}
	}
	children := map[int][]int{}
	for i, block := range p.Blocks {
		children[block.Parent] = append(children[block.Parent], i)
	}
	var write func(of int)
	write = func(of int) {
		for _, i := range children[of] {
			b.WriteString(kindNames[p.Blocks[i].Kind] + "(")
			write(i)
			b.WriteString(")")
		}
	}
	write(-1)
	return b.String()
}

var kindNames = map[structure.Kind]string{
	structure.ParagraphBlock: "p", structure.HeadingBlock: "h", structure.RuleBlock: "hr", structure.FenceBlock: "fence", structure.IndentedBlock: "code",
	structure.HTMLBlock: "html", structure.TableBlock: "table", structure.QuoteBlock: "quote", structure.ListBlock: "list", structure.ItemBlock: "item",
}

func theirs(doc ast.Node, source []byte) string {
	var codes [100]bool
	names := map[ast.NodeKind]string{
		ast.KindParagraph: "p", ast.KindTextBlock: "p", ast.KindHeading: "h", ast.KindThematicBreak: "hr", ast.KindFencedCodeBlock: "fence", ast.KindCodeBlock: "code",
		ast.KindHTMLBlock: "html", table.KindTable: "table", ast.KindBlockquote: "quote", ast.KindList: "list", ast.KindListItem: "item",
	}
	var tree strings.Builder
	var write func(of ast.Node)
	write = func(of ast.Node) {
		for n := of.FirstChild(); n != nil; n = n.NextSibling() {
			if n.Type() != ast.TypeBlock {
				continue
			}
			if n.Kind() == ast.KindCodeBlock || n.Kind() == ast.KindFencedCodeBlock {
				for i := range n.Lines().Len() {
					s := n.Lines().At(i)
					if isInside(string(s.Value(source))) {
						codes[strings.Count(string(source[:s.Start]), "\n")+1] = true
					}
				}
			}
			tree.WriteString(names[n.Kind()] + "(")
			if n.Kind() != table.KindTable {
				write(n)
			}
			tree.WriteString(")")
		}
	}
	write(doc)
	var b strings.Builder
	for i, code := range codes {
		if code {
			fmt.Fprintf(&b, "code%d ", i)
		}
	}
	return b.String() + tree.String()
}
