package cards_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// A diff of revisions shows what differs and three lines around it, whichever way the text
// is laid out.
func TestDiffOfRevisions(t *testing.T) {
	runtest.InOrder(t)
	var paragraphs []string
	for i := range 20 {
		paragraphs = append(paragraphs, fmt.Sprintf("<p>Paragraph %d.</p>", i))
	}
	changed := func(i int, text string, separator string) string {
		all := append([]string(nil), paragraphs...)
		all[0], all[i] = "<p>First.</p>", text
		return strings.Join(all, separator)
	}
	for name, c := range map[string]struct {
		before, after string
		want          []string // lines that went or came
	}{
		"two of twenty in one line": {strings.Join(paragraphs, ""), changed(19, "<p>Last.</p>", ""), []string{
			"-<p>Paragraph 0.</p>", "+<p>First.</p>", "-<p>Paragraph 19.</p>", "+<p>Last.</p>",
		}},
		"two of twenty in twenty lines": {strings.Join(paragraphs, "\r\n"), changed(10, "<p>Tenth.</p>", "\n"), []string{
			"-<p>Paragraph 0.</p>", "+<p>First.</p>", "-<p>Paragraph 10.</p>", "+<p>Tenth.</p>",
		}},
		"a paragraph goes":       {"a\nb\nc\nd\n", "a\nc\nd\n", []string{"-b"}},
		"an empty line goes":     {"a\n\nb\n", "a\nb\n", []string{"-"}},
		"an end of a line comes": {"<p>a</p><p>b</p>\n", "<p>a</p>\n<p>b</p>\n", []string{"-<p>a</p><p>b</p>", "+<p>a</p>", "+<p>b</p>"}},
		"no text before":         {"", "<li>a</li><br/>b\n", []string{"+<li>a</li>", "+<br/>", "+b"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := ownBox(t, tools.Privacy{})
			b.must(t, "update_card", map[string]any{"name": "Town", "content": c.before})
			history, _ := b.must(t, "get_card_history", map[string]any{"name": "Town"})["revisions"].([]any)
			first := history[0].(map[string]any)
			b.must(t, "update_card", map[string]any{"name": "Town", "content": c.after})
			out := b.must(t, "diff_card", map[string]any{"name": "Town", "from_revision": first["act_id"]})
			var got []string
			for line := range strings.Lines(fmt.Sprint(out["diff"])) {
				if !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "+++") && strings.Trim(line[:1], "+-") == "" {
					got = append(got, strings.TrimSuffix(line, "\n"))
				}
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got %q, want %q in\n%s", got, c.want, out["diff"])
			}
			if n := strings.Count(fmt.Sprint(out["diff"]), "\n"); n > 24 {
				t.Errorf("%d lines for %d that differ", n, len(c.want))
			}
		})
	}
}
