package markdown

import (
	"strings"
	"testing"
)

// A new page and an attachment are made as the application of the folder makes them.
func TestLayouts(t *testing.T) {
	for name, c := range map[string]struct {
		files        map[string]string
		child, asset string // paths of a new child of Guide.md, and of its attachment
		page         string // what the child holds
	}{
		"plain":      {map[string]string{"mkdocs.yml": "", "Guide.md": "# Guide\n"}, "Guide/Setup.md", "Guide/Setup/assets/x.png", "# Setup\n"},
		"obsidian":   {map[string]string{".obsidian/app.json": `{"attachmentFolderPath":"_attach"}`, "Guide.md": ""}, "Guide/Setup.md", "_attach/x.png", "# Setup\n"},
		"below":      {map[string]string{".obsidian/app.json": `{"attachmentFolderPath":"./files"}`, "Guide.md": ""}, "Guide/Setup.md", "Guide/files/x.png", "# Setup\n"},
		"beside":     {map[string]string{".obsidian/app.json": `{"attachmentFolderPath":"./"}`, "Guide.md": ""}, "Guide/Setup.md", "Guide/x.png", "# Setup\n"},
		"outside":    {map[string]string{".obsidian/app.json": `{"attachmentFolderPath":"../.."}`, "Guide.md": ""}, "Guide/Setup.md", "x.png", "# Setup\n"},
		"no setting": {map[string]string{".obsidian/app.json": `{`, "Guide.md": ""}, "Guide/Setup.md", "x.png", "# Setup\n"},
		"logseq":     {map[string]string{"logseq/config.edn": "{}", "Guide.md": ""}, "Guide%2FSetup.md", "assets/x.png", "# Setup\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, c.files, nil)
			made := call[CreatePageOut](b, "create_page", `{"title":"Setup","parentPath":"Guide.md","content":"# Setup\n"}`)
			equal(t, "child", c.child, made.Path)
			equal(t, "its text", c.page, b.get(made.Path))
			out := call[AddAttachmentOut](b, "add_attachment", `{"pagePath":"`+made.Path+`","fileName":"x.png","data":"eA=="}`)
			equal(t, "attachment", c.asset, out.Path)
			if !strings.HasSuffix(out.MarkdownSyntax, "x.png)") {
				t.Errorf("%+v", out)
			}
			if _, there := b.files()["Guide.md"]; !there {
				t.Error("Guide.md has moved")
			}
		})
	}
}

// In the mirror of a wiki a page has an id, which a write that leaves it out keeps.
func TestIDsAreKept(t *testing.T) {
	b := open(t, map[string]string{"A/_index.md": "", "A/B.md": "---\nid: b1\ntitle: B\n---\nold\n", "C.md": "---\r\nid: c1\r\n---\r\nold\r\n", "D.md": "plain\n"}, nil)
	if made := b.get(call[CreatePageOut](b, "create_page", `{"title":"N"}`).Path); !strings.Contains(made, "\nid: ") || !strings.Contains(made, "\ncreated: 2026") {
		t.Errorf("%q", made)
	}
	for _, c := range [][3]string{
		{"A/B.md", `---\ntitle: X\n---\nnew\n`, "---\nid: b1\ntitle: X\n---\nnew\n"},
		{"A/B.md", `new\n`, "---\nid: b1\n---\nnew\n"},
		{"A/B.md", `---\nid: b2\n---\nnew\n`, "---\nid: b2\n---\nnew\n"},
		{"C.md", `new\n`, "---\r\nid: c1\r\n---\r\nnew\r\n"},
		{"D.md", `new\n`, "new\n"},
	} {
		out := call[WritePageOut](b, "write_page", `{"path":"`+c[0]+`","content":"`+c[1]+`"}`)
		equal(t, c[1], c[2], b.get(c[0]))
		equal(t, "etag", call[ReadPageOut](b, "read_page", `{"path":"`+c[0]+`"}`).Etag, out.Etag)
	}
}

// A name that no link can name is not given.
func TestUnlinkableNames(t *testing.T) {
	b := open(t, map[string]string{"A.md": "", "old [x].md": ""}, nil)
	equal(t, "from a title", "C- and -x-.md", call[CreatePageOut](b, "create_page", `{"title":"C# and [x]"}`).Path)
	b.refused("write_page", `{"path":"a#b.md","content":"x"}`, "INVALID")
	b.refused("move_page", `{"sourcePath":"A.md","destinationPath":"a^b.md"}`, "INVALID")
	call[MovePageOut](b, "move_page", `{"sourcePath":"old [x].md","destinationPath":"A.md/"}`)
}
