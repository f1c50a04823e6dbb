package cards_test

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// do sends a request with a token and returns the status and the answer.
func (w *wiki) do(t testing.TB, token, method, path, body string) (int, map[string]any) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	var answer map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%s %s: %d %s: %v", method, path, rec.Code, rec.Body, err)
	}
	return rec.Code, answer
}

// Match modes find what they say on both databases.
func TestMatchModes(t *testing.T) {
	runtest.InOrder(t)
	play := func(t *testing.T, database string) {
		w := openWiki(t, database, time.Now)
		_, key, err := w.auth.MakeKey(t.Context(), keyOf("search"))
		if err != nil {
			t.Fatal(err)
		}
		w.key = key
		token := w.roleToken(t, "admin")
		for name, content := range map[string]string{
			"Salt": "The salt guild rakes salt.", "Saltire": "A saltire is no salty thing.", "Quay": "Old SALT, and a guild.", "Star": "a*b and [c] and café_x",
		} {
			if code, answer := w.do(t, token, "POST", "/cards", jsonOf(t, map[string]any{"name": name, "type": "PlainText", "content": content})); code != 201 {
				t.Fatal(answer)
			}
		}
		for query, want := range map[string]string{
			"q=salt&search_in=content":                                           "Quay Salt Saltire",
			"q=salt&search_in=content&match_mode=whole_word":                     "Quay Salt",
			"q=salt&search_in=content&match_mode=whole_word&case_sensitive=true": "Salt",
			"q=salt+guild&search_in=content&match_mode=phrase":                   "Salt",
			"q=guild+salt&search_in=content&match_mode=phrase":                   "",
			"q=a*b&search_in=content&match_mode=whole_word":                      "Star",
			"q=a.b&search_in=content&match_mode=whole_word":                      "",
			"q=[c]&search_in=content&match_mode=whole_word":                      "Star",
			"q=caf&search_in=content&match_mode=whole_word":                      "",
			"q=salt":                       "Salt Saltire",
			"q=salt&match_mode=whole_word": "Salt",
		} {
			v, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			_, answer := w.do(t, token, "GET", "/cards?include_virtual=true&"+v.Encode(), "")
			var names []string
			for _, c := range answer["cards"].([]any) {
				names = append(names, c.(map[string]any)["name"].(string))
			}
			if got := strings.Join(sorted(names), " "); got != want || int(answer["total"].(float64)) != len(names) {
				t.Errorf("%s: %q of %v, want %q", query, got, answer["total"], want)
			}
		}
	}
	t.Run("sqlite", func(t *testing.T) { play(t, t.TempDir()) })
	t.Run("postgres", func(t *testing.T) { play(t, postgres.Database(t)) })
}

// The sample is forty cards, of which players see those that are for them.
func TestSample(t *testing.T) {
	runtest.InOrder(t)
	w := openConfigured(t, t.TempDir(), `"sample":true`)
	for role, want := range map[cardstore.Role]int{cardstore.Admin: 40, cardstore.User: 34} {
		_, before, err := w.store.Search(t.Context(), cardstore.Caller{Account: "mcp-" + string(role), Role: role}, cardstore.Search{WithVirtual: true, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		empty := openWiki(t, t.TempDir(), time.Now)
		_, seeded, err := empty.store.Search(t.Context(), cardstore.Caller{Account: "mcp-" + string(role), Role: role}, cardstore.Search{WithVirtual: true, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := before - seeded; got != want {
			t.Errorf("role %s sees %d cards of the sample, want %d", role, got, want)
		}
	}
}

// A search reads what it finds and not the wiki, in a small wiki too that was written
// just now: PostgreSQL looks through what is not in the index yet, and reads the whole
// table instead if that is much.
func TestSearchReadsTheIndex(t *testing.T) {
	runtest.InOrder(t)
	w := newWiki(t, postgres.Database(t))
	fillWiki(t, w.store, 4000)
	for column, index := range map[string]string{"plain": "card_plain", "words": "card_words"} {
		plan, err := sqlstore.Select(t.Context(), w.store.DB().Reader(), func(row sqlstore.Row) (line string, err error) { return line, row.Scan(&line) },
			"EXPLAIN SELECT count(*) FROM card c WHERE +c.trash = 0 AND c.class_id IN (1, 2) AND c."+column+" LIKE ?", "%"+rareWord(3)+"%")
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(plan, "\n"); !strings.Contains(text, "Bitmap Index Scan on "+index) {
			t.Errorf("a search in %s is\n%s", column, text)
		}
	}
}
