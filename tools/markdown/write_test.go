package markdown

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// after is fixture with changes: an empty content takes the file away.
func after(changes map[string]string) map[string]string {
	files := fixture()
	for name, content := range changes {
		files[name] = content
		if content == "" {
			delete(files, name)
		}
	}
	return files
}

func TestWritePage(t *testing.T) {
	b := open(t, fixture(), nil)
	out := call[WritePageOut](b, "write_page", `{"path":"Projects/Alpha.md","content":"---\ntitle: Alpha\n---\nnew\n"}`)
	if !out.Success || out.Created || !b.changed["markdown://notes/Projects/Alpha.md"] || !b.changed["markdown://notes/"] {
		t.Errorf("%+v, announced %v", out, b.changed)
	}
	equal(t, "etag", call[ReadPageOut](b, "read_page", `{"path":"Projects/Alpha.md"}`).Etag, out.Etag)
	out = call[WritePageOut](b, "write_page", `{"path":"New/Deep/Page.md","content":"---\nid: n1\n---\n"}`)
	if !out.Created || out.PageID != "n1" || out.Path != "New/Deep/Page.md" {
		t.Errorf("%+v", out)
	}
	equal(t, "files", after(map[string]string{"Projects/Alpha.md": "---\nid: a1\ntitle: Alpha\n---\nnew\n", "New/Deep/Page.md": "---\nid: n1\n---\n"}), b.files())
}

func TestWritePagePrecondition(t *testing.T) {
	b := open(t, fixture(), nil)
	etag := call[ReadPageOut](b, "read_page", `{"path":"Welcome.md"}`).Etag
	b.put("Welcome.md", "edited elsewhere\n")
	now := call[ReadPageOut](b, "read_page", `{"path":"Welcome.md"}`).Etag
	for tool, args := range map[string]string{
		"write_page": `{"path":"Welcome.md","content":"mine","if_match":"%s"}`, "delete_page": `{"path":"Welcome.md","if_match":"%s"}`,
		"move_page": `{"sourcePath":"Welcome.md","destinationPath":"W.md","if_match":"%s"}`,
	} {
		f := b.refused(tool, fmt.Sprintf(args, etag), "CONFLICT")
		if f.Error != "Page was modified externally, please retry" || f.Etag != now {
			t.Errorf("%s: %+v", tool, f)
		}
	}
	call[WritePageOut](b, "write_page", fmt.Sprintf(`{"path":"Welcome.md","content":"mine","if_match":"\"%s\""}`, now))
	equal(t, "content", "mine", b.get("Welcome.md"))
	b.refused("write_page", `{"path":"Gone.md","content":"x","if_match":"`+now+`"}`, "NOT_FOUND")
}

// What an agent writes never changes how a file is encoded.
func TestWriteKeepsBytes(t *testing.T) {
	b := open(t, map[string]string{"crlf.md": "\ufeffa\r\nb\r\n", "mixed.md": "a\r\nb\nc\n", "latin.md": "caf\xe9\n", "bare.md": "a\nb"}, nil)
	call[WritePageOut](b, "write_page", `{"path":"crlf.md","content":"a\nc\n"}`)
	call[WritePageOut](b, "write_page", `{"path":"mixed.md","content":"a\nB\nc\n"}`)
	call[WritePageOut](b, "write_page", `{"path":"bare.md","content":"a\nc"}`)
	b.refused("write_page", `{"path":"latin.md","content":"x"}`, "INVALID")
	equal(t, "files", map[string]string{"crlf.md": "\ufeffa\r\nc\r\n", "mixed.md": "a\r\nB\nc\n", "latin.md": "caf\xe9\n", "bare.md": "a\nc"}, b.files())
}

func TestDryRunsChangeNothing(t *testing.T) {
	b := open(t, fixture(), nil)
	before := b.files()
	for tool, args := range map[string]string{
		"write_page": `{"path":"Welcome.md","content":"x","dry_run":true}`, "create_page": `{"title":"X","parentPath":"Projects/Alpha.md","dry_run":true}`,
		"delete_page": `{"path":"Welcome.md","dry_run":true}`, "move_page": `{"sourcePath":"Projects/Alpha.md","destinationPath":"/","dry_run":true}`,
		"add_attachment": `{"pagePath":"Welcome.md","fileName":"a.txt","data":"aGk=","dry_run":true}`,
	} {
		answer, ok := b.try(tool, args)
		if !ok || !strings.Contains(answer, `"dry_run":true`) {
			t.Errorf("%s: %s", tool, answer)
		}
		if says := strings.Contains(answer, `"diff":"---`); says != (tool == "write_page" || tool == "create_page") {
			t.Errorf("%s says what would change: %v\n%s", tool, says, answer)
		}
	}
	b.try("write_page", `{"path":"Welcome.md/x.md","content":"x","dry_run":true}`)
	equal(t, "files", before, b.files())
}

func TestCreatePage(t *testing.T) {
	b := open(t, fixture(), nil)
	out := call[CreatePageOut](b, "create_page", `{"title":"Gamma","parentPath":"Projects","content":"# Gamma\n","icon":"🚀"}`)
	if out.Path != "Projects/Gamma.md" || len(out.PageID) != 36 {
		t.Errorf("%+v", out)
	}
	equal(t, "content", "---\nid: "+out.PageID+"\ntitle: Gamma\nicon: \"🚀\"\ncreated: 2026-11-21T08:00:00Z\nupdated: 2026-11-21T08:00:00Z\n---\n\n# Gamma\n", b.get(out.Path))
	for title, want := range map[string]string{
		"Gamma": "Projects/Gamma-2.md", "alpha": "Projects/alpha-2.md", "a/b: c?": "Projects/a-b- c-.md", "CON": "Projects/Page CON.md", "_index": "Projects/_index-2.md",
		"../../up": "Projects/up.md", "...": "Projects/Untitled.md", "Cafe\u0301": "Projects/Café.md", "assets": "Projects/assets.md",
	} {
		if got := call[CreatePageOut](b, "create_page", fmt.Sprintf(`{"title":%q,"parentPath":"Projects/_index.md"}`, title)); got.Path != want {
			t.Errorf("%s: %s, want %s", title, got.Path, want)
		}
	}
	if got := call[CreatePageOut](b, "create_page", `{"title":"In a folder","parentPath":"Archive/"}`); got.Path != "Archive/In a folder.md" {
		t.Errorf("%+v", got)
	}
	if got := call[CreatePageOut](b, "create_page", `{"title":"Root"}`); got.Path != "Root.md" {
		t.Errorf("%+v", got)
	}
	b.refused("create_page", `{"title":"X","parentPath":"Nope"}`, "NOT_FOUND")
	b.refused("create_page", `{"title":" \n"}`, "INVALID")
}

// No title can become a key, and a page's own front matter is kept.
func TestCreatePageFrontMatter(t *testing.T) {
	b := open(t, fixture(), nil)
	for _, title := range []string{"a\nid: evil", "quote \" and ' it", "- list", "@at: x #y", "{a: b}", "yes", "2026-11-21", "---", "1.10", "\u2028id: x", "a\\\"b"} {
		args := fmt.Sprintf(`{"title":%s}`, jsonText(title))
		out := call[CreatePageOut](b, "create_page", args)
		p := call[ReadPageOut](b, "read_page", `{"path":`+jsonText(out.Path)+`}`)
		keys := slices.Sorted(maps.Keys(p.Frontmatter))
		equal(t, title, []string{"created", "id", "title", "updated"}, keys)
		if p.PageID != out.PageID || p.Title != strings.Join(strings.Fields(title), " ") {
			t.Errorf("%q: title %q, id %q, want %q", title, p.Title, p.PageID, out.PageID)
		}
	}
	out := call[CreatePageOut](b, "create_page", `{"title":"Own","content":"---\nid: mine # keep\ntags: [b, a]\n---\nbody"}`)
	if out.PageID != "mine" {
		t.Errorf("%+v", out)
	}
	equal(t, "content", "---\ntitle: Own\ncreated: 2026-11-21T08:00:00Z\nupdated: 2026-11-21T08:00:00Z\nid: mine # keep\ntags: [b, a]\n---\nbody", b.get("Own.md"))
}

func jsonText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// The first child of a leaf makes it a folder's page, and links follow.
func TestPromotion(t *testing.T) {
	b := open(t, fixture(), nil)
	b.put("Linker.md", "[a](Projects/Alpha.md#x) [[Projects/Alpha]]\n")
	out := call[CreatePageOut](b, "create_page", `{"title":"Child","parentPath":"Projects/Alpha.md"}`)
	equal(t, "path", "Projects/Alpha/Child.md", out.Path)
	got := b.files()
	want := after(map[string]string{
		"Projects/Alpha.md":        "",
		"Projects/Alpha/_index.md": strings.NewReplacer("](Beta.md)", "](../Beta.md)", "(./Alpha/assets/d.png)", "(./assets/d.png)").Replace(fixture()["Projects/Alpha.md"]),
		"Projects/Alpha/Child.md":  got["Projects/Alpha/Child.md"],
		"Linker.md":                "[a](Projects/Alpha/_index.md#x) [[Projects/Alpha]]\n",
	})
	equal(t, "files", want, got)
	equal(t, "id", "a1", call[ReadPageOut](b, "read_page", `{"path":"Projects/Alpha"}`).PageID)
	call[WritePageOut](b, "write_page", `{"path":"Projects/Beta/New/Deep.md","content":"x"}`)
	if got := b.files(); got["Projects/Beta/_index.md"] == "" || got["Projects/Beta.md"] != "" {
		t.Errorf("write_page promotes too: %v", slices.Sorted(maps.Keys(got)))
	}
	b.refused("write_page", `{"path":"Welcome/_index.md","content":"second page of one place"}`, "CONFLICT")
	b.refused("write_page", `{"path":"Projects.md","content":"second page of one place"}`, "CONFLICT")
}

func TestDeletePage(t *testing.T) {
	b := open(t, fixture(), nil)
	b.put("Projects/Beta/assets/", "")
	out := call[DeletePageOut](b, "delete_page", `{"path":"Projects/Beta.md"}`)
	if !out.Deleted || out.PageID == "" {
		t.Errorf("%+v", out)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "Projects", "Beta")); err == nil {
		t.Error("the empty assets folder is still there")
	}
	call[DeletePageOut](b, "delete_page", `{"path":"Projects/Alpha.md"}`)
	if out := call[DeletePageOut](b, "delete_page", `{"path":"Welcome"}`); out.PageID != "w1" {
		t.Errorf("%+v", out)
	}
	equal(t, "attachments stay", after(map[string]string{"Projects/Beta.md": "", "Projects/Alpha.md": "", "Welcome.md": ""}), b.files())
	b.refused("delete_page", `{"path":"Welcome.md"}`, "NOT_FOUND")
	b.put("Projects/Sub.md", "")
	if out := call[DeletePageOut](b, "delete_page", `{"path":"Projects/_index.md"}`); out.Note != "1 pages below it are kept." {
		t.Errorf("%+v", out)
	}
	b.refused("delete_page", `{"path":"PROJECTS/sub.md"}`, "NOT_FOUND")
}

func TestMovePage(t *testing.T) {
	alpha := fixture()["Projects/Alpha.md"]
	index := fixture()["Projects/_index.md"]
	for _, c := range []struct {
		from, to, path string
		extra          string
		changes        map[string]string
	}{
		{"Projects/Alpha.md", "/", "Alpha.md", "", map[string]string{
			"Projects/Alpha.md": "", "Projects/Alpha/assets/d.png": "", "Alpha/assets/d.png": "png",
			"Alpha.md": strings.Replace(alpha, "](Beta.md)", "](Projects/Beta.md)", 1),
		}},
		{"Projects/Alpha.md", "Archive", "Archive/Alpha.md", "", map[string]string{
			"Projects/Alpha.md": "", "Projects/Alpha/assets/d.png": "", "Archive/Alpha/assets/d.png": "png",
			"Archive/Alpha.md": strings.Replace(alpha, "](Beta.md)", "](../Projects/Beta.md)", 1),
		}},
		{"Archive/Old.md", "New/Name.md", "New/Name.md", "", map[string]string{"Archive/Old.md": "", "New/Name.md": "Old.\n"}},
		{"Archive/Old.md", "Archive/old.md", "Archive/old.md", "", map[string]string{"Archive/Old.md": "", "Archive/old.md": "Old.\n"}},
		{"Archive/Old.md", "Welcome", "Welcome/Old.md", "", map[string]string{"Archive/Old.md": "", "Welcome/Old.md": "Old.\n", "Welcome.md": "", "Welcome/_index.md": fixture()["Welcome.md"]}},
		{"Projects/_index.md", "Archive", "Archive/Projects/_index.md", "", map[string]string{
			"Projects/_index.md": "", "Projects/Alpha.md": "", "Projects/Beta.md": "", "Projects/Alpha/assets/d.png": "", "Archive/Projects/_index.md": index,
			"Archive/Projects/Alpha.md": alpha, "Archive/Projects/Beta.md": fixture()["Projects/Beta.md"], "Archive/Projects/Alpha/assets/d.png": "png",
			"Welcome.md": strings.Replace(fixture()["Welcome.md"], "[[Projects/Beta|", "[[Archive/Projects/Beta|", 1),
		}},
		{"Projects/Alpha.md", "Projects/Alpha/_index.md", "Projects/Alpha/_index.md", "", map[string]string{
			"Projects/Alpha.md":        "",
			"Projects/Alpha/_index.md": strings.NewReplacer("](Beta.md)", "](../Beta.md)", "./Alpha/assets", "./assets").Replace(alpha),
		}},
		{"Lone/Only.md", "/", "Only.md", "Lone/_index.md Lone/Only.md", map[string]string{"Lone.md": "[Only](Only.md)\n", "Only.md": "x"}},
		{"Lone/_index.md", "Archive/Was.md", "Archive/Was.md", "Lone/_index.md", map[string]string{"Archive/Was.md": "[Only](Only.md)\n"}},
	} {
		b := open(t, fixture(), nil)
		for name := range strings.FieldsSeq(c.extra) {
			content := "x"
			if strings.HasSuffix(name, "_index.md") {
				content = "[Only](Only.md)\n"
			}
			b.put(name, content)
		}
		out := call[MovePageOut](b, "move_page", fmt.Sprintf(`{"sourcePath":%q,"destinationPath":%q}`, c.from, c.to))
		equal(t, c.from+" to "+c.to, c.path, out.NewPath)
		equal(t, c.from+" to "+c.to, after(c.changes), b.files())
	}
}

func TestMovePageRefuses(t *testing.T) {
	b := open(t, fixture(), nil)
	b.put("Projects/Archive/x.md", "x")
	for _, same := range [][2]string{{"Welcome.md", "Welcome.md"}, {"Welcome.md", "/"}, {"Projects/Alpha.md", "Projects"}, {"Projects/_index.md", "Projects/_index.md"}, {"Projects/_index.md", "Projects.md"}} {
		before := b.files()
		out := call[MovePageOut](b, "move_page", fmt.Sprintf(`{"sourcePath":%q,"destinationPath":%q}`, same[0], same[1]))
		equal(t, "a move to the same place", same[0], out.NewPath)
		equal(t, "a move to the same place", before, b.files())
	}
	for _, c := range [][3]string{
		{"Welcome.md", "Projects/Alpha.md", "CONFLICT"},
		{"Welcome.md", "projects/alpha.md", "CONFLICT"},
		{"Projects/_index.md", "Projects/Sub/_index.md", "INVALID"},
		{"Projects/_index.md", "Projects/Alpha", "INVALID"},
		{"Projects/_index.md", "Archive.md", "CONFLICT"},
		{"Welcome.md", "Nowhere", "NOT_FOUND"},
		{"None.md", "x.md", "NOT_FOUND"},
		{"Welcome.md", "../x.md", "DENIED"},
		{"Welcome.md", "CON.md", "INVALID"},
		{"Welcome.md", ".git/x.md", "INVALID"},
		{"Welcome.md", "Projects/Alpha/assets/x.md", "INVALID"},
		{"Welcome.md", "", "INVALID"},
		{"welcome.md", "x.md", "NOT_FOUND"},
		{"Projects/_index.md", "Projects/_index.md/x.md", "INVALID"},
	} {
		b.refused("move_page", fmt.Sprintf(`{"sourcePath":%q,"destinationPath":%q}`, c[0], c[1]), c[2])
	}
}

func TestMovePageUpdatesWikilinks(t *testing.T) {
	b := open(t, fixture(), nil)
	b.put("Linker.md", "[[Projects/Alpha|a]] [[Alpha]] ![[projects/alpha#h]] [[First]] [[Projects/Beta]] [x](Projects/Alpha.md) `[[Alpha]]`\r\n")
	out := call[MovePageOut](b, "move_page", `{"sourcePath":"Projects/Alpha.md","destinationPath":"Archive/Alef.md","update_links":true}`)
	equal(t, "links", "[[Archive/Alef|a]] [[Alef]] ![[Archive/Alef#h]] [[First]] [[Projects/Beta]] [x](Archive/Alef.md) `[[Alpha]]`\r\n", b.get("Linker.md"))
	if !slices.Contains(out.Changed, "Linker.md") || !slices.Contains(out.Changed, "Projects/Beta.md") {
		t.Errorf("changed %v", out.Changed)
	}
}

func TestAddAttachment(t *testing.T) {
	inbox, elsewhere := t.TempDir(), t.TempDir()
	for _, dir := range []string{inbox, elsewhere} {
		if err := os.WriteFile(filepath.Join(dir, "my pic.png"), []byte("PNG"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, fixture(), map[string]any{"inbox": []string{inbox}})
	pic := jsonText(filepath.Join(inbox, "my pic.png"))
	for _, c := range []struct{ args, rel, syntax, file string }{
		{`{"pagePath":"Projects/_index.md","filePath":` + pic + `,"fileName":"image.png"}`, "./assets/image.png", "![](./assets/image.png)", "Projects/assets/image.png"},
		{`{"pagePath":"Projects/_index.md","filePath":` + pic + `,"fileName":"image.png"}`, "./assets/image-2.png", "![](./assets/image-2.png)", "Projects/assets/image-2.png"},
		{`{"pagePath":"Projects/Alpha.md","filePath":` + pic + `}`, "./Alpha/assets/my pic.png", "![](./Alpha/assets/my%20pic.png)", "Projects/Alpha/assets/my pic.png"},
		{`{"pagePath":"Welcome.md","filePath":"Projects/Alpha/assets/d.png","fileName":"D.PNG"}`, "./Welcome/assets/D.PNG", "![](./Welcome/assets/D.PNG)", "Welcome/assets/D.PNG"},
		{`{"pagePath":"Welcome.md","data":"aGk=","fileName":"a(1).txt"}`, "./Welcome/assets/a(1).txt", "[a(1).txt](./Welcome/assets/a%281%29.txt)", "Welcome/assets/a(1).txt"},
	} {
		out := call[AddAttachmentOut](b, "add_attachment", c.args)
		equal(t, c.args, AddAttachmentOut{RelativePath: c.rel, MarkdownSyntax: c.syntax, Path: c.file}, out)
		b.get(c.file)
	}
	for args, code := range map[string]string{
		`{"pagePath":"Welcome.md","filePath":` + jsonText(filepath.Join(elsewhere, "my pic.png")) + `}`: "DENIED",
		`{"pagePath":"Welcome.md","filePath":"/etc/passwd"}`:                                            "DENIED",
		`{"pagePath":"Welcome.md","filePath":"../x"}`:                                                   "DENIED",
		`{"pagePath":"Welcome.md","filePath":"none.png"}`:                                               "NOT_FOUND",
		`{"pagePath":"Welcome.md"}`:                                                                     "INVALID",
		`{"pagePath":"Welcome.md","data":"aGk="}`:                                                       "INVALID",
		`{"pagePath":"Welcome.md","data":"!","fileName":"x"}`:                                           "INVALID",
		`{"pagePath":"Welcome.md","data":"aGk=","fileName":"../x"}`:                                     "INVALID",
		`{"pagePath":"Welcome.md","data":"aGk=","fileName":"a/b"}`:                                      "INVALID",
		`{"pagePath":"Welcome.md","data":"aGk=","fileName":".bashrc"}`:                                  "INVALID",
		`{"pagePath":"None.md","data":"aGk=","fileName":"x"}`:                                           "NOT_FOUND",
	} {
		b.refused("add_attachment", args, code)
	}
	if err := os.Truncate(filepath.Join(inbox, "my pic.png"), maxAttachment+1); err != nil {
		t.Fatal(err)
	}
	b.refused("add_attachment", `{"pagePath":"Welcome.md","filePath":`+pic+`}`, "LIMITED")
}
