package orgexport_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgexport"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

func export(t testing.TB, text string, o orgexport.Options) string {
	t.Helper()
	f, err := orgfile.Parse([]byte(text), "/notes/a.org", orgfile.DefaultSettings(), nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := orgexport.Export(f, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSections(t *testing.T) {
	const text = "#+TITLE: All\nintro\n* A\nown text\n** Below\nmore\n* COMMENT B\nsecret\n* C :noexport:\nsecret\n"
	for _, c := range []struct {
		name    string
		options orgexport.Options
		want    string
	}{
		{"whole section", orgexport.Options{Format: orgexport.Markdown, Headline: 0}, "# A\n\n\n# Table of Contents\n\n1.  [Below](#org)\n\nown text\n\n\n<a id=\"org\"></a>\n\n# Below\n\nmore\n"},
		{"without what is below", orgexport.Options{Format: orgexport.Markdown, Headline: 0, NoSubheadings: true, BodyOnly: true}, "own text\n"},
		{"plain", orgexport.Options{Format: orgexport.Plain, Headline: 0, BodyOnly: true}, "own text\n\n1 Below\n═══════\n\n  more\n"},
		{"CR LF", orgexport.Options{Format: orgexport.Latex, Headline: 0, NoSubheadings: true, BodyOnly: true}, "own text\n"},
	} {
		source := text
		if c.name == "CR LF" {
			source = strings.ReplaceAll(text, "\n", "\r\n")
		}
		if got := anchorPattern.ReplaceAllString(export(t, source, c.options), "org"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	for _, format := range formats {
		if out := export(t, text, orgexport.Options{Format: format, Headline: -1}); strings.Contains(out, "secret") || !strings.Contains(out, "intro") {
			t.Errorf("%s: %s", format, out)
		}
	}
}

// Nothing that a file says is run or read.
func TestNothingIsEvaluated(t *testing.T) {
	const text = "#+MACRO: now (eval (shell-command \"id\"))\n#+MACRO: hi hello $1\n#+INCLUDE: \"/etc/passwd\"\n" +
		"{{{now}}} {{{hi(you)}}} {{{none}}}\n#+begin_src sh :exports results\necho 1\n#+end_src\n<script>alert(1)</script>\n"
	out := export(t, text, orgexport.Options{Format: orgexport.HTML, Headline: -1, BodyOnly: true})
	for _, want := range []string{"{{{now}}} hello you {{{none}}}", "echo 1", "&lt;script&gt;"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in %s", want, out)
		}
	}
	if strings.Contains(out, "root:") || strings.Contains(out, "<script>") {
		t.Error(out)
	}
}

func TestUnknownFormat(t *testing.T) {
	f, err := orgfile.Parse(nil, "", orgfile.DefaultSettings(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := orgexport.Export(f, orgexport.Options{Format: "pdf", Headline: -1}); err == nil || !strings.Contains(err.Error(), "known are html") {
		t.Error(err)
	}
}

// Hostile text is exported without a panic; with ORG_EXPORT it is long enough that
// quadratic time shows.
func TestHostileText(t *testing.T) {
	size := 10 << 10
	if os.Getenv("ORG_EXPORT") != "" {
		size = 100 << 10
	}
	for _, unit := range []string{
		"*a ", "/*_+", "[[", "[[a][", "[fn::", "{{{a(", "$a ", "\\(", "<<", "<", "a_{", "a_(", "src_a{", "src_a[", "call_a(", "@@html:", "[cite:@", "http://(", "http:/",
		"#+begin_src\n", "#+begin_a\n", "#+name: x\n", ":a:\n", "\\begin{a}\n", "- a\n", "  1. [@5] [ ] a :: b\n", "|a", "|-\n", "[fn:1] x\n", "#+begin_quote\n- a\n", "%%(\n", "* a\n",
		"* [[*a]] :b:\n", "- #+begin_quote\n", "(ref:a)\n", "\\alpha", "--", "[1/", "<2026-01-01 Thu>--", "#+macro: a {{{a}}}{{{a}}}\n{{{a}}}\n",
	} {
		text := strings.Repeat(unit, size/len(unit))
		for _, format := range formats {
			start := time.Now()
			export(t, text, orgexport.Options{Format: format, Headline: -1, BodyOnly: true})
			if took := time.Since(start); took > runtest.Timeout {
				t.Errorf("%q as %s took %v", unit, format, took)
			} else if took > time.Second {
				t.Logf("%q as %s took %v", unit, format, took)
			}
		}
	}
}

func FuzzExport(f *testing.F) {
	f.Add("* A\n- a :: b\n  1. c\n| a |\n|-\n[fn:1] {{{title}}} *b* [[a][b]] $x$\n#+begin_src a -n -r\nb (ref:c)\n#+end_src\n[fn:1] d")
	f.Add("#+OPTIONS: d:(not \"A\") H:0 toc:2\n#+begin_verse\n a\\\\\n#+end_verse\n:A:\n:END:\n\\begin{a}\n\\end{a}\n#+TBLFM:\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			t.Skip("longer texts take long and find nothing more")
		}
		for _, format := range formats {
			export(t, text, orgexport.Options{Format: format, Headline: -1})
		}
		if strings.HasPrefix(text, "* ") {
			export(t, text, orgexport.Options{Format: orgexport.Plain, Headline: 0})
		}
	})
}
