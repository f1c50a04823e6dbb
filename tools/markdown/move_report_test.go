package markdown

import (
	"fmt"
	"strings"
	"testing"
)

// A dry run of a move lists the links that it would change and those that it would
// leave, with why; the move itself counts them.
func TestMoveListsLinks(t *testing.T) {
	for name, c := range map[string]struct {
		files    map[string]string
		from, to string
		options  string
		want     LinkReport
	}{
		"rewritten": {
			map[string]string{"A/Alpha.md": "", "x.md": "a\n\n[[Alpha|t]] and [b](A/Alpha.md)\n"},
			"A/Alpha.md", "B/Beta.md", "",
			LinkReport{Rewritten: 2, List: []LinkOutcome{
				{File: "x.md", Line: 3, Link: "A/Alpha.md", To: "B/Beta.md", Outcome: linkRewritten},
				{File: "x.md", Line: 3, Link: "Alpha", To: "Beta", Outcome: linkRewritten},
			}},
		},
		"wikilinks that are left": {
			map[string]string{"A/Alpha.md": "", "x.md": "[[Alpha]] [b](A/Alpha.md)\n"},
			"A/Alpha.md", "B/Beta.md", `,"update_links":false`,
			LinkReport{Rewritten: 1, Left: 1, List: []LinkOutcome{
				{File: "x.md", Line: 1, Link: "Alpha", Outcome: linkLeft},
				{File: "x.md", Line: 1, Link: "A/Alpha.md", To: "B/Beta.md", Outcome: linkRewritten},
			}},
		},
		"a name that gets a twin": {
			map[string]string{"A/Bar.md": "", "Foo.md": "", "x.md": "[[Bar]]\n"},
			"Foo.md", "B/Bar.md", "",
			LinkReport{Rewritten: 1, List: []LinkOutcome{{File: "x.md", Line: 1, Link: "Bar", To: "A/Bar", Outcome: linkRewritten}}},
		},
		"a name that gets a twin and is left": {
			map[string]string{"A/Bar.md": "", "Foo.md": "", "x.md": "[[Bar]] [[Foo]]\n"},
			"Foo.md", "B/Bar.md", `,"update_links":false`,
			LinkReport{Left: 1, NewlyAmbiguous: 1, List: []LinkOutcome{
				{File: "x.md", Line: 1, Link: "Foo", Outcome: linkLeft}, {File: "x.md", Line: 1, Link: "Bar", Outcome: linkNewlyAmbiguous},
			}},
		},
		"ambiguous before": {
			map[string]string{"A/Bar.md": "", "B/Bar.md": "", "x.md": "[[Bar]]\n", "y.md": "caf\xe9\n"},
			"A/Bar.md", "C/Foo.md", "",
			LinkReport{Ambiguous: 1, Unreadable: 1, List: []LinkOutcome{
				{File: "x.md", Line: 1, Link: "Bar", Outcome: linkAmbiguous}, {File: "y.md", Outcome: linkUnreadable},
			}},
		},
	} {
		for _, indexed := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", indexed), func(t *testing.T) {
				c.files[".obsidian/app.json"] = "{}"
				b := open(t, c.files, nil)
				if indexed {
					indexAll(b)
				}
				args := fmt.Sprintf(`{"sourcePath":%q,"destinationPath":%q%s`, c.from, c.to, c.options)
				equal(t, "dry run", c.want, call[MovePageOut](b, "move_page", args+`,"dry_run":true}`).Links)
				want := c.want
				want.List = nil
				equal(t, "move", want, call[MovePageOut](b, "move_page", args+`}`).Links)
			})
		}
	}
}

// A list of links is bounded, and begins with what was left.
func TestMoveListIsBounded(t *testing.T) {
	files := map[string]string{".obsidian/app.json": "{}", "A.md": "", "B.md": ""}
	for i := range 30 {
		files[fmt.Sprintf("from %d.md", i)] = strings.Repeat("[[A]] ", 10)
	}
	files["z.base"] = "filters:\n  - file.hasLink(\"A\")\n"
	out := call[MovePageOut](open(t, files, nil), "move_page", `{"sourcePath":"A.md","destinationPath":"C.md","dry_run":true}`)
	equal(t, "counts", [2]int{300, 1}, [2]int{out.Links.Rewritten, out.Links.Left})
	equal(t, "listed", maxListedLinks, len(out.Links.List))
	equal(t, "first", LinkOutcome{File: "z.base", Line: 2, Link: "A", Outcome: linkLeft}, out.Links.List[0])
	if !strings.Contains(out.Note, "201 more links are not listed.") {
		t.Errorf("%q", out.Note)
	}
}

// References of bases are reported where a move takes their target away, and no byte
// of a base is changed.
func TestMoveReportsBases(t *testing.T) {
	const base = `filters:
  and:
    - file.inFolder("Projects")
    - 'file.hasLink("Alpha")'
    - "file.path == \"Projects/Alpha.md\""
    - link("Projects/Alpha")
    - note.status == "Alpha"
    - file.hasTag("Projects/Alpha tag")
views:
  - type: table
    name: "[[Alpha]] and [[Beta|b]]"
    filters: file.inFolder('Projects/Sub')
`
	for name, c := range map[string]struct {
		from, to string
		lines    []int
	}{
		"a page elsewhere":  {"Projects/Alpha.md", "Else/Alpha.md", []int{5, 6}},
		"a page renamed":    {"Projects/Alpha.md", "Projects/Omega.md", []int{4, 5, 6, 11}},
		"a folder":          {"Projects", "Work", []int{3, 5, 6, 12}},
		"a folder below it": {"Projects/Sub", "Sub", []int{12}},
		"another page":      {"Gamma.md", "Else/Gamma.md", nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, map[string]string{
				".obsidian/app.json": "{}", "Projects/Alpha.md": "", "Projects/Sub/Beta.md": "", "Gamma.md": "", "Views/All.base": base,
			}, nil)
			args := fmt.Sprintf(`{"sourcePath":%q,"destinationPath":%q`, c.from, c.to)
			dry := call[MovePageOut](b, "move_page", args+`,"dry_run":true}`)
			var lines []int
			for _, o := range dry.Links.List {
				if o.File == "Views/All.base" && o.Outcome == linkLeft {
					lines = append(lines, o.Line)
				}
			}
			equal(t, "lines", c.lines, lines)
			out := call[MovePageOut](b, "move_page", args+`}`)
			equal(t, "left", len(c.lines), out.Links.Left)
			if named := strings.Contains(out.Note, `References in bases are not rewritten: "Views/All.base".`); named != (c.lines != nil) {
				t.Errorf("note %q", out.Note)
			}
			equal(t, "base", base, b.get("Views/All.base"))
		})
	}
}
