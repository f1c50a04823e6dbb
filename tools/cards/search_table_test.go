package cards_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// searchedCards are what the table of searches is about: name, type and content.
var searchedCards = [][3]string{
	{"Salt", "RichText", "<p>The <strong>Salt</strong> Guild controls the old harbour &amp; docks.</p>"},
	{"Harbour", "RichText", "<h2>Ships</h2><p>Har<em>bour</em>s lie<br>low. caf\u00e9</p><ul><li>one</li><li>two</li></ul>"},
	{"Zürich", "RichText", "<p>city of ÄRGER &lt;b&gt; and 5 &gt; 4</p>"},
	{"Zürcher", "PlainText", "cafe\u0301 and <b>tags</b> & signs; a_b 100% c\\d [x] \"q\" it's"},
	{"大阪城", "RichText", "<p>新大阪城の<b>天守</b>閣 is a castle</p>"},
	{"서울", "PlainText", "서울은 도시다"},
	{"50%", "PlainText", "x y z"},
	{"Light+House", "RichText", "<p>LIGHT houses</p>"},
	{"Lighthouse", "Phrase", "a light\u00a0house  stands"},
	{"Salt+GM+Plan", "RichText", "<p>salty plans</p>"},
}

// The same search finds the same cards in both databases.
func TestSearchTable(t *testing.T) {
	runtest.InOrder(t)
	find := func(t *testing.T, database string) map[string]string {
		w := openWiki(t, database, time.Now)
		_, key, err := w.auth.MakeKey(t.Context(), keyOf("table"))
		if err != nil {
			t.Fatal(err)
		}
		w.key = key
		token := w.roleToken(t, "admin")
		for _, c := range searchedCards {
			if code, answer := w.do(t, token, "POST", "/cards", jsonOf(t, map[string]string{"name": c[0], "type": c[1], "content": c[2]})); code != 201 {
				t.Fatal(answer)
			}
		}
		found := map[string]string{}
		for _, q := range []string{
			"salt", "SALT", "salt harbour", "harbour salt", "Salt Guild", "strong", "amp", "&", "docks", "harbours", "lielow", "onetwo", "two", "café", "cafe", "CAFÉ", "ärger", "ÄRGER", "<b>", "b", "a_b", "%", "100%", "c\\d", "[x]", "\"q\"", "it's", "大阪", "大", "天守閣",
			"서울", "zürich", "zu\u0308rich", "rich", "x y", "light house", "LIGHT", "plan", "guild old", "> 4", "\uffff", "nothing here",
		} {
			for _, in := range []string{"name", "content", "both"} {
				for _, mode := range []string{"substring", "phrase", "whole_word"} {
					for _, cased := range []string{"false", "true"} {
						v := url.Values{"q": {q}, "search_in": {in}, "match_mode": {mode}, "case_sensitive": {cased}, "include_virtual": {"true"}, "limit": {"100"}}
						_, answer := w.do(t, token, "GET", "/cards?"+v.Encode(), "")
						var names []string
						for _, c := range answer["cards"].([]any) {
							if name := c.(map[string]any)["name"].(string); slices.ContainsFunc(searchedCards, func(c [3]string) bool { return c[0] == name }) {
								names = append(names, name)
							}
						}
						found[strings.Join([]string{q, in, mode, cased}, "|")] = strings.Join(sorted(names), " ")
						page := v
						page.Set("limit", "1")
						_, first := w.do(t, token, "GET", "/cards?"+page.Encode(), "")
						if first["total"] != answer["total"] || len(first["cards"].([]any)) != min(1, len(answer["cards"].([]any))) {
							t.Errorf("%v: a page says %v, all %v", v, first["total"], answer["total"])
						}
					}
				}
			}
		}
		return found
	}
	one, two := find(t, t.TempDir()), find(t, postgres.Database(t))
	for search, names := range one {
		if two[search] != names {
			t.Errorf("%q finds %q in a file and %q in PostgreSQL", search, names, two[search])
		}
		if q, rest, _ := strings.Cut(search, "|name|"); rest != "" { // both is the union
			all := strings.Fields(names + " " + one[q+"|content|"+rest])
			if both := strings.Fields(one[q+"|both|"+rest]); !slices.Equal(slices.Compact(sorted(all)), sorted(both)) {
				t.Errorf("%q|both|%s finds %q, its parts %q", q, rest, both, all)
			}
		}
	}
	for search, want := range map[string]string{
		"salt harbour|content|substring|false": "Salt", "salt harbour|content|phrase|false": "", "Salt Guild|content|phrase|false": "Salt",
		"Salt Guild|content|phrase|true": "Salt", "SALT|content|substring|true": "", "SALT|name|substring|true": "", "SALT|name|substring|false": "Salt",
		"strong|content|substring|false": "", "amp|content|substring|false": "", "&|content|substring|false": "Salt Zürcher", "harbours|content|substring|false": "Harbour",
		"lielow|content|substring|false": "", "onetwo|content|substring|false": "", "café|content|substring|false": "Harbour Zürcher", "ärger|content|substring|false": "Zürich", "ärger|content|substring|true": "",
		"大阪|both|substring|false": "大阪城", "大阪|content|whole_word|false": "大阪城", "大|name|substring|false": "大阪城", "天守閣|content|substring|false": "大阪城", "서울|both|substring|false": "서울",
		"zu\u0308rich|name|substring|false": "Zürich", "rich|both|substring|false": "Zürich", "%|both|substring|false": "50% Zürcher", "LIGHT|name|substring|true": "", "LIGHT|content|substring|true": "Light+House",
		"light house|content|phrase|false": "Light+House Lighthouse", "light house|content|substring|false": "Light+House Lighthouse", "guild old|content|phrase|false": "", "> 4|content|phrase|false": "Zürich",
		"plan|content|whole_word|false": "", "nothing here|both|substring|false": "", "<b>|content|substring|false": "Zürcher Zürich",
	} {
		if got := one[search]; got != strings.Join(sorted(strings.Fields(want)), " ") {
			t.Errorf("%q finds %q, want %q", search, got, want)
		}
	}
	if len(one) < 200 {
		t.Error(fmt.Sprint(len(one), " searches"))
	}
}
