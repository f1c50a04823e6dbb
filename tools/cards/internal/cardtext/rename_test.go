package cardtext

import "testing"

// A rename follows links and nests, and leaves code alone.
func TestRenameLeavesCodeAlone(t *testing.T) {
	for content, want := range map[string]string{
		"<p>[[A]] {{A|view}}</p><pre><code>[[A]]</code></pre><p><code class=\"x\">{{A}}</code> [[A|l]]</p>": "<p>[[B]] {{B|view}}</p><pre><code>[[A]]</code></pre><p><code class=\"x\">{{A}}</code> [[B|l]]</p>",
		"[[A]]\n\n```\n[[A]]\n```\n\n[[A+c]]": "[[B]]\n\n```\n[[A]]\n```\n\n[[B+c]]",
		"<codex>[[A]]</codex>":                "<codex>[[B]]</codex>",
		"<code>[[A]]":                         "<code>[[B]]",
	} {
		if got := Rename(content, "A", "B"); got != want {
			t.Errorf("%s\n got %s\nwant %s", content, got, want)
		}
	}
}
