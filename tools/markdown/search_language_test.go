package markdown

import (
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

// A query is words, phrases and conditions that are joined, with an index and without.
func TestSearchLanguage(t *testing.T) {
	b := open(t, map[string]string{
		"a.md":   "---\nstatus: active\nrating: 5\ntags: [work]\n---\n# A\n\nalpha beta C++\n- [ ] call Ada \U0001F4C5 2026-12-05\n",
		"b.md":   "---\nstatus: done\nrating: 3\n---\n# B\n\nalpha gamma\n- [ ] write beta #x\n- [x] old \U0001F4C5 2026-01-01\n",
		"c.md":   "# C\n\nbeta delta localhost:8080\nalpha full carpet\n",
		"p/d.md": "# D\n\nepsilon first draft\nstatus: active\n",
	}, nil)
	indexed, plain := openPair(t, b.dir, nil)
	for _, c := range []struct{ query, kind, want string }{
		{"alpha OR epsilon", "", "a b c p/d"},
		{"alpha -gamma", "", "a c"},
		{"-alpha", "", "p/d"},
		{`"first draft"`, "", "p/d"},
		{`"draft first"`, "", ""},
		{"alpha (gamma OR delta)", "", "b c"},
		{"alpha AND NOT (gamma OR delta)", "", "a"},
		{"status:active", "", "a"},
		{"-status:active", "", "b c p/d"},
		{"status:Active OR delta", "", "a c"},
		{"rating>=4", "", "a"},
		{"rating!=5", "", "b"},
		{"tag:work OR epsilon", "", "a p/d"},
		{"localhost:8080", "", "c"},
		{"C++", "", "a"},
		{"ＦＵＬＬ", "", "c"},
		{"path:p/", "", "p/d"},
		{"alpha -car", "", "a b c"},
		{"alpha -zeta zeta", "", "a b c"},
		{"alpha -alpha", "", ""},
		{"alpha -gamma", "line", "a:8 c:4"},
		{"due<2026-06-01", "task", "b:9"},
		{"call OR write -status:done", "task", "a:9 b:8"},
		{"-A", "heading", "b:5 c:1 p/d:1"},
		{"work OR x", "tag", "work x"},
		{"tag:work", "tag", "work"},
		{"-work", "tag", "x"},
	} {
		for _, n := range []*Notebook{indexed, plain} {
			out, err := n.SearchPages(t.Context(), SearchPagesIn{Query: c.query, Kind: SearchKind(c.kind), Limit: 50})
			var got []string
			for _, m := range out.Matches {
				name := strings.TrimSuffix(m.Path, ".md")
				switch c.kind {
				case "tag":
					name = m.Title
				case "line", "task", "heading":
					name += ":" + string(rune('0'+m.MatchLine))
				}
				got = append(got, name)
			}
			slices.Sort(got)
			if strings.Join(got, " ") != c.want || err != nil {
				t.Errorf("%s %s: %q, %v; want %q", c.query, c.kind, got, err, c.want)
			}
		}
	}
	for query, want := range map[string]string{
		"alpha (": "character 7", "a)": "character 2", "OR a": "character 1", "a OR": "character 3", `x "y`: "character 3", "tag:(a OR b)": "character 5",
	} {
		_, err := plain.SearchPages(t.Context(), SearchPagesIn{Query: query, Limit: 1})
		if e := tools.AsError(err); err == nil || e.Code != tools.Invalid || !strings.Contains(e.Message, want) {
			t.Errorf("%s: %v, want INVALID at %s", query, err, want)
		}
	}
}

// No answer says that nothing has the words where something has them that is left out.
func TestSearchSaysWhatConditionsLeaveOut(t *testing.T) {
	b := open(t, map[string]string{"a.md": "---\nstatus: done\n---\nalpha beta\n", "b.md": "gamma\n"}, nil)
	indexed, plain := openPair(t, b.dir, nil)
	for _, query := range []string{"alpha -beta", "alpha status:open", "alpha -status:done", "alpha path:b", "beta -tag:x -alpha"} {
		for _, n := range []*Notebook{indexed, plain} {
			out, err := n.SearchPages(t.Context(), SearchPagesIn{Query: query, Limit: 5})
			if err != nil || out.Total != 0 || !strings.Contains(out.Note, "1 match") {
				t.Errorf("%s: %+v, %v", query, out, err)
			}
		}
	}
}
