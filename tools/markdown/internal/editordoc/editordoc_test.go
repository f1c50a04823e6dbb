package editordoc_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/editordoc"
)

// What stands in a page is the node of TipTap that says it.
func TestNodes(t *testing.T) {
	for markdown, want := range map[string]string{
		"":                               `{"type":"doc","content":[{"type":"paragraph"}]}`,
		"Hello *you* and **me**.\n":      `{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"Hello "},{"type":"text","text":"you","marks":[{"type":"italic"}]},{"type":"text","text":" and "},{"type":"text","text":"me","marks":[{"type":"bold"}]},{"type":"text","text":"."}]}]}`,
		"## Two\n":                       `{"type":"doc","content":[{"type":"heading","attrs":{"level":2},"content":[{"type":"text","text":"Two"}]}]}`,
		"- [x] done\n- [ ] open\n":       `{"type":"doc","content":[{"type":"taskList","content":[{"type":"taskItem","attrs":{"checked":true},"content":[{"type":"paragraph","content":[{"type":"text","text":"done"}]}]},{"type":"taskItem","attrs":{"checked":false},"content":[{"type":"paragraph","content":[{"type":"text","text":"open"}]}]}]}]}`,
		"3. c\n4. d\n":                   `{"type":"doc","content":[{"type":"orderedList","attrs":{"start":3},"content":[{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"c"}]}]},{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"d"}]}]}]}]}`,
		"```go\nx := 1\n```\n":           `{"type":"doc","content":[{"type":"codeBlock","attrs":{"language":"go"},"content":[{"type":"text","text":"x := 1"}]}]}`,
		"> quoted\n":                     `{"type":"doc","content":[{"type":"blockquote","content":[{"type":"paragraph","content":[{"type":"text","text":"quoted"}]}]}]}`,
		"> [!tip] Look\n> here\n":        `{"type":"doc","content":[{"type":"callout","attrs":{"fold":"","kind":"tip","title":"Look"},"content":[{"type":"paragraph","content":[{"type":"text","text":"here"}]}]}]}`,
		"![A](./a.png)\n":                `{"type":"doc","content":[{"type":"image","attrs":{"alt":"A","src":"./a.png","title":""}}]}`,
		"[[Page|label]]\n":               `{"type":"doc","content":[{"type":"paragraph","content":[{"type":"wikilink","attrs":{"label":"label","target":"Page"}}]}]}`,
		"see ![[Page]]\n":                `{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"see "},{"type":"text","text":"![[Page]]","marks":[{"type":"rawMarkdown"}]}]}]}`,
		"[ref]: https://example.org\n":   `{"type":"doc","content":[{"type":"rawMarkdown","attrs":{"markdown":"[ref]: https://example.org"}}]}`,
		"<div>\n*x*\n</div>\n":           `{"type":"doc","content":[{"type":"rawMarkdown","attrs":{"markdown":"<div>\n*x*\n</div>"}}]}`,
		"| A |\n| ---: |\n| 1 |\n":       `{"type":"doc","content":[{"type":"table","content":[{"type":"tableRow","content":[{"type":"tableHeader","attrs":{"align":"right"},"content":[{"type":"paragraph","content":[{"type":"text","text":"A"}]}]}]},{"type":"tableRow","content":[{"type":"tableCell","attrs":{"align":"right"},"content":[{"type":"paragraph","content":[{"type":"text","text":"1"}]}]}]}]}]}`,
		"Title\n===\n":                   `{"type":"doc","content":[{"type":"heading","attrs":{"level":1,"source":"Title\n===\n"},"content":[{"type":"text","text":"Title"}]}]}`,
		"<!-- bookmark: {\"u\":1} -->\n": `{"type":"doc","content":[{"type":"bookmark","attrs":{"data":{"u":1}}}]}`,
		"<details><summary>S</summary>\n\ninside\n\n</details>\n": `{"type":"doc","content":[{"type":"toggle","attrs":{"open":false,"summary":"S"},"content":[{"type":"paragraph","content":[{"type":"text","text":"inside"}]}]}]}`,
	} {
		if got := editordoc.FromMarkdown(markdown).JSON(); got != want {
			t.Errorf("%q is\n%s\nwant\n%s", markdown, got, want)
		}
	}
}

// An edit of one block changes the bytes of that block and no other.
func TestEdits(t *testing.T) {
	page := "# Title\ntext right below\n\n* star one\n*   star two\n    - [ ] nested\n\n| A|B |\n|--|:-:|\n|1|2|\n| 3 | 4 |\n\nSetext\n---\n\n[ref]: x\n\nlast __bold__ line"
	for _, c := range []struct{ name, from, to, old, new string }{
		{"paragraph", `"text right below"`, `"other text"`, "text right below", "other text"},
		{"item", `"star one"`, `"STAR"`, "* star one", "* STAR"},
		{"cell", `"3"`, `"30"`, "| 3 | 4 |", "| 30 | 4 |"},
		{"heading", `"Setext"`, `"Other"`, "Setext\n---", "## Other"},
		{"raw", `"[ref]: x"`, `"[ref]: y"`, "[ref]: x", "[ref]: y"},
		{"last", `" line"`, `" LINE"`, "last __bold__ line", "last **bold** LINE"},
		{"escaped", `"text right below"`, `"# no *heading*"`, "text right below", `\# no \*heading\*`},
		{"list in a text", `"text right below"`, `"1. no list"`, "text right below", `1\. no list`},
	} {
		for _, drop := range []bool{false, true} {
			doc := withoutSource(t, editordoc.FromMarkdown(page).JSON(), drop)
			if !strings.Contains(doc, c.from) {
				t.Fatalf("%s: no %s in %s", c.name, c.from, doc)
			}
			got, err := editordoc.Update(page, strings.Replace(doc, c.from, c.to, 1))
			if want := strings.Replace(page, c.old, c.new, 1); err != nil || got != want {
				t.Errorf("%s is\n%q (%v)\nwant\n%q", c.name, got, err, want)
			}
		}
	}
}

// withoutSource is a document as an editor writes it that drops what it does not know.
func withoutSource(t *testing.T, doc string, drop bool) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(doc), &value); err != nil {
		t.Fatal(err)
	}
	if drop {
		eachNode(value, func(n map[string]any) {
			attrs, _ := n["attrs"].(map[string]any)
			delete(attrs, "source")
			if attrs != nil {
				attrs["textAlign"] = nil
			}
		})
	}
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(data))
}

func eachNode(value any, do func(map[string]any)) {
	n, _ := value.(map[string]any)
	if n == nil {
		return
	}
	do(n)
	content, _ := n["content"].([]any)
	for _, c := range content {
		eachNode(c, do)
	}
}

// Blocks that come, go and move leave the others as they are.
func TestBlocksComeAndGo(t *testing.T) {
	page := "one\n\n\n\ntwo\n\n***\n\nthree\n"
	nodes := []string{`{"type":"paragraph","content":[{"type":"text","text":"one"}]}`, `{"type":"paragraph","content":[{"type":"text","text":"two"}]}`, `{"type":"horizontalRule"}`, `{"type":"paragraph","content":[{"type":"text","text":"three"}]}`}
	fresh := `{"type":"heading","attrs":{"level":3},"content":[{"type":"text","text":"new"}]}`
	empty := `{"type":"paragraph"}`
	for _, c := range []struct {
		nodes []string
		want  string
	}{
		{nodes, page},
		{[]string{nodes[0], empty, nodes[1], nodes[2], nodes[3], empty}, page},
		{[]string{nodes[0], nodes[2], nodes[3]}, "one\n\n\n\n***\n\nthree\n"},
		{[]string{nodes[0], nodes[1], fresh, nodes[2], nodes[3]}, "one\n\n\n\ntwo\n\n### new\n\n***\n\nthree\n"},
		{[]string{nodes[3], nodes[0], nodes[1], nodes[2]}, "three\n\none\n\n\n\ntwo\n\n***\n"},
		{[]string{nodes[0]}, "one\n"},
		{nil, ""},
	} {
		got, err := editordoc.Update(page, `{"type":"doc","content":[`+strings.Join(c.nodes, ",")+`]}`)
		if err != nil || got != c.want {
			t.Errorf("%q (%v)\nwant %q", got, err, c.want)
		}
	}
}

// A document that cannot be read is answered with the place.
func TestHostileDocuments(t *testing.T) {
	deep := strings.Repeat(`{"type":"blockquote","content":[`, 200)
	for doc, want := range map[string]string{
		``: "not JSON", `[]`: "doc: it is not a node", `{"type":"paragraph"}`: "not doc", `{"type":"doc","content":{}}`: "doc.content: it is not a list",
		`{"type":"doc","content":[{"type":"video"}]}`:                                                                       `doc.content[0]: unknown type "video"`,
		`{"type":"doc","content":[{"type":"paragraph"},{"type":"heading","attrs":{"level":"2"}}]}`:                          "doc.content[1].attrs.level: it is not a number",
		`{"type":"doc","content":[{"type":"heading","attrs":{"level":-1e300}}]}`:                                            "doc.content[0].attrs.level",
		`{"type":"doc","content":[{"type":"text","text":"x"}]}`:                                                             "doc.content[0]: a node of type text cannot be in one of type doc",
		`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"a\u0000"}]}]}`:                      "doc.content[0].content[0].text",
		`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"a","marks":[{"type":"blink"}]}]}]}`: `content[0].marks[0]: unknown type "blink"`,
		`{"type":"doc","content":[` + deep + strings.Repeat("]}", 200) + `]}`:                                               "nested more than",
	} {
		if got, err := editordoc.Update("page\n", doc); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s is %q, %v; want %s", doc, got, err, want)
		}
	}
}

// Markdown becomes blocks and the same Markdown again, of every file of a vault
// (VAULT names a generated one) and of random texts.
func TestRoundTrips(t *testing.T) {
	if vault := os.Getenv("VAULT"); vault != "" {
		files := 0
		err := filepath.WalkDir(vault, func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".md") {
				return err
			}
			data, err := os.ReadFile(path)
			if err == nil {
				files++
				checkRoundTrip(t, strings.ReplaceAll(string(data), "\r\n", "\n"))
			}
			return err
		})
		if err != nil || files == 0 {
			t.Fatalf("%d files of %s were read: %v", files, vault, err)
		}
	}
	random := rand.New(rand.NewPCG(7, 7))
	for range 1000 {
		checkRoundTrip(t, randomText(random))
	}
}

func checkRoundTrip(t *testing.T, markdown string) {
	t.Helper()
	doc := editordoc.FromMarkdown(markdown)
	if got := doc.Markdown(); got != markdown {
		t.Fatalf("%q becomes %q by %s", markdown, got, doc.JSON())
	}
	for _, drop := range []bool{false, true} {
		got, err := editordoc.Update(markdown, withoutSource(t, doc.JSON(), drop))
		if err != nil || got != markdown {
			t.Fatalf("%q is updated to %q (%v) by %s", markdown, got, err, doc.JSON())
		}
	}
}

func randomText(r *rand.Rand) string {
	parts := []string{
		"word", "other text", "*it*", "**bold**", "__b__", "`code`", "[[Link]]", "[[L#h|t]]", "![[E]]", "[a](b.md)", "[a][r]", "![i](i.png \"t\")", "<b>", "&amp;", "\\*", "~~s~~", "<https://x.org>",
		"# H", "###### H #", "===", "---", "- item", "* item", "+ item", "  - nested", "    deep", "1. one", "2) two", "- [ ] task", "- [x] done", "> quote", "> [!note] T", "> > two", "```", "~~~go", "    code",
		"| a | b |", "|---|:-:|", "| 1 | \\| |", "<details><summary>S</summary>", "</details>", "<div>", "</div>", "<!-- bookmark: {} -->", "[r]: x", "%% comment %%", "$$", "^id", "\t", "  ", "é", "日本", "\u2028", "\r",
	}
	var text strings.Builder
	for range r.IntN(14) {
		text.WriteString(parts[r.IntN(len(parts))])
		text.WriteString([]string{" ", "", "\n", "\n", "\n", "\n\n", "\n\n", "\n\n\n"}[r.IntN(8)])
	}
	return text.String()
}

// An edit of a random block changes no byte of the others.
func TestRandomEdits(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	for i := range 500 {
		var blocks []string
		for range 1 + random.IntN(6) {
			blocks = append(blocks, strings.TrimSpace(randomText(random)))
		}
		at := random.IntN(len(blocks) + 1)
		before, after := strings.Join(blocks[:at], "\n\n")+"\n\n", strings.Join(blocks[at:], "\n\n")
		edited := fmt.Sprintf("the block %d that is edited", i)
		page := before + edited + "\n\n" + after
		doc := withoutSource(t, editordoc.FromMarkdown(page).JSON(), true)
		if !strings.Contains(doc, `"text":"`+edited+`"`) {
			continue // it is in something else
		}
		got, err := editordoc.Update(page, strings.Replace(doc, edited, "now *another*", 1))
		if want := before + `now \*another\*` + "\n\n" + after; err != nil || got != want {
			t.Fatalf("%q becomes\n%q (%v)\nwant\n%q\ndoc %s", page, got, err, want, doc)
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, s := range []string{"# a\n\n- b\n", "> [!x] y\n> z\n", "|a|\n|-|\n", "<details><summary>x</summary>\n\ny\n</details>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, markdown string) {
		if json.Valid([]byte(markdown)) || strings.ContainsAny(markdown, "\x00") || strings.ToValidUTF8(markdown, "") != markdown {
			return
		}
		checkRoundTrip(t, markdown)
	})
}

// Whatever an application writes is text or an error that names a place, and reading the
// result again changes nothing.
func FuzzUpdate(f *testing.F) {
	f.Add("# a\n\n- b\n", `{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"x","marks":[{"type":"bold"}]}]}]}`)
	f.Fuzz(func(t *testing.T, page, doc string) {
		if strings.ToValidUTF8(page, "") != page || strings.Contains(page, "\x00") {
			return
		}
		got, err := editordoc.Update(page, doc)
		if err != nil {
			return
		}
		if strings.ToValidUTF8(got, "") != got || strings.Contains(got, "\x00") {
			t.Errorf("%q", got)
		}
		checkRoundTrip(t, got)
	})
}

func BenchmarkFromMarkdown(b *testing.B) {
	text := strings.Repeat("## Heading\n\nSome *words* and a [[Link|label]] in a paragraph of one line, `code` too.\n\n- [ ] a task\n- [x] another one\n\n", 12)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_ = editordoc.FromMarkdown(text).JSON()
	}
}

// Time grows with the length of a paragraph, not with its square.
func BenchmarkLongParagraph(b *testing.B) {
	text := strings.Repeat("words of a long paragraph without its end ", 1<<15/42)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_ = editordoc.FromMarkdown(text)
	}
}
