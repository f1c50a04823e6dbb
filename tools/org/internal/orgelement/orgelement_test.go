package orgelement

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// outline writes kinds and what they contain, "13[14]" for elements by number.
func outline(text string, list []*Node) string {
	names := map[Kind]string{
		Paragraph: "p", PlainList: "list", Item: "item", Table: "table", TableRow: "row", TableCell: "cell", SourceBlock: "src", ExampleBlock: "example",
		QuoteBlock: "quote", SpecialBlock: "special", Drawer: "drawer", KeywordLine: "keyword", Comment: "comment", FixedWidth: "fixed",
		HorizontalRule: "rule", LatexEnvironment: "latex", FootnoteDefinition: "note", InlineTask: "task", VerseBlock: "verse", DynamicBlock: "dynamic",
		BabelCall: "call", ClockLine: "clock", DiaryLine: "diary", CenterBlock: "center", ExportBlock: "export", CommentBlock: "remark",
	}
	var out []string
	for _, n := range list {
		s := names[n.Kind]
		if n.Kind == TableRow {
			s += fmt.Sprint(len(n.Children))
		} else if len(n.Children) > 0 {
			s += "(" + outline(text, n.Children) + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestElements(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a\nb\n\nc", "p p"},
		{"- a\n  1. b\n\n     c\n- d\n\n\ne", "list(item(p list(item(p p))) item(p)) p"},
		{"1. a\n* b", "list(item(p)) p"},
		{"- a\n #+begin_src\n- no\n #+end_src\n- b", "list(item(p src) item(p))"},
		{"#+begin_src\nopen\n#+begin_quote\nq\n#+end_quote", "p quote(p)"},
		{"#+begin_a\n#+begin_b\nx\n#+end_b\n#+end_a", "special(special(p))"},
		{"| a | b |\n|---+---|\n| c\n#+TBLFM: x\ny", "table(row2 row0 row1) p"},
		{"+---+\n| a |\n+---+", "table"},
		{"#+NAME: a\n#+CAPTION: b\n| c |\n#+NAME: d\n\ne", "table(row1) keyword p"},
		{":A:\nx\n:END:\n:B:\ny", "drawer p"},
		{": a\n:\n# c\n-----\n%%(x)\nCLOCK: y\n", "fixed comment rule diary clock"},
		{"\\begin{a}\nx\n\\end{a}\n\\begin{b}", "latex p"},
		{"[fn:1] a\nb\n\nc\n\n\nd\n[fn:2] e", "note(p p) p note(p)"},
		{"#+begin: clocktable\nx\n#+end:\n#+call: f()", "dynamic(p) call"},
		{"#+title: x\ny\n#+filetags: z", "keyword p keyword"},
		{"***** Task\ntext\n***** END\n***** Lone\nrest", "task(p) task p"},
	} {
		if got := outline(c.text, Elements([]byte(c.text), span(0, len(c.text)), 5)); got != c.want {
			t.Errorf("%q: got %s, want %s", c.text, got, c.want)
		}
	}
}

func TestItems(t *testing.T) {
	const text = "- [X] a :: b\n3) [@7] [-] c :: d\n"
	list := Elements([]byte(text), span(0, len(text)), 0)
	first := list[0].Children[0]
	if first.Item.Checkbox != 'X' || !first.Item.HasTag || text[first.Item.Tag.Start:first.Item.Tag.End] != "a" || first.Ordered() {
		t.Errorf("%+v", first.Item)
	}
	second := list[0].Children[1]
	if second.Item.Counter != "7" || second.Item.Checkbox != '-' || second.Item.HasTag || !second.Ordered() || text[second.Contents.Start:second.Contents.End] != "c :: d\n" {
		t.Errorf("%+v", second.Item)
	}
}

func TestObjects(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // kinds as numbers from Text on, and their text
	}{
		{"*b* x", "1:*b* 0:x"},
		{"a*b* *c\nd* *e\nf\ng*", "0:a*b* 1:*c\nd* 0:*e\nf\ng*"},
		{"=a= ~b~ +c+ _d_ /e/", "6:=a= 5:~b~ 4:+c+ 3:_d_ 2:/e/"},
		{"a_b c^{d} e_ f", "0:a 7:_b 0:c 8:^{d} 0:e_ f"},
		{"[[a][b]] [[c]] <https://d e> http://f/(g). x", "9:[[a][b]] 9:[[c]] 9:<https://d e> 9:http://f/(g) 0:. x"},
		{"[fn:1] [fn::a [b]] [fn:", "11:[fn:1] 11:[fn::a [b]] 0:[fn:"},
		{"[1/2] [50%] <2026-01-01 Thu>--<2026-01-02 Fri> [2026-01-01]", "12:[1/2] 12:[50%] 10:<2026-01-01 Thu>--<2026-01-02 Fri> 10:[2026-01-01]"},
		{"<<a>> <<<b>>> {{{c(d)}}}", "13:<<a>> 14:<<<b>>> 15:{{{c(d)}}}"},
		{`\alpha{} \foo{x} $a$ $b c \(d\)`, `16:\alpha{} 17:\foo{x} 17:$a$ 0:$b c  17:\(d\)`},
		{"a\\\\\nb @@html:c@@ src_go[x]{y} call_f(z)", "0:a 18:\\\\\n 0:b  19:@@html:c@@ 20:src_go[x]{y} 21:call_f(z)"},
		{"[cite/t:@key] [cite:no]", "22:[cite/t:@key] 0:[cite:no]"},
	} {
		var got []string
		for _, n := range Objects([]byte(c.text), span(0, len(c.text)), InText) {
			got = append(got, fmt.Sprintf("%d:%s", n.Kind-Text, c.text[n.Span.Start:n.Span.End]))
		}
		if s := strings.Join(got, " "); strings.ReplaceAll(s, "  ", " ") != strings.ReplaceAll(c.want, "  ", " ") {
			t.Errorf("%q:\n got %q\nwant %q", c.text, s, c.want)
		}
	}
}

func TestLinks(t *testing.T) {
	for raw, want := range map[string]LinkParts{
		"https://a.b":    {Type: "https", Path: "//a.b", Raw: "https://a.b"},
		"file:a.org::*B": {Type: "file", Path: "a.org", Search: "*B", Raw: "file:a.org::*B"},
		"./x":            {Type: "file", Path: "./x", Raw: "./x"},
		"id:1":           {Type: "id", Path: "1", Raw: "id:1"},
		"#c":             {Type: "custom-id", Path: "c", Raw: "#c"},
		"(ref)":          {Type: "coderef", Path: "ref", Raw: "(ref)"},
		"*Heading":       {Type: "fuzzy", Path: "*Heading", Raw: "*Heading"},
		"zz:top":         {Type: "fuzzy", Path: "zz:top", Raw: "zz:top"},
	} {
		if got := ParsePath(raw); got != want {
			t.Errorf("%s: got %+v, want %+v", raw, got, want)
		}
	}
}

// checkNodes says what is wrong with parsed nodes: they must lie in order, inside
// of their range.
func checkNodes(list []*Node, from, to int32) error {
	for _, n := range list {
		if n.Span.Start < from || n.Span.End < n.Span.Start || n.Span.End > to {
			return fmt.Errorf("node %d at %v is out of order or place %d-%d", n.Kind, n.Span, from, to)
		}
		if !n.Contents.Empty() && (n.Contents.Start < n.Span.Start || n.Contents.End > n.Span.End) {
			return fmt.Errorf("node %d at %v contains %v", n.Kind, n.Span, n.Contents)
		}
		if err := checkNodes(n.Children, n.Span.Start, n.Span.End); err != nil {
			return err
		}
		from = n.Span.End
	}
	return nil
}

func FuzzElements(f *testing.F) {
	f.Add("- a\n #+begin_quote\n 1. b\n #+end_quote\n| c |\n[fn:1] d\n:E:\n:END:\n\\begin{f}\\end{f}\n#+name: g\n")
	f.Add("a\n[fn:0]b\n ") // blank lines after it are no part of a definition
	f.Add("-\r\n+ a\r\n1.\r\n- \rb\n+\rc\n")
	f.Add("*a* /b\nc/ [[d][e]] [fn::f] {{{g(h)}}} $i$ \\alpha <2026-01-01>--<x> src_j{k} @@l:m@@ a_{b}")
	f.Fuzz(func(t *testing.T, text string) {
		list := Elements([]byte(text), span(0, len(text)), 4)
		if err := checkNodes(list, 0, int32(len(text))); err != nil {
			t.Fatal(err)
		}
		for _, place := range []Place{InText, InLine, InDescription} {
			objects := Objects([]byte(text), orgfile.Span{End: int32(len(text))}, place)
			if err := checkNodes(objects, 0, int32(len(text))); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func BenchmarkElements(b *testing.B) {
	text := []byte(strings.Repeat("A paragraph with *bold* and [[link][text]].\n\n- item\n  - nested\n\n| a | b |\n\n#+begin_src go\ncode\n#+end_src\n\n", 8000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Elements(text, span(0, len(text)), 0)
	}
}
