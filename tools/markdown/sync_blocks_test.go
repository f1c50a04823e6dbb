package markdown

import (
	"strings"
	"testing"
)

// paragraph is the JSON of one.
func paragraph(text string) string {
	return `{"type":"paragraph","content":[{"type":"text","text":"` + text + `"}]}`
}

// setBlocks writes the column blocks of a page and nothing else, as an editor does.
func (v *syncedVault) setBlocks(path string, nodes ...string) {
	v.t.Helper()
	v.exec("UPDATE pages SET blocks = ($1::text)::jsonb WHERE path = $2", `{"type":"doc","content":[`+strings.Join(nodes, ",")+`]}`, path)
}

// An application that edits blocks alone edits the page: its file changes where the
// blocks did, the Change is recorded, and both columns say the same.
func TestSyncOfBlocks(t *testing.T) {
	page := "---\r\ntitle: A # kept\r\n---\r\n\r\nTitle\r\n===\r\n\r\n* one\r\n* two\r\n\r\n[[B|link]]\r\n"
	v := newSynced(t, map[string]string{"A.md": page})
	v.waitInStep()
	if !v.exists("SELECT FROM pages WHERE blocks->'content'->2->'content'->0->'attrs'->>'target' = 'B' AND blocks_of = sha256(convert_to(content, 'UTF8')) AND blocks_base IS NULL") {
		t.Error("the page has no blocks")
	}
	v.exec(`UPDATE pages SET blocks = replace(blocks::text, '"two"', '"zwei"')::jsonb`)
	v.waitFor("an edit of blocks is in the file", func() bool { return v.get("A.md") == strings.Replace(page, "two", "zwei", 1) })
	v.waitInStep()
	v.waitFor("the blocks are those of the content", func() bool {
		return v.exists("SELECT FROM pages WHERE blocks_base IS NULL AND blocks::text LIKE '%zwei%' AND blocks_of = sha256(convert_to(content, 'UTF8'))")
	})
	equal(t, "recorded", 1, len(v.changes()))
	v.exec("INSERT INTO pages (tenant, id, path, blocks) VALUES ('', 'n', 'New.md', ($1::text)::jsonb)", `{"type":"doc","content":[`+paragraph("---")+","+paragraph("id: evil")+","+paragraph("---")+`]}`)
	v.waitFor("a page made of blocks alone", func() bool { return v.files()["New.md"] == "\\---\n\nid: evil\n\n\\---\n" })
	v.put("New.md", "edited in the folder\n")
	v.waitFor("blocks follow the folder", func() bool { return v.exists("SELECT FROM pages WHERE blocks::text LIKE '%edited in the folder%'") })
}

// The content is the page: blocks of an old one are not kept, and making new ones is no
// change of the page.
func TestSyncMakesBlocks(t *testing.T) {
	v := newSynced(t, map[string]string{"A.md": "one\n"})
	v.waitInStep()
	var version, later int64
	if err := v.conn.QueryRow(t.Context(), "UPDATE pages SET content = E'two\\n' RETURNING version").Scan(&version); err != nil {
		t.Fatal(err)
	}
	v.waitFor("blocks are made", func() bool { return v.exists("SELECT FROM pages WHERE blocks::text LIKE '%two%'") })
	if err := v.conn.QueryRow(t.Context(), "SELECT version FROM pages").Scan(&later); err != nil || later != version {
		t.Errorf("version %d, then %d (%v)", version, later, err)
	}
	v.exec(`UPDATE pages SET content = E'three\n', blocks = '{"type":"doc","content":[{"type":"horizontalRule"}]}'`)
	v.waitFor("the content decides", func() bool { return v.exists("SELECT FROM pages WHERE blocks::text LIKE '%three%'") })
	v.exec("UPDATE pages SET blocks = NULL")
	v.waitFor("they are made again", func() bool { return v.exists("SELECT FROM pages WHERE blocks::text LIKE '%three%'") })
	v.waitFor("the file", func() bool { return v.get("A.md") == "three\n" })
}

// Blocks that cannot be read are named with page and place. The page keeps its content
// and stays in step; the blocks stay until somebody corrects them, and then both edits
// count.
func TestSyncOfUnreadableBlocks(t *testing.T) {
	v := newSynced(t, map[string]string{"A.md": "one\n\ntwo\n\nthree\n", "B.md": "b\n"})
	v.waitInStep()
	v.setBlocks("A.md", paragraph("ONE"), `{"type":"video"}`)
	v.waitFor("a Problem", func() bool {
		return strings.Contains(v.shown("markdown.blocks"), `the blocks of 1 pages cannot be read. A.md: doc.content[1]: unknown type "video"`)
	})
	v.put("A.md", "one\n\ntwo\n\nTHREE\n")
	v.exec("UPDATE pages SET content = 'B' WHERE path = 'B.md'")
	v.waitInStep()
	equal(t, "files", map[string]string{"A.md": "one\n\ntwo\n\nTHREE\n", "B.md": "B"}, v.files())
	if !v.exists("SELECT FROM pages WHERE blocks::text LIKE '%video%'") {
		t.Error("the blocks are gone")
	}
	out, err := v.command("sync status", nil)
	if err != nil || !strings.Contains(out, `left       blocks of "A.md" in the database: doc.content[1]`) {
		t.Errorf("%s %v", out, err)
	}
	v.setBlocks("A.md", paragraph("ONE"), paragraph("two"), paragraph("three"))
	v.waitFor("both edits", func() bool { return v.get("A.md") == "ONE\n\ntwo\n\nTHREE\n" })
	v.waitFor("no Problem", func() bool { return v.shown("markdown.blocks") == "" })
}

// What another editor says in attributes of its own is not written as if it said nothing.
func TestBlocksOfAnotherEditor(t *testing.T) {
	const content = "see [[Welcome|w]] there\n"
	for _, node := range []string{
		`{"type":"paragraph","content":[{"type":"wikilink","attrs":{"pageId":"33","pageName":"Welcome"}}]}`, `{"type":"paragraph","content":[{"type":"wikilink"}]}`,
		`{"type":"callout","attrs":{"emoji":"X","variant":"warning"},"content":[` + paragraph("c") + `]}`, `{"type":"toggle","attrs":{"isOpen":true},"content":[` + paragraph("t") + `]}`,
		`{"type":"bookmark","attrs":{"url":"https://example.org"}}`, `{"type":"image","attrs":{"fileId":"1"}}`,
	} {
		got, err := editContent(content, `{"type":"doc","content":[`+node+`]}`)
		if err == nil || !strings.Contains(err.Error(), "it has none of") {
			t.Errorf("%s: %q, %v", node, got, err)
		}
	}
	own := `{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"see "},{"type":"wikilink","attrs":{"target":"Home","label":null,"id":"7"}}]}]}`
	if got, err := editContent(content, own); got != "see [[Home]]\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// Edits of the content and of the blocks of the same lines: one is kept as a conflict.
func TestSyncOfBlocksInConflict(t *testing.T) {
	v := newSynced(t, map[string]string{"A.md": "one\n"})
	v.waitInStep()
	v.waitCompared()
	v.stop()
	v.setBlocks("A.md", paragraph("of the blocks"))
	v.exec("UPDATE pages SET content = E'of the content\\n'")
	w := openSynced(t, syncConfig{dir: v.dir, data: v.data, url: v.conn.Config().ConnString()})
	w.conn = v.conn
	w.waitFor("the content", func() bool { return w.get("A.md") == "of the content\n" })
	w.waitFor("a Problem", func() bool { return strings.HasPrefix(w.shown("markdown.conflicts"), "1 pages") })
	if out, err := w.command("sync conflicts", map[string]string{"number": "1"}); err != nil || out != "of the blocks\n" {
		t.Errorf("conflict %q %v", out, err)
	}
	w.waitInStep()
}

// No block becomes front matter, and none of its bytes change.
func TestBlocksAreNoFrontMatter(t *testing.T) {
	rule := `{"type":"horizontalRule"}`
	doc := func(nodes ...string) string { return `{"type":"doc","content":[` + strings.Join(nodes, ",") + `]}` }
	raw := `{"type":"rawMarkdown","attrs":{"markdown":"---\nid: evil\n---"}}`
	for _, c := range []struct{ content, blocks, want string }{
		{"text\n", doc(rule, paragraph("id: evil"), rule), "\n---\n\nid: evil\n\n---\n"},
		{"text\n", doc(raw), "\n---\nid: evil\n---\n"},
		{"\ufeff---\r\nid: a\r\n---\r\ntext\r\n", doc(raw), "\ufeff---\r\nid: a\r\n---\r\n---\r\nid: evil\r\n---\r\n"},
		{"---\nid: a\n---\ntext\n", doc(), "---\nid: a\n---\n"},
	} {
		if got, err := editContent(c.content, c.blocks); err != nil || got != c.want {
			t.Errorf("%q is %q (%v), want %q", c.content, got, err, c.want)
		}
		if got, want := readFields(c.want).Text("id"), readFields(c.content).Text("id"); got != want {
			t.Errorf("%q has the id %q, want %q", c.want, got, want)
		}
	}
}
