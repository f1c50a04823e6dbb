package markdown

import (
	"fmt"
	"testing"
)

// Every link to a heading follows its new text, and nothing else changes.
func TestRenameHeading(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"wikilink", "[[P#Old Plan]] and [[P#Other]]", "[[P#New plan?]] and [[P#Other]]"},
		{"embed, alias, case", "![[p#old plan|x]] [[P#Old Plan]]", "![[p#New plan?|x]] [[P#New plan?]]"},
		{"below it", "[[P#Old Plan#Sub]]", "[[P#New plan?#Sub]]"},
		{"below others", "[[P#Top#Old Plan]]", "[[P#Top#New plan?]]"},
		{"in a table", `| [[P#Old Plan\|x]] |`, `| [[P#New plan?\|x]] |`},
		{"Markdown link", "[x](P.md#Old%20Plan)", "[x](P.md#New%20plan%3F)"},
		{"slug", "[x](P.md#old-plan \"t\")\n[r]: P.md#old-plan\n", "[x](P.md#new-plan \"t\")\n[r]: P.md#new-plan\n"},
		{"code stays", "`[[P#Old Plan]]`\n\n    [[P#Old Plan]]\n", "`[[P#Old Plan]]`\n\n    [[P#Old Plan]]\n"},
		{"another page's heading", "[[Q#Old Plan]]\n## Old Plan\n[[#Old Plan]]", "[[Q#Old Plan]]\n## Old Plan\n[[#Old Plan]]"},
		{"block", "[[P#^id]] [[P]]", "[[P#^id]] [[P]]"},
		{"front matter", "---\nup: \"[[P#Old Plan]]\"\n---\n", "---\nup: \"[[P#New plan?]]\"\n---\n"},
		{"CRLF", "a\r\n[[P#Old Plan]]\r\n", "a\r\n[[P#New plan?]]\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			const page = "# Top\r\n## Old Plan ^id\n[[#Old Plan]] [x](#old-plan) [y](#Old%20Plan) [z](#sub)\n### Sub\n## Twice\n## Twice\n"
			b := open(t, map[string]string{"P.md": page, "Q.md": "## Old Plan\n", "L.md": c.before}, nil)
			out := call[RenameHeadingOut](b, "rename_heading", `{"path":"P.md","heading":"Top#Old Plan ^id","new_heading":"New: plan?","dry_run":true}`)
			equal(t, "after a dry run", c.before, b.get("L.md"))
			again := call[RenameHeadingOut](b, "rename_heading", `{"path":"P.md","heading":"Top#Old Plan ^id","new_heading":"New: plan?"}`)
			equal(t, "report", out.Links, again.Links)
			equal(t, "linking page", c.after, b.get("L.md"))
			equal(t, "page", "# Top\r\n## New: plan? ^id\n[[#New plan?]] [x](#new-plan) [y](#New%20plan%3F) [z](#sub)\n### Sub\n## Twice\n## Twice\n", b.get("P.md"))
			b.refused("rename_heading", `{"path":"P.md","heading":"Twice","new_heading":"x"}`, "CONFLICT")
			b.refused("rename_heading", `{"path":"P.md","heading":"Sub","new_heading":"a\nb"}`, "INVALID")
		})
	}
}

// The lines of an underlined heading are all replaced.
func TestRenameUnderlinedHeading(t *testing.T) {
	b := open(t, map[string]string{"P.md": "a\n\nOld\nplan ^id\n---\nx\n"}, nil)
	call[RenameHeadingOut](b, "rename_heading", `{"path":"P.md","heading":"Old plan ^id","new_heading":"New"}`)
	equal(t, "page", "a\n\nNew ^id\n---\nx\n", b.get("P.md"))
}

// A heading is found by what a link can say of it: Obsidian leaves signs out of links.
func TestHeadingsAsLinksNameThem(t *testing.T) {
	for _, c := range []struct{ heading, link string }{
		{"Meeting: notes", "Meeting notes"},
		{"C# and | ^ that", "C and that"},
		{"100%% of [[Home]]", "100 of Home"},
		{"50% off", "50% off"},
		{"a::b", "a b"},
		{`back\slash`, "back slash"},
	} {
		b := open(t, map[string]string{"h.md": "# Top: it\n\n## " + c.heading + "\n\nx\n", "u.md": "[[h#" + c.link + "]] ![[h#Top it#" + c.link + "|y]]\n"}, nil)
		if got := call[ReadPageOut](b, "read_page", fmt.Sprintf(`{"path":"h.md","part":%q}`, c.link)).Content; got != "## "+c.heading+"\n\nx\n" {
			t.Errorf("%q: %q", c.link, got)
		}
		call[EditPageOut](b, "edit_page", fmt.Sprintf(`{"path":"h.md","heading":%q,"action":"append","content":"y"}`, "Top it#"+c.link))
		call[RenameHeadingOut](b, "rename_heading", fmt.Sprintf(`{"path":"h.md","heading":%q,"new_heading":"Call: me|now"}`, c.heading))
		equal(t, "links to "+c.heading, "[[h#Call me now]] ![[h#Top it#Call me now|y]]\n", b.get("u.md"))
	}
	b := open(t, map[string]string{"h.md": "# A B\nx\n# A: B\ny\n"}, nil)
	equal(t, "the exact one", "# A: B\ny\n", call[ReadPageOut](b, "read_page", `{"path":"h.md","part":"A: B"}`).Content)
	b.refused("edit_page", `{"path":"h.md","heading":":","action":"append","content":"y"}`, "NOT_FOUND")
}
