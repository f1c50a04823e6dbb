package links

import (
	"fmt"
	"slices"
	"testing"
)

// What a page of a Logseq graph links to, and where it is written.
func TestLinksOfGraphs(t *testing.T) {
	for text, want := range map[string][]string{
		"[[C#]] [[a|b]] [[a^b]]":                         {"C#", "a|b", "a^b"},
		"#tag, #[[two words]]. #a/b-c. #v1.0: #1":        {"tag", "two words", "a/b-c", "v1.0", "1"},
		"# Heading\n- ## Second #one":                    {"one"},
		"tags:: a, two words, [[c]], #d\n\n- tags:: e,f": {"a", "two words", "c", "d", "e", "f"},
		"title:: [[a]]\nalias:: [[b]], #c\n- [[d]]":      {"d"},
		"[text]([[page]]) [x](../pages/y.md)":            {"page", "../pages/y.md"},
		"x#y http://a/#b `#c`\n```\n#d\n```":             nil,
		"- a #x\n\t- b #y\n\t\t- c [[z]]":                {"x", "y", "z"},
		"**#bold** {{embed [[e]]}} (#f)":                 {"bold", "e", "f"},
	} {
		var got []string
		for _, l := range ScanGraph(text, 0) {
			got = append(got, l.Target)
			if written := text[l.Start:l.End]; written != l.Target {
				t.Errorf("%q: %q is at %q", text, l.Target, written)
			}
		}
		slices.Sort(got)
		if slices.Sort(want); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
