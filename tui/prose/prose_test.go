package prose

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tui/theme"
)

func layOut(t testing.TB, source string, w int) []Row {
	t.Helper()
	rows, err := Markdown(t.Context(), source, w)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// drawn is what a row shows, with its inks in angle brackets where they are not
// the body's.
func drawn(rows []Row) string {
	names := map[SpanKind]string{Strong: "strong", Emphasis: "em", Code: "code", Heading: "h", Link: "link", Faint: "faint", Rule: "rule"}
	var b strings.Builder
	for _, r := range rows {
		for _, s := range r {
			if name := names[s.Kind]; name != "" && s.Kind != Rule {
				b.WriteString("‹" + name + " " + s.Text + "›")
			} else {
				b.WriteString(s.Text)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestMarkdown lays a page with one of everything out at three widths.
func TestMarkdown(t *testing.T) {
	source, err := os.ReadFile("testdata/page.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"30", "60", "100"} {
		w := map[string]int{"30": 30, "60": 60, "100": 100}[name]
		got := drawn(layOut(t, string(source), w))
		file := filepath.Join("testdata", "page-"+name+".txt")
		if os.Getenv("UPDATE") == "1" {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
			t.Errorf("%s (-want +got); UPDATE=1 go test ./tui/prose rewrites it:\n%s", file, d)
		}
	}
}

// TestRowsFit: no row is wider than it may be, at any width.
func TestRowsFit(t *testing.T) {
	source, err := os.ReadFile("testdata/page.md")
	if err != nil {
		t.Fatal(err)
	}
	for w := minWidth; w < 130; w++ {
		for name, rows := range map[string][]Row{"rendered": layOut(t, string(source), w), "raw": plain(t, string(source), w)} {
			for i, r := range rows {
				if r.width() > w {
					t.Errorf("%s: row %d of %d cells is %d wide: %q", name, i, w, r.width(), drawn([]Row{r}))
				}
			}
		}
	}
}

func plain(t testing.TB, source string, w int) []Row {
	t.Helper()
	rows, err := TextRows(t.Context(), source, w)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestNothingIsLost: every letter of plain text is on some row.
func TestNothingIsLost(t *testing.T) {
	source := strings.Repeat("Ein langer Satz über 日本語 und e\u0301 mit Donaudampfschifffahrtsgesellschaftskapitän. ", 20)
	squeeze := strings.NewReplacer(" ", "", "\n", "")
	for _, w := range []int{8, 11, 40, 200} {
		for _, rows := range [][]Row{layOut(t, source, w), plain(t, source, w)} {
			if got := squeeze.Replace(drawn(rows)); got != squeeze.Replace(source) {
				t.Errorf("at %d cells: %s", w, cmp.Diff(squeeze.Replace(source), got))
			}
		}
	}
}

// hostile are texts that ask too much of a parser or a terminal, or look like
// what they are not.
func hostile() map[string]string {
	const n = 256 << 10
	all := map[string]string{
		"escapes": "# \x1b[2J\x1b]0;x\x07\n\n[a\x1b[31m](http://e\x1b]52;c;eA==\x07)\n\n`\x9b31m`\n\n|\x1bc|\u202e|\n|-|-|\n|\u200b|\xff|\n\n<b \x1b[8m>\n\n&#27;[2J &#x9b;31m\n\n    \x1b[?1049l\n```\x1b]8;;http://x\x1b\\\n\x00\x0e\n```\n",
		"accents": strings.Repeat("e"+strings.Repeat("\u0301", 5000)+" ", 10),
		"columns": strings.Repeat("|a", 5000) + "|\n" + strings.Repeat("|-", 5000) + "|\n",
		"rows":    "|a|b|\n|-|-|\n" + strings.Repeat("|*x*|y|\n", n/8),
		"item":    strings.Repeat("- a\n  ", n/6),
		"deep":    deepList(400),
		"crlf":    strings.Repeat("a\r\n\r\n", 100),
		"nothing": "",
		"spaces":  strings.Repeat(" ", n),
		"unseen":  strings.Repeat("\uffff", n/3),
		"pillars": strings.Repeat("|a", n/8) + "|\n" + strings.Repeat("|-", n/8) + "|\n" + strings.Repeat("|b\n", n/8),
		"numbers": strings.Repeat("1. ", n/3),
		"entity":  strings.Repeat("&amp;", n/5),
		"slashes": strings.Repeat(`\`, n),
		"links":   strings.Repeat("[a](b) ", n/7),
		"lines":   strings.Repeat("a\n", n/2),
		"refs":    strings.Repeat("[a]: b\n", n/7),
		"setext":  strings.Repeat("a\n=\n", n/4),
		"fences":  strings.Repeat("```\n", n/4),
		"html":    strings.Repeat("<div>\n", n/6),
		"front":   "---\n" + strings.Repeat("a: b\n", n/5) + "---\n",
	}
	for _, mark := range []string{">", "> ", "[", "![", "*", "**a", "*a_", "_a*", "`", "` ``", "<", "<a ", "- ", "\t", "[](", "[a](<", "|", "~~", "#", "a**b", "]", "(", "<!--", "&", "http://a"} {
		all["many "+mark] = strings.Repeat(mark, n/len(mark))
		all["many lines of "+mark] = strings.Repeat(mark+"\n", n/(len(mark)+1))
	}
	return all
}

func deepList(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}

// TestHostilePages: no text holds the panel up, breaks out of its rows, or
// reaches the terminal as more than text.
func TestHostilePages(t *testing.T) {
	th := theme.New(theme.Mode{NoColor: true})
	for name, source := range hostile() {
		began := time.Now()
		rows := layOut(t, source, 60)
		if took := time.Since(began); testing.Verbose() && took > 300*time.Millisecond {
			t.Logf("%s: %d rows in %v", name, len(rows), took)
		}
		for _, r := range rows[:min(len(rows), 2000)] {
			if r.width() > 60 {
				t.Fatalf("%s: a row is %d wide", name, r.width())
			}
			for _, s := range r {
				if len(s.Text) > 4000 {
					t.Fatalf("%s: %d bytes in one row, more than a theme looks at", name, len(s.Text))
				}
			}
			text := strings.NewReplacer("\x1b[1m", "", "\x1b[2m", "", "\x1b[m", "", "\x1b[1;7m", "").Replace(r.Paint(th))
			if bad := strings.IndexFunc(text, func(c rune) bool { return c < 0x20 || c >= 0x7f && c < 0xa0 || c == 0x202e || c == 0x200b }); bad >= 0 || !utf8.ValidString(text) {
				t.Fatalf("%s: %q reaches the terminal", name, text)
			}
		}
	}
}

// TestWild: what would hold the parser up is not parsed, and what people write
// is.
func TestWild(t *testing.T) {
	page, err := os.ReadFile("testdata/page.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{strings.Repeat("[", 5000), strings.Repeat("*a_ ", 2000), strings.Repeat(">", 100), strings.Repeat("- ", 100) + "a", deepList(400)} {
		if !tooComplex(text) {
			t.Errorf("%.20q… is parsed", text)
		}
	}
	for _, text := range []string{"", strings.Repeat(string(page), 200), deepList(20), strings.Repeat("- [ ] a *task* of [many](x)\n\n", 2000)} {
		if tooComplex(text) {
			t.Errorf("%.20q… is not parsed", text)
		}
	}
}

// TestEndsWithItsContext: who has turned to another page waits for none.
func TestEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, f := range map[string]func(context.Context, string, int) ([]Row, error){"Markdown": Markdown, "Lines": TextRows} {
		rows, err := f(ctx, strings.Repeat("a\n\n", 1000), 40)
		if !errors.Is(err, context.Canceled) || len(rows) > 10 {
			t.Errorf("%s went on: %d rows, %v", name, len(rows), err)
		}
	}
}

// BenchmarkMarkdown lays out as much as is ever shown of one page.
func BenchmarkMarkdown(b *testing.B) {
	source, err := os.ReadFile("testdata/page.md")
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat(string(source), (512<<10)/len(source))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		layOut(b, text, 100)
	}
}
