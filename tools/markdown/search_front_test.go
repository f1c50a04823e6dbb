package markdown

import (
	"fmt"
	"strings"
	"testing"
)

// What stands in front matter is found by words, and a match says where.
func TestWordsInFrontMatter(t *testing.T) {
	b := open(t, map[string]string{
		"f.md":      "---\nauthor: Jane Quokkason\naliases: [Zippy Name]\nbook:\n  isbn: \"978-0\"\n  editors: [Abe, Numbat]\ndescription: >\n  Of a wombat\n  and others\n---\n\nbody\n",
		"title.md":  "---\ncreated: 2026-01-01\ntitle: Echidna\n---\n\nechid\n",
		"Potoro.md": "text\n",
		"t.md":      "+++\ntitle = \"Bilby\"\ntags = [\"finance\"]\nauthors = [\"Ann Dunnart\"]\n[params]\nsubject = \"Kowari\"\n+++\n\nbody\n",
		"zola.md":   "+++\ndate = 2026-02-03\n[taxonomies]\ntags = [\"rust\"]\n+++\n",
		"bad.md":    "---\nauthor: [Quoll\n---\n\nbody\n",
	}, nil)
	for query, want := range map[string]string{
		"Quokkason": "f.md:2 property: author", "zippy": "f.md:3 property: aliases", "numbat": "f.md:6 property: book.editors", "978-0": "f.md:5 property: book.isbn",
		"wombat": "f.md:8 property: description", "echidna": "title.md:3 title", "potoro": "Potoro.md:0 title", "bilby": "t.md:2 title", "dunnart": "t.md:4 property: authors",
		"kowari": "t.md:6 property: params.subject", "finance": "t.md:3 property: tags", "rust": "zola.md:4 property: tags", "quoll": "bad.md:2 front matter",
	} {
		got := []string{}
		for _, m := range call[SearchPagesOut](b, "search_pages", fmt.Sprintf(`{"query":%q}`, query)).Matches {
			got = append(got, fmt.Sprintf("%s:%d %s", m.Path, m.MatchLine, m.Match))
		}
		equal(t, query, want, strings.Join(got, ", "))
	}
	for property, want := range map[string]int{
		"book.editors=numbat": 1, "book.isbn": 1, "book": 1, "params.subject=kowari": 1, "date>2026-02-01": 1, "title=Bilby": 1, "book.isbn=x": 0,
	} {
		equal(t, property, want, call[SearchPagesOut](b, "search_pages", fmt.Sprintf(`{"property":%q}`, property)).Total)
	}
	equal(t, "tag of TOML", 1, call[SearchPagesOut](b, "search_pages", `{"tag":"finance"}`).Total)
	b.refused("edit_page", `{"path":"t.md","action":"replace","property":"title","content":"x"}`, "INVALID")
}

// An answer never says that nothing has a word which a filter left out.
func TestFiltersLeaveOutWords(t *testing.T) {
	b := open(t, map[string]string{
		"a/one.md": "numbat\n- [x] feed the quoll\n", "b/two.md": "---\ntags: [work]\n---\n\nother\n", "b/three.md": "numbatt\n- [ ] other\n",
	}, nil)
	for _, args := range []string{
		`"query":"numbat","tag":"work"`, `"query":"numbat","path":"b/two"`, `"query":"numbat","property":"x"`, `"query":"numbat","kind":"line","path":"b/two"`,
		`"query":"quoll","kind":"task","tasks":"open"`, `"query":"mbat","mode":"exact","tag":"work"`, `"query":"numbat","mode":"fuzzy","tag":"work"`,
	} {
		out := call[SearchPagesOut](b, "search_pages", "{"+args+"}")
		if out.Total != 0 || !strings.Contains(out.Note, " match. ") && !strings.HasSuffix(out.Note, " match.") || strings.HasPrefix(out.Note, "No page has") {
			t.Errorf("%s: %+v", args, out)
		}
	}
	if out := call[SearchPagesOut](b, "search_pages", `{"query":"wombat","tag":"work"}`); strings.Contains(out.Note, "match") {
		t.Errorf("%+v", out)
	}
}

// A fuzzy search falls back as one by words does.
func TestFuzzyFallsBack(t *testing.T) {
	b := open(t, map[string]string{"a.md": "the architecture of it\n", "b.md": "a numbat\n"}, nil)
	for query, want := range map[string]string{
		"archit": "a.md", "architectrue zzzzzz": "a.md", "zzzzzz numbat": "b.md", "architectrue": "a.md", "archit zzzzz": "a.md", "zzzzz": "",
	} {
		out := call[SearchPagesOut](b, "search_pages", fmt.Sprintf(`{"query":%q,"mode":"fuzzy"}`, query))
		got := ""
		for _, m := range out.Matches {
			got += m.Path
		}
		equal(t, query, want, got)
	}
}
