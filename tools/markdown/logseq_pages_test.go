package markdown

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

func graphFiles() map[string]string {
	return map[string]string{
		"logseq/config.edn":         "{:file/name-format :triple-lowbar}",
		"pages/Projects.md":         "icon:: 🏗\ntags:: work, two words\n\n- see [[Projects/Alpha]] and #[[two words]]\n",
		"pages/Projects___Alpha.md": "alias:: First, [[The Alpha]]\n\n- see [[Nov 21st, 2026]] #Projects/Beta\n",
		"pages/b.md":                "title:: Projects/Beta\n\n- x\n",
		"pages/C%23.md":             "- [[C#]] [[first]] [[the alpha]]\n",
		"pages/two words.md":        "- nothing #none\n",
		"pages/sub/work.md":         "- [[2026-11-21]] [f](../C%2523.md) ![](../assets/i.png) [l]([[C#]])\n",
		"journals/2026_11_21.md":    "- [[projects/alpha]] [[Nobody]]\n",
		"assets/i.png":              "png",
	}
}

// Titles, aliases, tags and journals of a Logseq graph are what Logseq takes them for.
func TestLogseqGraph(t *testing.T) {
	for _, pages := range []int{0, 120} { // without an index and with one
		files := graphFiles()
		for i := range pages {
			files[fmt.Sprintf("pages/Page %d.md", i)] = "- x\n"
		}
		b := open(t, files, nil)
		links := func(page string) (out []string, in []string) {
			got := call[GetPageLinksOut](b, "get_page_links", `{"path":"`+page+`"}`)
			for _, l := range got.Outgoing {
				out = append(out, l.Path+" "+l.Status)
			}
			for _, l := range got.Incoming {
				in = append(in, l.Path)
			}
			return out, in
		}
		for page, want := range map[string][2]string{
			"pages/Projects.md":         {"[pages/sub/work.md ok pages/two words.md ok pages/Projects___Alpha.md ok pages/two words.md ok]", "[]"},
			"pages/Projects___Alpha.md": {"[journals/2026_11_21.md ok pages/b.md ok]", "[journals/2026_11_21.md pages/C%23.md pages/Projects.md]"},
			"pages/b.md":                {"[]", "[pages/Projects___Alpha.md]"},
			"pages/C%23.md":             {"[pages/C%23.md ok pages/Projects___Alpha.md ok pages/Projects___Alpha.md ok]", "[pages/C%23.md pages/sub/work.md]"},
			"pages/two words.md":        {"[]", "[pages/Projects.md]"},
			"pages/sub/work.md":         {"[journals/2026_11_21.md ok pages/C%23.md ok assets/i.png attachment pages/C%23.md ok]", "[pages/Projects.md]"},
			"journals/2026_11_21.md":    {"[pages/Projects___Alpha.md ok  broken]", "[pages/Projects___Alpha.md pages/sub/work.md]"},
		} {
			out, in := links(page)
			slices.Sort(in)
			equal(t, page+" links to", want[0], fmt.Sprint(out))
			equal(t, page+" is linked from", want[1], fmt.Sprint(in))
		}
		read := call[ReadPageOut](b, "read_page", `{"path":"journals/2026_11_21.md"}`)
		equal(t, "title of a journal", "Nov 21st, 2026", read.Title)
		for _, name := range []string{"Projects/Alpha", "Nov 21st, 2026", "C#"} {
			call[ReadPageOut](b, "read_page", `{"path":"`+name+`"}`)
		}
		found := call[SearchPagesOut](b, "search_pages", `{"query":"projects/beta"}`)
		if len(found.Matches) == 0 || found.Matches[0].Title != "Projects/Beta" {
			t.Errorf("%+v", found)
		}
		var titles []string
		for _, p := range call[ListPagesOut](b, "list_pages", `{"path":"pages","limit":200}`).Pages {
			titles = append(titles, p.Title)
		}
		if !slices.Contains(titles, "Projects/Alpha") || !slices.Contains(titles, "Projects/Beta") {
			t.Errorf("%q", titles)
		}
	}
}

// A new page gets the name that Logseq would give it.
func TestLogseqNewPages(t *testing.T) {
	for format, names := range map[string][6]string{
		":triple-lowbar": {"pages/New___Sub.md", "pages/Projects___Gamma.md", "pages/What%3F.md", "journals/2026_05_03.md", "pages/New___Sub-2.md", "pages/v1.0.md"},
		":legacy":        {"pages/New%2FSub.md", "pages/Projects%2FGamma.md", "pages/What%3F.md", "journals/2026_05_03.md", "pages/New%2FSub-2.md", "pages/v1.0.md"},
	} {
		b := open(t, map[string]string{"logseq/config.edn": "{:file/name-format " + format + "}", "pages/Projects.md": "- x\n"}, nil)
		for i, args := range []string{
			`{"title":"New/Sub","content":"- x\n"}`, `{"title":"Gamma","parentPath":"pages/Projects.md"}`, `{"title":"What?","icon":"🏗","content":"- x\n"}`, `{"title":"May 3rd, 2026"}`, `{"title":"new/sub"}`, `{"title":"v1.0"}`,
		} {
			made := call[CreatePageOut](b, "create_page", args)
			if i == 4 {
				equal(t, "numbered", strings.ToLower(names[i]), strings.ToLower(made.Path))
				continue
			}
			equal(t, args, names[i], made.Path)
		}
		equal(t, "page", "- x\n", b.get(names[0]))
		equal(t, "icon", "icon:: 🏗\n\n- x\n", b.get(names[2]))
		equal(t, "title of v1.0", "v1.0", call[ReadPageOut](b, "read_page", `{"path":"pages/v1.0.md"}`).Title)
		b.refused("create_page", `{"title":"a [[b]]"}`, "INVALID")
		b.refused("move_page", `{"sourcePath":"`+names[0]+`","destinationPath":"pages/what%3f.md"}`, "CONFLICT")
		equal(t, "daily note", "journals/2026_11_21.md", call[CreateDailyNoteOut](b, "create_daily_note", `{}`).Path)
	}
	b := open(t, map[string]string{"logseq/config.edn": `{:journal/file-name-format "yyyy-MM-dd" :journals-directory "days" :pages-directory "notes"}`}, nil)
	equal(t, "daily note", "days/2026-11-21.md", call[CreateDailyNoteOut](b, "create_daily_note", `{}`).Path)
	equal(t, "page", "notes/N.md", call[CreatePageOut](b, "create_page", `{"title":"N"}`).Path)
}

// A page that is renamed takes the pages below it along, and all links follow.
func TestLogseqRename(t *testing.T) {
	files := graphFiles()
	b := open(t, files, nil)
	out := call[MovePageOut](b, "move_page", `{"sourcePath":"pages/Projects.md","destinationPath":"pages/My Work.md"}`)
	equal(t, "links", LinkReport{Rewritten: 2}, out.Links)
	equal(t, "page", strings.ReplaceAll(files["pages/Projects.md"], "Projects/Alpha", "My Work/Alpha"), b.get("pages/My Work.md"))
	equal(t, "page below", files["pages/Projects___Alpha.md"], b.get("pages/My Work___Alpha.md"))
	equal(t, "journal", "- [[My Work/Alpha]] [[Nobody]]\n", b.get("journals/2026_11_21.md"))
	call[MovePageOut](b, "move_page", `{"sourcePath":"pages/two words.md","destinationPath":"pages/one.md"}`)
	equal(t, "tag in brackets", "icon:: 🏗\ntags:: work, one\n\n- see [[My Work/Alpha]] and #[[one]]\n", b.get("pages/My Work.md"))
	call[MovePageOut](b, "move_page", `{"sourcePath":"pages/sub/work.md","destinationPath":"pages/a, b.md"}`)
	equal(t, "name with a comma", "icon:: 🏗\ntags:: [[a, b]], one\n\n- see [[My Work/Alpha]] and #[[one]]\n", b.get("pages/My Work.md"))
	equal(t, "paths", "- [[2026-11-21]] [f](C%2523.md) ![](../assets/i.png) [l]([[C#]])\n", b.get("pages/a, b.md"))
	merged := call[MergePagesOut](b, "merge_pages", `{"sourcePath":"pages/one.md","destinationPath":"pages/C%23.md"}`)
	equal(t, "merged links", 2, merged.Links.Rewritten)
	if text := b.get("pages/My Work.md"); !strings.Contains(text, "#[[C#]]") {
		t.Errorf("%q", text)
	}
}

// After any move in a graph every link that led to one page leads there still.
func TestLogseqMovesKeepTargets(t *testing.T) {
	for seed := range runtest.Seeds(60, 15, 8) {
		rng := rand.New(rand.NewPCG(uint64(seed), 65))
		b := open(t, randomGraph(rng), nil)
		for range 4 {
			before := graphTargets(t, b.files())
			var pages []string
			for f := range before.files {
				if strings.HasSuffix(f, ".md") {
					pages = append(pages, f)
				}
			}
			slices.Sort(pages)
			from := pages[rng.IntN(len(pages))]
			to := "pages/" + []string{"a", "b", "a___c", "d___e", "x y", "C%23", "Z%2Cz", "2026_01_02"}[rng.IntN(8)] + ".md"
			answer, ok := b.try("move_page", fmt.Sprintf(`{"sourcePath":%q,"destinationPath":%q}`, from, to))
			if !ok {
				continue
			}
			var out MovePageOut
			if err := json.Unmarshal([]byte(answer), &out); err != nil {
				t.Fatal(err)
			}
			after := graphTargets(t, b.files())
			moved := movedFiles(before, from, to)
			for at, leads := range before.links {
				page, nth, _ := strings.Cut(at, "\x00")
				want := leads
				if now, was := moved[leads]; was {
					want = now
				}
				if now, was := moved[page]; was {
					page = now
				}
				if got := after.links[page+"\x00"+nth]; leads != "" && got != want && out.Links.Left+out.Links.Ambiguous == 0 {
					t.Fatalf("seed %d: %s to %s: link %q led to %s and leads to %q\n%s\n%q\n%q", seed, from, to, at, leads, got, answer, before.files, after.files)
				}
			}
			if out.Links.Left > 0 {
				t.Fatalf("seed %d: %s to %s: %s\n%q", seed, from, to, answer, before.files)
			}
		}
	}
}

func randomGraph(rng *rand.Rand) map[string]string {
	files := map[string]string{"logseq/config.edn": "{:file/name-format :triple-lowbar}", "assets/p.png": "png"}
	names := []string{"a", "b", "a/c", "a/c/d", "x y", "C#", "d", "Jan 2nd, 2026", "deep/one, two", "Z,z"}
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	titles := names[:5+rng.IntN(5)]
	for i, title := range titles {
		file := "pages/" + strings.NewReplacer("/", "___", "#", "%23").Replace(title) + ".md"
		text := ""
		if title == "Jan 2nd, 2026" {
			file = "journals/2026_01_02.md"
		} else if rng.IntN(4) == 0 {
			file, text = fmt.Sprintf("pages/file %d.md", i), "title:: "+title+"\n"
		}
		if rng.IntN(3) == 0 {
			text += fmt.Sprintf("alias:: alias %d\n", i)
		}
		for n := range rng.IntN(6) {
			to := titles[rng.IntN(len(titles))]
			switch kind := rng.IntN(6); {
			case kind == 0:
				text += fmt.Sprintf("- %d [[%s]]\n", n, strings.ToUpper(to))
			case kind == 1 && !strings.ContainsAny(to, " ,#"):
				text += fmt.Sprintf("- %d #%s.\n", n, to)
			case kind == 2:
				text += fmt.Sprintf("- %d #[[%s]]\n", n, to)
			case kind == 3:
				text += fmt.Sprintf("- %d [[alias %d]] [[2026-01-02]]\n", n, rng.IntN(6))
			case kind == 4 && !strings.ContainsAny(to, ",#"):
				text += fmt.Sprintf("- %d\n  tags:: %s, none\n", n, to)
			default:
				text += fmt.Sprintf("- %d [t]([[%s]]) ![](../assets/p.png)\n", n, to)
			}
		}
		files[file] = text
	}
	return files
}

var graphLink = regexp.MustCompile(`\[\[([^\[\]]+)\]\]|#([^\s#\[\],]+?)[.]?(?:\s|$)|(?m:^  tags:: (.*)$)`)

// graphTargets resolves the links of a graph by the rules of Logseq and not by the
// code: a title is the property, or else the decoded name of the file.
func graphTargets(t *testing.T, files map[string]string) linkTargets {
	t.Helper()
	found := linkTargets{files, map[string]string{}}
	pages, named := map[string]string{}, map[string]string{}
	for f, text := range files {
		if !strings.HasSuffix(f, ".md") {
			continue
		}
		title := titleInGraph(f)
		if m := regexp.MustCompile(`(?m)^title:: (.*)$`).FindStringSubmatch(text); m != nil {
			title = m[1]
		}
		title = strings.ToLower(title)
		if other, twice := pages[title]; twice {
			t.Fatalf("%s and %s have one title: %q", f, other, title)
		}
		pages[title] = f
		if m := regexp.MustCompile(`(?m)^alias:: (.*)$`).FindStringSubmatch(text); m != nil {
			named[m[1]] = f
		}
	}
	for f, text := range files {
		nth := 0
		for _, m := range graphLink.FindAllStringSubmatch(text, -1) {
			name := strings.TrimSuffix(strings.Join(m[1:], ""), ", none") // of tags
			key := strings.Trim(strings.NewReplacer("2026-01-02", "jan 2nd, 2026").Replace(strings.ToLower(name)), "[]")
			leads := pages[key]
			if leads == "" {
				leads = named[key]
			}
			found.links[fmt.Sprintf("%s\x00%d", f, nth)] = leads
			nth++
		}
	}
	return found
}

func titleInGraph(file string) string {
	return strings.NewReplacer("___", "/", "%23", "#", "%2C", ",", "2026_01_02", "Jan 2nd, 2026").Replace(strings.TrimSuffix(path.Base(file), ".md"))
}

// movedFiles are the files that a move takes elsewhere: a page without a title of its
// own takes those along whose names are below its own.
func movedFiles(before linkTargets, from, to string) map[string]string {
	moved := map[string]string{from: to}
	was, becomes := titleInGraph(from), titleInGraph(to)
	if strings.HasPrefix(before.files[from], "title:: ") || was == becomes {
		return moved
	}
	for f := range before.files {
		if rest, below := strings.CutPrefix(titleInGraph(f), was+"/"); below && path.Dir(f) == path.Dir(from) {
			moved[f] = "pages/" + strings.NewReplacer("/", "___", "#", "%23").Replace(becomes+"/"+rest) + ".md"
		}
	}
	return moved
}

// Properties of a page in a graph are lines key:: value, unless front matter has them.
func TestLogseqProperties(t *testing.T) {
	for _, c := range []struct{ was, args, now string }{
		{"- x\n", `"property":"status","action":"replace","content":"done"`, "status:: done\n\n- x\n"},
		{"", `"property":"status","action":"replace","content":"done"`, "status:: done\n"},
		{"a:: 1\r\nstatus:: open\r\n\r\n- x\r\n", `"property":"Status","action":"replace","content":"done"`, "a:: 1\r\nstatus:: done\r\n\r\n- x\r\n"},
		{"a:: 1", `"property":"b","action":"replace","content":"2"`, "a:: 1\nb:: 2"},
		{"a:: 1\n\n- x", `"property":"b","action":"replace","content":"2"`, "a:: 1\nb:: 2\n\n- x"},
		{"tags::\n", `"property":"tags","action":"append","content":"one"`, "tags:: one\n"},
		{"tags:: [[one]]\n", `"property":"tags","action":"append","content":"two"`, "tags:: [[one]], two\n"},
		{"tags:: [[one]], two\n", `"property":"tags","action":"delete","content":"one"`, "tags:: two\n"},
		{"tags:: one\n\n- x\n", `"property":"tags","action":"delete"`, "\n- x\n"},
		{"---\nstatus: open\n---\n- x\n", `"property":"status","action":"replace","content":"done"`, "---\nstatus: done\n---\n- x\n"},
		{"---\na: 1\n---\n- x\n", `"property":"b","action":"replace","content":"2"`, "---\na: 1\n---\nb:: 2\n\n- x\n"},
	} {
		b := open(t, map[string]string{"logseq/config.edn": "", "pages/p.md": c.was}, nil)
		call[EditPageOut](b, "edit_page", `{"path":"pages/p.md",`+c.args+`}`)
		equal(t, c.args, c.now, b.get("pages/p.md"))
	}
	b := open(t, map[string]string{"logseq/config.edn": "", "pages/p.md": "type:: [[Book]]\n\n- x\n"}, nil)
	b.refused("edit_page", `{"path":"pages/p.md","property":"two words","action":"replace","content":"x"}`, "INVALID")
	b.refused("edit_page", `{"path":"pages/p.md","property":"none","action":"delete"}`, "NOT_FOUND")
	equal(t, "shown", map[string]any{"type": "[[Book]]"}, call[ReadPageOut](b, "read_page", `{"path":"pages/p.md"}`).Frontmatter)
}
