package markdown

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// The table of link forms: what each becomes when A/Alpha.md is renamed.
func TestMoveRewritesEveryForm(t *testing.T) {
	files := map[string]string{
		".obsidian/app.json": "{}", "A/Alpha.md": "see [[Beta]] and [b](../B/Beta.md)\n", "B/Beta.md": "x\n", "A/assets/i.png": "png",
		"board.canvas": `{"nodes":[{"id":"1","type":"file","file":"A/Alpha.md"},{"type":"text","text":"see [[Alpha]] \"q\""}],"edges":[]}`,
	}
	forms := []struct{ was, now string }{
		{"[[Alpha]]", "[[Gamma Ray]]"},
		{"[[Alpha|a]]", "[[Gamma Ray|a]]"},
		{"[[Alpha#H]]", "[[Gamma Ray#H]]"},
		{"[[Alpha#^b1]]", "[[Gamma Ray#^b1]]"},
		{"![[Alpha]]", "![[Gamma Ray]]"},
		{"[[A/Alpha]]", "[[A/Gamma Ray]]"},
		{"[[A/Alpha.md]]", "[[A/Gamma Ray.md]]"},
		{"[[/A/Alpha]]", "[[/A/Gamma Ray]]"},
		{"[y](/A/Alpha.md)", "[y](/A/Gamma%20Ray.md)"},
		{"[z](A/Alpha)", "[z](A/Gamma%20Ray)"},
		{"[short](Alpha.md)", "[short](Gamma%20Ray.md)"},
		{"[r](../A/Alpha.md)", "[r](../A/Gamma%20Ray.md)"},
		{"<../A/Alpha.md>", "<../A/Alpha.md>"},
		{"[l](<../A/Alpha.md>)", "[l](<../A/Gamma Ray.md>)"},
		{"\n[ref]: ../A/Alpha.md\n", "\n[ref]: ../A/Gamma%20Ray.md\n"},
		{"![](../A/assets/i.png)", "![](../A/assets/i.png)"},
		{"`[[Alpha]]`", "`[[Alpha]]`"},
		{"\n\n    [[Alpha]]\n\n", "\n\n    [[Alpha]]\n\n"},
		{"$[[Alpha]]$", "$[[Alpha]]$"},
		{"<code>[[Alpha]]</code>", "<code>[[Alpha]]</code>"},
		{"[[None]]", "[[None]]"},
	}
	was, now := "---\nup: \"[[Alpha]]\"\nrelated:\n  - '[[A/Alpha|x]]'\n---\n", "---\nup: \"[[Gamma Ray]]\"\nrelated:\n  - '[[A/Gamma Ray|x]]'\n---\n"
	for _, f := range forms {
		was, now = was+f.was+" ", now+f.now+" "
	}
	files["C/Linker.md"] = "\r\n" + was
	files["C/Linker.md"] = was + "\r\nend"
	b := open(t, files, nil)
	before := b.files()
	dry := call[MovePageOut](b, "move_page", `{"sourcePath":"A/Alpha.md","destinationPath":"A/Gamma Ray.md","dry_run":true}`)
	equal(t, "files after a dry run", before, b.files())
	out := call[MovePageOut](b, "move_page", `{"sourcePath":"A/Alpha.md","destinationPath":"A/Gamma Ray.md"}`)
	equal(t, "links that a dry run lists", 18, len(dry.Links.List))
	equal(t, "the first", LinkOutcome{File: "C/Linker.md", Line: 2, Link: "Alpha", To: "Gamma Ray", Outcome: linkRewritten}, dry.Links.List[0])
	equal(t, "a canvas", LinkOutcome{File: "board.canvas", Link: "A/Alpha.md", To: "A/Gamma Ray.md", Outcome: linkRewritten}, dry.Links.List[16])
	dry.DryRun, dry.Links.List = false, nil
	equal(t, "a dry run says what happens", out, dry)
	equal(t, "links", now+"\r\nend", b.get("C/Linker.md"))
	equal(t, "canvas", `{"nodes":[{"id":"1","type":"file","file":"A/Gamma Ray.md"},{"type":"text","text":"see [[Gamma Ray]] \"q\""}],"edges":[]}`, b.get("board.canvas"))
	equal(t, "page", "see [[Beta]] and [b](../B/Beta.md)\n", b.get("A/Gamma Ray.md"))
	if out.Links.Rewritten != 18 || out.Links.Left != 0 {
		t.Errorf("%+v", out.Links)
	}
}

// A rename in letter case alone leaves links as they are, and relative wikilinks stay
// relative.
func TestMoveKeepsFormsOfLinks(t *testing.T) {
	b := open(t, map[string]string{".obsidian/app.json": "{}", "A/Alpha.md": "", "A/x.md": "[[Alpha]] [[../root]] [[./Alpha]] [[alpha|a]]\n", "root.md": "[[A/Alpha]] [a](A/Alpha.md)\n"}, nil)
	call[MovePageOut](b, "move_page", `{"sourcePath":"A/Alpha.md","destinationPath":"A/ALPHA.md"}`)
	equal(t, "links by name", "[[Alpha]] [[../root]] [[./Alpha]] [[alpha|a]]\n", b.get("A/x.md"))
	call[MovePageOut](b, "move_page", `{"sourcePath":"root.md","destinationPath":"Root page.md"}`)
	equal(t, "relative link", "[[Alpha]] [[../Root page]] [[./Alpha]] [[alpha|a]]\n", b.get("A/x.md"))
	call[MovePageOut](b, "move_page", `{"sourcePath":"A/x.md","destinationPath":"A/Deep/x.md"}`)
	equal(t, "relative links of a page that moves", "[[Alpha]] [[../../Root page]] [[../ALPHA]] [[alpha|a]]\n", b.get("A/Deep/x.md"))
}

// A folder without a page moves with its attachments, and embeds by path follow.
func TestMoveFolder(t *testing.T) {
	b := open(t, map[string]string{
		".obsidian/app.json": "{}", "F/a.md": "![[F/pics/i.png]] ![](pics/i.png) [[b]]\n", "F/pics/i.png": "png", "F/b.md": "", "F/Empty/": "",
		"H/x.md": "![[F/pics/i.png]] [[F/a]] [[a]]\n", "H/y.md": "",
	}, nil)
	b.refused("move_page", `{"sourcePath":"F","destinationPath":"F/Deep"}`, "INVALID")
	b.refused("move_page", `{"sourcePath":"F","destinationPath":"H/y.md"}`, "INVALID")
	out := call[MovePageOut](b, "move_page", `{"sourcePath":"F","destinationPath":"H"}`)
	equal(t, "new path", "H/F", out.NewPath)
	want := map[string]string{
		".obsidian/app.json": "{}", "H/F/a.md": "![[H/F/pics/i.png]] ![](pics/i.png) [[b]]\n", "H/F/pics/i.png": "png", "H/F/b.md": "",
		"H/x.md": "![[H/F/pics/i.png]] [[H/F/a]] [[a]]\n", "H/y.md": "",
	}
	equal(t, "files", want, b.files())
	out = call[MovePageOut](b, "move_page", `{"sourcePath":"H/F","destinationPath":"G"}`)
	equal(t, "renamed", "G", out.NewPath)
}

// Of several pages with a name the one in the root counts first, then the one beside the
// link, then the one with the shortest path; and a link that still leads there stays.
func TestLinksOfEqualNames(t *testing.T) {
	for _, marker := range []string{".obsidian/app.json", "mkdocs.yml"} {
		b := open(t, map[string]string{
			marker: "{}", "a/todo.md": "", "b/todo.md": "", "b/loc.md": "[[todo]] [[W]]\n", "a/b/log.md": "", "zzzz/log.md": "", "W.md": "",
			"c/x.md": "[[log]] [[todo]] ![[p.png]]\n", "c/p.png": "", "p.png": "", "Q.md": "", "Q/y.md": "",
		}, nil)
		out := call[GetPageLinksOut](b, "get_page_links", `{"path":"c/x.md"}`).Outgoing
		equal(t, "shortest path", "a/b/log.md", out[0].Path)
		equal(t, "two as short", []string{"a/todo.md", "b/todo.md"}, out[1].Candidates)
		equal(t, "exact path of an attachment", "p.png", out[2].Path)
		call[MovePageOut](b, "move_page", `{"sourcePath":"b/todo.md","destinationPath":"b/done.md"}`)
		call[MovePageOut](b, "move_page", `{"sourcePath":"W.md","destinationPath":"Q/W.md"}`)
		equal(t, "links beside", "[[done]] [[W]]\n", b.get("b/loc.md"))
		call[MovePageOut](b, "move_page", `{"sourcePath":"a/b/log.md","destinationPath":"Q/longer.md"}`)
		equal(t, "links", "[[longer]] [[todo]] ![[p.png]]\n", b.get("c/x.md"))
	}
}

// After any move every link that led to one place leads to the same place.
func TestMovesKeepTargets(t *testing.T) {
	runtest.InOrder(t)
	for seed := range runtest.Seeds(60, 20, 8) {
		rng := rand.New(rand.NewPCG(uint64(seed), 17))
		files := randomVault(rng)
		b := open(t, files, nil)
		for range 4 {
			pages := slices.DeleteFunc(slices.Sorted(maps.Keys(b.files())), func(f string) bool { return !strings.HasSuffix(f, ".md") })
			from := pages[rng.IntN(len(pages))]
			to := []string{"A/", "B/", "A/B/", ""}[rng.IntN(4)] + []string{"One", "Two", "Three", "Four", "one", "Café"}[rng.IntN(6)] + ".md"
			before := targets(b)
			answer, ok := b.try("move_page", fmt.Sprintf(`{"sourcePath":%q,"destinationPath":%q}`, from, to))
			if !ok {
				continue
			}
			moved := map[string]string{from: to}
			inside, dest := strings.TrimSuffix(from, ".md")+"/", strings.TrimSuffix(to, ".md")+"/"
			for f := range before.files {
				if rest, below := strings.CutPrefix(f, inside); below {
					moved[f] = dest + rest
				}
			}
			after := targets(b)
			for at, leads := range before.links {
				page, nth, _ := strings.Cut(at, " ")
				if to, was := moved[page]; was {
					page = to
				}
				want := leads
				if to, was := moved[leads]; was {
					want = to
				}
				if got := after.links[page+" "+nth]; got != want && leads != "" {
					t.Fatalf("seed %d: %s to %s: link %s led to %s and leads to %q\n%s\n%q", seed, from, to, at, leads, got, answer, b.files())
				}
			}
		}
	}
}

func randomVault(rng *rand.Rand) map[string]string {
	files := map[string]string{}
	if rng.IntN(2) == 0 {
		files[".obsidian/app.json"] = "{}"
	}
	names := []string{"One", "Two", "Three", "A/One", "A/Two", "B/One", "A/B/Four", "B/Café", "A/B/Two", "A"}
	places := slices.Clone(names)
	rng.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	for _, place := range places[:5+rng.IntN(5)] {
		var text strings.Builder
		for range rng.IntN(6) {
			to := names[rng.IntN(len(names))]
			switch rng.IntN(7) {
			case 0:
				fmt.Fprintf(&text, "[[%s]]\n", to)
			case 1:
				fmt.Fprintf(&text, "[[%s|t]]\n", path.Base(to))
			case 2:
				fmt.Fprintf(&text, "[t](%s.md)\n", links.Escape(relativePath(path.Dir(place), to)))
			case 3:
				fmt.Fprintf(&text, "[t](/%s.md)\n", links.Escape(to))
			case 4:
				fmt.Fprintf(&text, "[t](%s.md)\n", links.Escape(path.Base(to)))
			case 5:
				fmt.Fprintf(&text, "[[./%s]] ![[A/pic.png]]\n", path.Base(to))
			default:
				fmt.Fprintf(&text, "![](%s)\n", relativePath(path.Dir(place), "A/pic.png"))
			}
		}
		files[place+".md"] = text.String()
	}
	files["A/pic.png"] = "png"
	return files
}

type linkTargets struct {
	files map[string]string
	links map[string]string // page and number of the link: the file it leads to; empty: none or several
}

// targets resolves every link by the rules of the applications.
func targets(b *testNotebook) linkTargets {
	t := linkTargets{b.files(), map[string]string{}}
	rules := newLinkRules(t.files)
	for page, text := range t.files {
		if !strings.HasSuffix(page, ".md") {
			continue
		}
		for i, l := range links.Scan(text, 0) {
			t.links[fmt.Sprintf("%s %d", page, i)] = rules.leads(page, l)
		}
	}
	return t
}

// Links follow a file whose name is written with combining accents, as macOS writes
// them, however the links write it: as it is, composed, and percent-encoded.
func TestMoveOfDecomposedName(t *testing.T) {
	composed, decomposed := "Caf\u00e9", "Cafe\u0301"
	for _, marker := range []string{".obsidian/app.json", "mkdocs.yml"} {
		b := open(t, map[string]string{
			marker: "{}", "A/" + decomposed + ".md": "x\n", "A/" + decomposed + ".png": "png",
			"from.md": "[a](A/Caf%C3%A9.md) [b](A/Cafe%CC%81.md) [c](A/" + composed + ".md) [[A/" + composed + "]] [[" + decomposed + "]]\n" +
				"![](A/Caf%C3%A9.png) [ref]\n\n[ref]: A/Caf%c3%a9.md\n",
		}, nil)
		out := call[MovePageOut](b, "move_page", `{"sourcePath":"A/`+decomposed+`.md","destinationPath":"B/New.md"}`)
		want := "[a](B/New.md) [b](B/New.md) [c](B/New.md) [[B/New]] [[New]]\n![](A/Caf%C3%A9.png) [ref]\n\n[ref]: B/New.md\n"
		equal(t, "links beside "+marker, want, b.get("from.md"))
		equal(t, "report beside "+marker, LinkReport{Rewritten: 6}, out.Links)
		call[MovePageOut](b, "move_page", `{"sourcePath":"A","destinationPath":"C"}`)
		equal(t, "embed beside "+marker, strings.Replace(want, "(A/Caf%C3%A9.png)", "(C/"+decomposed+".png)", 1), b.get("from.md"))
	}
}
