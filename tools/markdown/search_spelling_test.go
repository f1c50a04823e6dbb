package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
)

// Misspelled words find what was meant, where nothing else is found or where that is
// asked for.
func TestSearchSpelling(t *testing.T) {
	for _, indexed := range []bool{false, true} {
		t.Run(fmt.Sprint("indexed ", indexed), func(t *testing.T) {
			files := map[string]string{
				"Sun.md": "---\ntags: [planning]\n---\n# Orbit\nThe perihelion of 2026 is near.\n- [ ] reseive data\n", "Moon.md": "A perigee, and the Périhélion.\n", "Word.md": "cat planet plane\n",
			}
			if indexed {
				for i := range minIndexed {
					files[fmt.Sprintf("Many/%d.md", i)] = "nothing much\n"
				}
			}
			b := open(t, files, nil)
			for _, c := range []struct{ args, want, note string }{
				{`"query":"perihelon"`, "Moon.md:1 Sun.md:5", "spelled like"},
				{`"query":"pehrielion near","mode":"fuzzy"`, "Sun.md:5", ""},
				{`"query":"pehrielion naer"`, "Sun.md:5", "spelled like"},
				{`"query":"receive","kind":"task"`, "Sun.md:6", "spelled like"},
				{`"query":"perigge","kind":"line"`, "Moon.md:1", "spelled like"},
				{`"query":"orbti","kind":"heading"`, "Sun.md:4", "spelled like"},
				{`"query":"planet"`, "Word.md:1", ""},
				{`"query":"planet","mode":"fuzzy"`, "Word.md:1", ""},
				{`"query":"planed","mode":"fuzzy"`, "Word.md:1", ""},
				{`"query":"\"the perihelion\" naer","mode":"fuzzy"`, "Sun.md:5", ""},
				{`"query":"2027"`, "", "No page"},
				{`"query":"cap"`, "", "No page"},
				{`"query":"zzzzzz"`, "", "No page"},
				{`"query":"perihelon","path":"Many"`, "", ""},
				{`"query":"perihelon","mode":"exact"`, "", ""},
				{`"tag":"planing"`, "", "there is planning"},
				{`"query":"x","tag":"#planing"`, "", "there is planning"},
			} {
				if !indexed && strings.Contains(c.args, "Many") {
					continue
				}
				out := call[SearchPagesOut](b, "search_pages", "{"+c.args+"}")
				var got []string
				for _, m := range out.Matches {
					got = append(got, fmt.Sprintf("%s:%d", m.Path, m.MatchLine))
				}
				if strings.Join(got, " ") != c.want && strings.Join(reversed(got), " ") != c.want || !strings.Contains(out.Note, c.note) {
					t.Errorf("%s: %v %q", c.args, got, out.Note)
				}
				if out.Note != strings.TrimSpace(out.Note) {
					t.Errorf("%s: the note %q begins or ends with a blank", c.args, out.Note)
				}
			}
		})
	}
}

func reversed(names []string) (back []string) {
	for _, n := range names {
		back = append([]string{n}, back...)
	}
	return back
}

// Words of hidden pages are spelled like nothing, whether they were hidden from the
// beginning or by an edit.
func TestSearchSpellingKeepsHidden(t *testing.T) {
	dir := t.TempDir()
	indexed, plain := openPair(t, dir, []string{"Private", "#secret"})
	b := &testNotebook{t: t, dir: dir}
	b.put("a.md", "open words, and a helicopter\n")
	b.put("Private/x.md", "perihelion\n")
	b.put("b.md", "perihelion and helicopters\n")
	for _, n := range []*Notebook{indexed, plain} {
		out, err := n.SearchPages(t.Context(), SearchPagesIn{Query: "perihelon", Limit: 10})
		if err != nil || out.Total != 1 {
			t.Errorf("%+v, %v", out, err)
		}
	}
	b.put("b.md", "perihelion and helicopters #secret\n")
	for _, n := range []*Notebook{indexed, plain} {
		for query, want := range map[string]int{"perihelon": 0, "helicopterz": 1} {
			out, err := n.SearchPages(t.Context(), SearchPagesIn{Query: query, Limit: 10})
			if err != nil || out.Total != want {
				t.Errorf("%s: %+v, %v", query, out, err)
			}
		}
	}
	now, err := indexed.look(t.Context())
	if err != nil || now.x == nil {
		t.Fatal(err)
	}
	speller := index.NewSpeller([][]string{{"perihelon"}})
	if err := now.x.Spell(t.Context(), speller); err != nil {
		t.Fatal(err)
	}
	if found, any := speller.Spellings(); any {
		t.Errorf("the index still has %q", found)
	}
}

// Filters compare properties as numbers, days and text, and select by links to files.
func TestSearchFilters(t *testing.T) {
	b := open(t, map[string]string{
		"a.md": "---\nrating: 4\ncreated: 2026-11-01\n---\n![[i.png]]\n", "b.md": "---\nrating: 10\ncreated: 2026-11-20T09:00:00Z\nstatus: done\n---\n[x](assets/f.pdf)\n", "c.md": "---\nrating: none\ndue: 2026-12-24\n---\n[[a]]\n",
		"assets/i.png": "", "assets/f.pdf": "",
	}, nil)
	for args, want := range map[string]string{
		`"property":"rating>4"`: "b.md", `"property":"rating >= 4"`: "a.md b.md", `"property":"rating<5"`: "a.md", `"property":"rating!=4"`: "b.md c.md",
		`"property":"created>=2026-11-20"`: "b.md", `"property":"created>2026-11-20"`: "", `"property":"created>7d"`: "b.md", `"property":"created<7d"`: "a.md", `"property":"due<=2026-12-24"`: "c.md",
		`"property":"status=done"`: "b.md", `"property":"status"`: "b.md", `"links":"attachment"`: "a.md b.md", `"since":"2000-01-01..2001-01-01"`: "", `"since":"2001-01-01..","property":"due"`: "c.md", `"since":"..2001-01-01"`: "",
	} {
		out := call[SearchPagesOut](b, "search_pages", "{"+args+"}")
		var got []string
		for _, m := range out.Matches {
			got = append(got, m.Path)
		}
		equal(t, args, want, strings.Join(got, " "))
	}
	for _, args := range []string{`"property":">4"`, `"property":"a!b"`, `"property":"a>"`, `"since":"x..y"`, `"since":"2026-01-01..y"`} {
		b.refused("search_pages", "{"+args+"}", "INVALID")
	}
}
