package markdown

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

func paths(pages []ListedPage) []string {
	var out []string
	for _, p := range pages {
		out = append(out, p.Path)
	}
	return out
}

func TestListPages(t *testing.T) {
	b := open(t, fixture(), nil)
	for args, want := range map[string][]string{
		`{}`:                               {"Welcome.md", "Archive", "Projects/_index.md"},
		`{"depth":2}`:                      {"Welcome.md", "Archive", "Archive/Old.md", "Projects/_index.md", "Projects/Alpha.md", "Projects/Beta.md"},
		`{"path":"Projects","depth":2}`:    {"Projects/Alpha.md", "Projects/Beta.md"},
		`{"path":"Projects/_index.md"}`:    {"Projects/Alpha.md", "Projects/Beta.md"},
		`{"path":"projects/"}`:             {"Projects/Alpha.md", "Projects/Beta.md"},
		`{"path":"Welcome.md"}`:            nil,
		`{"depth":2,"limit":2,"offset":3}`: {"Projects/_index.md", "Projects/Alpha.md"},
	} {
		equal(t, args, want, paths(call[ListPagesOut](b, "list_pages", args).Pages))
	}
	out := call[ListPagesOut](b, "list_pages", `{}`)
	want := ListedPage{Path: "Projects/_index.md", Title: "Projects", Icon: "🏗", HasChildren: true, PageID: "p1"}
	equal(t, "a page", want, out.Pages[2])
	equal(t, "a folder", ListedPage{Path: "Archive", Title: "Archive", HasChildren: true}, out.Pages[1])
	cut := call[ListPagesOut](b, "list_pages", `{"depth":2,"limit":2}`)
	if !cut.Truncated || cut.Total != 6 || cut.Note != "4 more pages: call again with offset 2." {
		t.Errorf("a cut list says %+v", cut)
	}
	if c := call[ListPagesOut](b, "list_pages", `{"path":"Archive","includeContent":true}`).Pages[0].Content; c != "Old.\n" {
		t.Errorf("content %q", c)
	}
	b.refused("list_pages", `{"path":"Nope"}`, "NOT_FOUND")
}

func TestReadPage(t *testing.T) {
	b := open(t, fixture(), nil)
	out := call[ReadPageOut](b, "read_page", `{"path":"Welcome.md"}`)
	equal(t, "content", fixture()["Welcome.md"], out.Content)
	equal(t, "front matter", map[string]any{"id": "w1", "title": "Welcome", "tags": []any{"start", "Überblick"}, "position": 1.0}, out.Frontmatter)
	if out.PageID != "w1" || out.Path != "Welcome.md" || len(out.Etag) != etagLength || out.Lines != 10 {
		t.Errorf("%+v", out)
	}
	for arg, want := range map[string]string{
		"Projects": "Projects/_index.md", "Projects/": "Projects/_index.md", "Projects/alpha": "Projects/Alpha.md", "./WELCOME.md": "Welcome.md",
	} {
		if got := call[ReadPageOut](b, "read_page", fmt.Sprintf(`{"path":%q}`, arg)); got.Path != want {
			t.Errorf("%s: %s, want %s", arg, got.Path, want)
		}
	}
	part := call[ReadPageOut](b, "read_page", `{"path":"Welcome.md","offset":7,"limit":1}`)
	if part.Content != "# Welcome\n" || !part.Truncated || part.Note != "Lines 8 to 8 of 10." {
		t.Errorf("%+v", part)
	}
	f := b.refused("read_page", `{"path":"Projects/Nonexistent.md"}`, "NOT_FOUND")
	equal(t, "message", "Page not found at path: Projects/Nonexistent.md", f.Error)
}

// A model reads the Markdown as it is, and then what is known about the page.
func TestReadPageAsText(t *testing.T) {
	const text = "> quote <b>bold</b> & -> arrow\n"
	b := open(t, map[string]string{"this & that.md": text}, nil)
	answer, err := b.Call(t.Context(), tools.CallContext{}, "read_page", json.RawMessage(`{"path":"this & that.md"}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Content) != 2 || answer.Content[0].Text != text {
		t.Fatalf("%+v", answer.Content)
	}
	facts := answer.Content[1].Text
	if !strings.Contains(facts, `"path":"this & that.md"`) || !strings.Contains(facts, `"etag":"`) || strings.Contains(facts, "content") {
		t.Error(facts)
	}
}

func TestReadOddPages(t *testing.T) {
	b := open(t, map[string]string{
		"latin.md": "caf\xe9\r\n", "bom.md": "\ufeff---\r\ntitle: With BOM\r\n---\r\ntext\r\n", "broken.md": "---\ntitle: \"a\nb: [\n---\ntext\n", "empty.md": "",
		"long.md": strings.Repeat("a line of text\n", 30_000), "one.md": strings.Repeat("é", 200_000), "dir.md/x.txt": "",
	}, nil)
	latin := call[ReadPageOut](b, "read_page", `{"path":"latin.md"}`)
	if latin.Encoding != "unknown" || latin.Content != "caf\uFFFD\n" {
		t.Errorf("%+v", latin)
	}
	if bom := call[ReadPageOut](b, "read_page", `{"path":"bom.md"}`); bom.Title != "With BOM" || strings.ContainsAny(bom.Content, "\r\ufeff") {
		t.Errorf("%+v", bom)
	}
	if broken := call[ReadPageOut](b, "read_page", `{"path":"broken.md"}`); broken.Title != "broken" || !strings.Contains(broken.Note, "line") {
		t.Errorf("%+v", broken)
	}
	if empty := call[ReadPageOut](b, "read_page", `{"path":"empty.md"}`); empty.Lines != 0 || empty.Truncated {
		t.Errorf("%+v", empty)
	}
	for _, path := range []string{"long.md", "one.md"} {
		if out := call[ReadPageOut](b, "read_page", `{"path":"`+path+`"}`); !out.Truncated || len(out.Content) > maxContent || len(out.Content) < maxContent-20 {
			t.Errorf("%s: %d bytes, %s", path, len(out.Content), out.Note)
		}
	}
	b.refused("read_page", `{"path":"dir.md"}`, "NOT_FOUND")
	if n := call[ListPagesOut](b, "list_pages", `{}`).Total; n != 6 {
		t.Errorf("%d pages", n)
	}
}

func TestSearchPages(t *testing.T) {
	b := open(t, fixture(), nil)
	b.put("Unreadable.md", "")
	if err := os.Truncate(b.dir+"/Unreadable.md", maxPage+1); err != nil {
		t.Fatal(err)
	}
	out := call[SearchPagesOut](b, "search_pages", `{"query":"architecture diagram"}`)
	want := []PageMatch{{Path: "Projects/Alpha.md", Title: "Alpha", MatchLine: 11, MatchContext: "Please see the Architecture Diagram below."}}
	if len(out.Matches) != 1 || out.Matches[0] != want[0] || !strings.Contains(out.Note, `1 pages could not be read and were not searched: "Unreadable.md";`) {
		t.Errorf("%+v", out)
	}
	for query, want := range map[string]string{
		"überblick": "Welcome.md:4", "ALPHA": "Projects/Alpha.md:3 Projects/Beta.md:3 Welcome.md:10", "old": "Archive/Old.md:0", "position": "", "zebra": "", "u\u0308berblick": "Welcome.md:4",
	} {
		var got []string
		for _, m := range call[SearchPagesOut](b, "search_pages", fmt.Sprintf(`{"query":%q}`, query)).Matches {
			got = append(got, fmt.Sprintf("%s:%d", m.Path, m.MatchLine))
		}
		equal(t, query, want, strings.Join(got, " "))
	}
	if out := call[SearchPagesOut](b, "search_pages", `{"query":"alpha","path":"Projects","limit":1}`); out.Total != 2 || !out.Truncated || len(out.Matches) != 1 {
		t.Errorf("%+v", out)
	}
	b.refused("search_pages", `{"query":" "}`, "INVALID")
	long := around(strings.Repeat("x ", 500)+"needle"+strings.Repeat(" y", 500), searchQuery{terms: []string{"needle"}})
	if !strings.Contains(long, "needle") || len(long) > 210 {
		t.Errorf("context %q", long)
	}
}

func TestSearchEndsWithItsContext(t *testing.T) {
	b := open(t, fixture(), nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tool := range []string{"search_pages", "get_tree", "list_pages", "get_page_links"} {
		args := map[string]string{"search_pages": `{"query":"a"}`, "get_page_links": `{"path":"Welcome.md"}`}[tool]
		if _, err := b.Call(ctx, tools.CallContext{}, tool, json.RawMessage(args)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

func TestGetPageLinks(t *testing.T) {
	files := fixture()
	files["Twin/Same.md"], files["Them/Same.md"], files["Other/Same.md"], files["Pic.png"] = "", "", "", ""
	files["Links.md"] = "[[Same]] [[Twin/Same]] [[Alpha#Goals]] [[First|f]] ![[d.png]] [[welcome#^b]] [t](Projects/Beta.md) [x](Projects/None.md) [[#here]]\n```\n[[Welcome]]\n```\n[[Projects]] [[Projects/_index|p]]\n"
	b := open(t, files, nil)
	out := call[GetPageLinksOut](b, "get_page_links", `{"path":"Links.md"}`)
	var got []string
	for _, l := range out.Outgoing {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", l.Status, l.Path, strings.Join(l.Candidates, ","))))
	}
	equal(t, "outgoing", []string{
		"ambiguous  Them/Same.md,Twin/Same.md", "ok Twin/Same.md", "ok Projects/Alpha.md", "ok Projects/Alpha.md",
		"attachment Projects/Alpha/assets/d.png", "ok Welcome.md", "ok Projects/Beta.md", "broken", "ok Projects/_index.md", "ok Projects/_index.md",
	}, got)
	equal(t, "a link", OutgoingLink{Title: "Alpha", Path: "Projects/Alpha.md", Status: "ok", Line: 1, Heading: "Goals"}, out.Outgoing[2])
	in := call[GetPageLinksOut](b, "get_page_links", `{"path":"Projects/Alpha.md"}`).Incoming
	equal(t, "incoming", []IncomingLink{{"Links", "Links.md", 1, 2}, {"Beta", "Projects/Beta.md", 3, 2}, {"Welcome", "Welcome.md", 10, 1}}, in)
	if in := call[GetPageLinksOut](b, "get_page_links", `{"path":"Twin/Same.md"}`).Incoming; len(in) != 1 {
		t.Errorf("an ambiguous link counts for nobody: %v", in)
	}
}

func TestGetTree(t *testing.T) {
	b := open(t, fixture(), nil)
	out := call[GetTreeOut](b, "get_tree", `{"includeMetadata":true}`)
	equal(t, "tree", Branches{
		{Path: "Welcome.md", Title: "Welcome", PageID: "w1", Metadata: map[string]any{"tags": []any{"start", "Überblick"}, "position": 1.0}},
		{Path: "Archive", Title: "Archive", HasChildren: true, Children: Branches{{Path: "Archive/Old.md", Title: "Old", PageID: out.Tree[1].Children[0].PageID}}},
		{Path: "Projects/_index.md", Title: "Projects", Icon: "🏗", HasChildren: true, PageID: "p1", Children: Branches{
			{Path: "Projects/Alpha.md", Title: "Alpha", PageID: "a1", Metadata: map[string]any{"aliases": []any{"First"}}},
			{Path: "Projects/Beta.md", Title: "Beta", PageID: out.Tree[2].Children[1].PageID},
		}},
	}, out.Tree)
	equal(t, "total", 5, out.Total)
	sub := call[GetTreeOut](b, "get_tree", `{"path":"Projects"}`)
	equal(t, "part", 2, len(sub.Tree))
}

// A tree that does not fit loses its deepest level, and says so.
func TestGetTreeIsBounded(t *testing.T) {
	runtest.InOrder(t)
	files := map[string]string{}
	for i := range 1500 {
		files[fmt.Sprintf("Folder %d/Page %d.md", i%10, i)] = ""
	}
	b := open(t, files, nil)
	answer, _ := b.try("get_tree", `{}`)
	out := call[GetTreeOut](b, "get_tree", `{}`)
	if len(answer) > maxAnswer+1000 || !out.Truncated || len(out.Tree) != 10 || out.Total != 1500 || !strings.Contains(out.Note, "first 1 of 2 levels") {
		t.Errorf("%d bytes, %d branches, %d pages: %s", len(answer), len(out.Tree), out.Total, out.Note)
	}
	flat := map[string]string{}
	for i := range 1500 {
		flat[fmt.Sprintf("Page %d.md", i)] = ""
	}
	out = call[GetTreeOut](open(t, flat, nil), "get_tree", `{}`)
	if len(out.Tree) == 0 || len(out.Tree) == 1500 || !out.Truncated {
		t.Errorf("%d branches: %s", len(out.Tree), out.Note)
	}
}

// Folders of Obsidian: no _index.md anywhere, a page beside its folder.
func TestObsidianFolders(t *testing.T) {
	b := open(t, map[string]string{".obsidian/app.json": "{}", "Area.md": "# Area", "Area/Sub.md": "", "Loose/x.md": "", "assets/pic.md": "not a page", "Empty/": ""}, nil)
	equal(t, "pages", []string{"Area.md", "Area/Sub.md", "Loose", "Loose/x.md"}, paths(call[ListPagesOut](b, "list_pages", `{"depth":3}`).Pages))
	out := call[CreatePageOut](b, "create_page", `{"title":"Deep","parentPath":"Area/Sub.md"}`)
	equal(t, "a leaf stays beside its folder", "Area/Sub/Deep.md", out.Path)
	if _, there := b.files()["Area/Sub.md"]; !there {
		t.Errorf("files are %v", b.files())
	}
}

func TestTwoPagesOfOnePlace(t *testing.T) {
	b := open(t, map[string]string{"X.md": "leaf", "X/_index.md": "folder", "X/y.md": ""}, nil)
	got := paths(call[ListPagesOut](b, "list_pages", `{"depth":2}`).Pages)
	slices.Sort(got)
	equal(t, "both are there", []string{"X.md", "X/_index.md", "X/y.md"}, got)
	equal(t, "each is itself", "leaf", call[ReadPageOut](b, "read_page", `{"path":"X.md"}`).Content)
}

func TestResources(t *testing.T) {
	files := fixture()
	files["Käse & Co/a b (1).md"] = "cheese"
	b := open(t, files, nil)
	for uri, want := range map[string]string{
		"markdown://notes/Archive/Old.md": "Old.\n", "markdown://notes/K%C3%A4se%20&%20Co/a%20b%20%281%29.md": "cheese",
		(&Notebook{name: "notes"}).uri("Käse & Co/a b (1).md"): "cheese",
	} {
		if c, err := b.Read(t.Context(), uri); err != nil || c.Text != want || c.MIME != "text/markdown" {
			t.Errorf("%s: %+v, %v", uri, c, err)
		}
	}
	if c, err := b.Read(t.Context(), "markdown://notes/"); err != nil || !strings.Contains(c.Text, `"tree":[`) {
		t.Errorf("tree: %+v, %v", c, err)
	}
	for _, uri := range []string{"markdown://notes/../x.md", "markdown://notes/%2e%2e/x.md", "markdown://notes/None.md", "markdown://notes/.git/config"} {
		if c, err := b.Read(t.Context(), uri); err == nil {
			t.Errorf("%s: %+v", uri, c)
		}
	}
	got, err := b.Complete(t.Context(), "markdown://notes/{+path}", "path", "proj")
	equal(t, "completion", []string{"Projects/Alpha.md", "Projects/Beta.md", "Projects/_index.md"}, got)
	if err != nil {
		t.Error(err)
	}
	got, _ = b.Complete(t.Context(), "summarise_page", "path", "al")
	equal(t, "completion", []string{"Projects/Alpha.md"}, got)
	messages, err := b.Prompt(t.Context(), "summarise_page", map[string]string{"path": "Archive/Old.md"})
	if err != nil || len(messages) != 2 || messages[1].Content.Text != "Old.\n" {
		t.Errorf("%+v, %v", messages, err)
	}
}

func TestDetect(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"it has an .obsidian folder": {".obsidian/app.json": "", "a.md": ""}, "it has a logseq folder": {"logseq/config.edn": ""},
		"it has .md files": {"a.md": ""}, "it has folders with .md files": {"x/a.md": ""}, "": {"x.org": "", ".git/a.md": ""},
	} {
		b := open(t, files, nil)
		if m := testSystem().Detect(os.DirFS(b.dir)); m.Reason != want || (m.Score > 0) != (want != "") {
			t.Errorf("%v: %+v", files, m)
		}
	}
}

// Words are found wherever they stand, ranked; accents and case make no difference.
func TestSearchWords(t *testing.T) {
	b := open(t, map[string]string{
		"Perihelion.md": "The system of planets.\n", "Both.md": "x\nperihelion\nand the system\n", "Phrase.md": "a perihelion system here\n", "One.md": "perihelion only\n",
		"Café.md": "crème brûlée\n", "Kyoto.md": "東京都庁\n", "Tagged.md": "---\ntags: [home photo]\n---\nx\n",
	}, nil)
	for query, want := range map[string][]string{
		"perihelion system":   {"Phrase.md", "Perihelion.md", "Both.md"},
		`"perihelion system"`: {"Phrase.md"},
		"perihelion banana":   {"Perihelion.md", "One.md", "Phrase.md", "Both.md"},
		"cafe":                {"Café.md"},
		"BRULEE creme":        {"Café.md"},
		"京都":                  {"Kyoto.md"},
		"photo home":          {"Tagged.md"},
		"zzzz yyyy":           {},
	} {
		out := call[SearchPagesOut](b, "search_pages", fmt.Sprintf(`{"query":%q}`, query))
		got := []string{}
		for _, m := range out.Matches {
			got = append(got, m.Path)
		}
		equal(t, query, want, got)
		if len(want) == 0 && !strings.Contains(out.Note, "Try others") {
			t.Errorf("%s: %q", query, out.Note)
		}
	}
	equal(t, "line", 3, call[SearchPagesOut](b, "search_pages", `{"query":"the system and"}`).Matches[0].MatchLine)
}
