package notetext

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is read by lines is what CommonMark reads.
func FuzzSimpleBlocks(f *testing.F) {
	for _, body := range []string{
		"# T\n\nText of [[a]], #tag.\n\n## S\nopen\n### deeper\nx\n## S\n", "- a\n- [[b]]\nlazy #c\n\n* [ ] d\n# H\n", "## a ##\n", "##\n", "####### a\n",
		"#tag\n##tag\n", "a\n==\n", "a\n--\n", "a\n- -\n", "* * *\n", "*a\n", "**b**\n", "_ _ a\n", "1. a\n", "2025 a\n1) b", "[a]: b\n[a]", "[[a]]: b\n[[a]]",
		"- [x]: b\n", "- - a\n", "-  a\n", "a\n    b\n", "    b\n", "a  \nb", "a\\\n## b", "##  a  \n\n\nb", "> a\n", "a ](b)", "| a |\n|---|\n", "workspace://w/notes/n #x\n[[y]]",
		"\ufeff# a\n", "\u00a0# a", "# \u00a0\n## \u2003b\u2003\n", "- [x] # a\n", "+ a", "~~~\n# a\n~~~\n", "&#35; a", "# a\\#", "# # ", "# \u00a0#A", "{#a}\n# b {#c}\n", "-\n# a", "[[a\nb]] [[c]]", "$$\n# a\n$$",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		blocks, ok := simpleBlocks(body)
		if !ok {
			return
		}
		var simple, want Text
		simple.addSimple(blocks, body, 7)
		want.addCommonMark(body, 7)
		if diff := cmp.Diff(want, simple, cmp.AllowUnexported(Section{})); diff != "" {
			t.Errorf("%q (-CommonMark +simple):\n%s", body, diff)
		}
	})
}

func TestSimpleBlocksAreTaken(t *testing.T) {
	_, body := splitFrontMatter(meeting)
	for markdown, want := range map[string]bool{
		meeting[body:]: true, "# Note\n\nText of [[n-1]], which is short.\n\n## Status\nopen\n": true, "- [ ] **a** #b\n* c\n": true, "": true,
		"a `b`\n": false, "[a](b.md)": false, "a\n---\n": false, "1. a\n": false, "  a\n": false, strings.Repeat("#", 7) + " a": false,
	} {
		if _, got := simpleBlocks(markdown); got != want {
			t.Errorf("%q: got %v", markdown, got)
		}
	}
}
