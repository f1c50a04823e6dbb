package cardtext

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// checkRoundTrip reports whether HTML of Markdown of HTML of a text is HTML of the text,
// with every link and nest in it byte for byte.
func checkRoundTrip(t *testing.T, c *Converter, markdown string) bool {
	t.Helper()
	first, err := c.HTML(markdown, false)
	if err != nil {
		t.Errorf("%q: %v", markdown, err)
		return false
	}
	back, err := c.Markdown(first)
	if err != nil {
		t.Errorf("%q: %v", markdown, err)
		return false
	}
	again, err := c.HTML(back, false)
	same := again == first
	if hasBareText(first) { // it comes back in paragraphs
		same = strings.Join(strings.Fields(PlainText(again)), "") == strings.Join(strings.Fields(PlainText(first)), "")
	}
	if err != nil || !same {
		t.Errorf("%q\nbecomes      %q\nas Markdown  %q\nwhich becomes %q (%v)", markdown, first, back, again, err)
		return false
	}
	if a, b := tokenTexts(first), tokenTexts(back); !slices.Equal(a, b) {
		t.Errorf("%q\nlinks and nests %q become %q", markdown, a, b)
		return false
	}
	return true
}

// hasBareText reports whether HTML has text that stands in no element. Markdown has it
// where tags that hold raw text are dropped.
func hasBareText(content string) bool {
	return slices.ContainsFunc(groups(content), func(g group) bool { return g.text != "" && !beginsBlock(g.text) })
}

// tokenTexts are the links and nests of a text; one with an element or over lines has no
// name that a card could have.
func tokenTexts(text string) (all []string) {
	for _, one := range Tokens(text) {
		if whole := text[one.Start:one.End]; !strings.ContainsAny(whole, "<>\n") {
			all = append(all, whole)
		}
	}
	return all
}

// The examples of CommonMark's specification, as goldmark has them beside its sources.
func TestCommonMarkRoundTrips(t *testing.T) {
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	if err != nil {
		t.Skip("no sources of goldmark: ", err)
	}
	b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "_test", "spec.json"))
	if err != nil {
		t.Skip("no examples of CommonMark: ", err)
	}
	var examples []struct {
		Markdown string
		Example  int
	}
	if err := json.Unmarshal(b, &examples); err != nil || len(examples) < 600 {
		t.Fatalf("%d examples, %v", len(examples), err)
	}
	c, failed := NewConverter(), 0
	for _, one := range examples {
		if !checkRoundTrip(t, c, one.Markdown) {
			failed++
		}
	}
	t.Logf("%d of %d examples", len(examples)-failed, len(examples))
}

// pieces are what generated texts are made of: what Markdown, HTML and cards give a
// meaning to, and what attacks are made of.
var pieces = []string{
	"a", "word", "two words", "Ünïcödé", "文字", "😀", "1", "10.", " ", "  ", "    ", "\t", "\n", "\n\n", "\n\n\n", "  \n", "\\\n", "*", "**", "_", "__", "~~", "`", "``", "```\n", "~~~\n", "#", "## ", "- ", "* ", "+ ",
	"1. ", "2) ", "> ", "|", "| a | b |\n|---|:-:|\n| 1 | 2 |\n", "---\n", "***\n", "===\n", "[", "]", "(", ")", "!", "[x](y)", "[x](<y z> \"t\")", "![i](a.png)", "<https://a.example>", "https://a.example/?a=1&b=2", "[r]: /u 'T'\n", "[r]", "- [ ] ", "- [x] ",
	"&", "&amp;", "&lt;", "&#10;", "&nbsp;", "\\", "\\*", "<", ">", "\"", "'", "<b>", "</b>", "<i>", "<br>", "<hr>", "<p>", "</p>", "<div>", "</div>", "<span class=\"c\">", "</span>", "<pre>", "</pre>", "<code>", "</code>", "<table>", "</table>", "<tr><td>",
	"<ul><li>", "</li></ul>", "<h2>", "</h2>", "<blockquote>", "<img src=x onerror=alert(1)>", "<a href=\"javascript:alert(1)\">", "</a>", "<script>", "</script>", "<style>", "</style>", "<!-- c -->", "<!--", "-->", "<?x", "?>", "<![CDATA[", "]]>", "<svg/onload=alert(1)>", "<iframe src=x>",
	"<details>", "<section>", "<textarea>", "<title>", "<math>", "<template>", "<noscript>", "<x-y>", "<p title=\"", "<a b='",
	"[[Card]]", "[[Card+Name|a label]]", "[[A_b_c]]", "[[__x__]]", "{{Nest|view}}", "{{+child}}", "{{A*b*}}", "\\[[no]]", "[[", "]]", "{{", "}}", "[[a|b]](c)", "[[x\"y'z]]", "{{a|b;c:d}}", "\U00100000", "\x00",
}

func generateText(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(24) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// TestGeneratedRoundTrips makes 10,000 texts with ROUND_TRIPS=10000 (`make soak
// PART=texts`), and a sample otherwise.
func TestGeneratedRoundTrips(t *testing.T) {
	n := 500
	if text := os.Getenv("ROUND_TRIPS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	c, failed := NewConverter(), 0
	for seed := range n {
		if !checkRoundTrip(t, c, generateText(rand.New(rand.NewPCG(uint64(seed), 1)))) {
			if failed++; failed == 20 {
				t.Fatal("too many")
			}
		}
	}
	t.Logf("%d of %d texts", n-failed, n)
}

// What a hostile text becomes runs nothing, also after the way back and forth.
func TestHostileTexts(t *testing.T) {
	c := NewConverter()
	for _, text := range []string{
		`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<a href="javascript:alert(1)">x</a>`, `[x](javascript:alert(1))`, "[x](java\nscript:alert(1))", `[x](JaVaScRiPt:alert(1))`,
		`[x](data:text/html;base64,PHNjcmlwdD4=)`, `[x](vbscript:msgbox(1))`, `![x](javascript:alert(1))`, `<svg onload=alert(1)>`, `<math><mi xlink:href="javascript:alert(1)">`, `<iframe srcdoc="<script>alert(1)</script>">`,
		`<p style="background:url(javascript:alert(1))">`, `<div onclick=alert(1)>x</div>`, `<a href="&#106;avascript:alert(1)">x</a>`, `<a href=" javascript:alert(1)">x</a>`, "<a href=\"java\tscript:alert(1)\">x</a>",
		`<form action="javascript:alert(1)"><button>x</button></form>`, `<object data="javascript:alert(1)">`, `<embed src="javascript:alert(1)">`, `<base href="//evil.example/">`, `<meta http-equiv=refresh content="0;url=javascript:alert(1)">`,
		`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`, `<textarea><img title="</textarea><img src=x onerror=alert(1)>"></textarea>`, `<style>@import 'javascript:alert(1)'</style>`, `<!--><img src=x onerror=alert(1)>-->`,
		`[[x" onmouseover="alert(1)]]`, `[a]([[" onclick="alert(1)]])`, `{{"><script>alert(1)</script>}}`, `[[<script>alert(1)</script>]]`, "`<script>`alert(1)`</script>`", "```\"><script>alert(1)</script>\nx\n```", `<details open ontoggle=alert(1)>`, `<video><source onerror=alert(1)></video>`,
		`<a href="//[[x]]" title='[[" onclick=alert(1) x="]]'>x</a>`, `<section><script>alert(1)</script></section>`, "<x\x00y onclick=alert(1)>", `</p><script>alert(1)</script>`, `<<script>script>alert(1)<</script>/script>`,
	} {
		first, err := c.HTML(text, false)
		if err != nil {
			t.Fatal(err)
		}
		back, err := c.Markdown(first)
		if err != nil {
			t.Fatal(err)
		}
		again, err := c.HTML(back, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, made := range []string{first, again, CleanHTML(first), CleanHTML(text)} {
			if why := dangerIn(made); why != "" {
				t.Errorf("%q becomes %q, which has %s", text, made, why)
			}
		}
		checkRoundTrip(t, c, text)
	}
}

// dangerIn names what a browser would run in HTML; empty: nothing.
func dangerIn(text string) string {
	for _, one := range browserTags(text) {
		switch one.Data {
		case "script", "style", "iframe", "object", "embed", "svg", "math", "base", "meta", "form", "link", "template":
			return "the element " + one.Data
		}
		for _, a := range one.Attr {
			value := strings.ToLower(strings.Map(func(r rune) rune {
				if r <= ' ' {
					return -1
				}
				return r
			}, a.Val))
			if strings.HasPrefix(a.Key, "on") || a.Key == "srcdoc" || a.Key == "formaction" {
				return "the attribute " + a.Key
			}
			for _, scheme := range []string{"javascript:", "data:", "vbscript:"} {
				if (a.Key == "href" || a.Key == "src" || a.Key == "action") && strings.HasPrefix(value, scheme) {
					return fmt.Sprintf("the address %q", a.Val)
				}
			}
		}
	}
	return ""
}

// browserTags are the elements that a browser makes of HTML.
func browserTags(text string) (all []*html.Node) {
	root, err := html.Parse(strings.NewReader("<!DOCTYPE html><body><div>" + text))
	if err != nil {
		return nil
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			all = append(all, n)
		}
	}
	return all
}
