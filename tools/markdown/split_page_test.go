package markdown

import (
	"strings"
	"testing"
)

// Markdown links within the page lead into the new one, and where pages have no others
// such a link stands for the section.
func TestSplitPageOfMarkdownLinks(t *testing.T) {
	b := open(t, map[string]string{
		"docs/P.md": "# Top\n[a](#sub) [b](#end)\n## Log\n[c](#end) [d](#sub)\n### Sub\n## End\n[e](#log) [q](Q.md)\n", "docs/Q.md": "[x](P.md#sub)\n",
	}, nil)
	out := call[SplitPageOut](b, "split_page", `{"path":"docs/P.md","heading":"Log","title":"Log [x]"}`)
	equal(t, "new page", "docs/Log -x-.md", out.NewPath)
	equal(t, "page", "# Top\n[a](Log%20-x-.md#sub) [b](#end)\n[Log \\[x\\]](Log%20-x-.md)\n## End\n[e](Log%20-x-.md#log) [q](Q.md)\n", b.get("docs/P.md"))
	if text := b.get(out.NewPath); !strings.HasSuffix(text, "## Log\n[c](P.md#end) [d](#sub)\n### Sub\n") {
		t.Errorf("new page: %q", text)
	}
	equal(t, "linking page", "[x](Log%20-x-.md#sub)\n", b.get("docs/Q.md"))
}

// A section becomes a page, and every link into it leads there.
func TestSplitPage(t *testing.T) {
	files := map[string]string{
		".obsidian/app.json": "{}",
		"F/P.md":             "---\nup: \"[[P#Log]]\"\n---\n# Top\n[[#Sub]] [[#End]]\n## Log\n- [[#End]] and [[#Sub]] ![](assets/i.png)\n- [[L]] ^id\n### Sub\nx [[P#Sub]]\n\n## End\n[[P#Log#Sub|s]]\n",
		"L.md":               "[[P#Log]] [[P#Top#Log]] [[P#Sub]] ![[P#^id]] [x](F/P.md#log) [y](F/P.md#End) [[P]] `[[P#Log]]`\r\n[[P#End]]\n",
		"Q.md":               "No links.\n",
	}
	b := open(t, files, nil)
	dry := call[SplitPageOut](b, "split_page", `{"path":"F/P.md","heading":"Log","title":"Log of P","dry_run":true}`)
	equal(t, "files after a dry run", files, b.files())
	out := call[SplitPageOut](b, "split_page", `{"path":"F/P.md","heading":"Log","title":"Log of P"}`)
	equal(t, "links", dry.Links, out.Links)
	equal(t, "files", map[string]string{
		".obsidian/app.json": "{}",
		"F/P.md":             "---\nup: \"[[Log of P#Log]]\"\n---\n# Top\n[[Log of P#Sub]] [[#End]]\n[[Log of P]]\n\n## End\n[[Log of P#Log#Sub|s]]\n",
		"F/Log of P.md":      "## Log\n- [[P#End]] and [[#Sub]] ![](assets/i.png)\n- [[L]] ^id\n### Sub\nx [[Log of P#Sub]]\n\n",
		"L.md":               "[[Log of P#Log]] [[Log of P#Log]] [[Log of P#Sub]] ![[Log of P#^id]] [x](F/Log%20of%20P.md#log) [y](F/P.md#End) [[P]] `[[P#Log]]`\r\n[[P#End]]\n",
		"Q.md":               "No links.\n",
	}, b.files())
	equal(t, "rewritten", LinkReport{Rewritten: 10}, out.Links)
	b.refused("split_page", `{"path":"F/P.md","heading":"Nothing"}`, "NOT_FOUND")
	b.refused("split_page", `{"path":"F/P.md","heading":"End","title":"Q"}`, "CONFLICT")
}
