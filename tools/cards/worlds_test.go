package cards_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
	"github.com/lectern-mcp/lectern/tools/toolstest"
)

// Two worlds are the same but for cards that players may not read. Names are given to
// both sides of every hidden name beforehand, because they are cards of their own.
var (
	shownCards = [][3]string{
		{"Town", "RichText", "A town of wood. [[River]] {{Town+Player}} [[Vault]]"},
		{"River", "RichText", "A river by the [[Town]]."},
		{"Town+Player", "RichText", "What players know of the ORACLE."},
		{"Town+tags", "Pointer", "[[Place]]"},
		{"Place", "RichText", "A tag for places."},
		{"notes", "RichText", "A part of names."},
		{"kid", "RichText", "Another part of names."},
		{"List of all", "Pointer", "[[Town]]\n[[Vault]]\n[[River]]"},
		{"GM", "RichText", "A part of names."},
		{"AI", "RichText", "A part of names."},
		{"Terms", "PlainText", "ORACLE"},
	}
	hiddenCards = [][3]string{
		{"Vault", "RichText", "SECRET gold below the [[Town]] {{River}}, says the ORACLE"},
		{"Vault+*self+*read", "List", "[[Game Master]]"},
		{"Vault+kid", "RichText", "SECRET kid of the vault [[Town+Player]]"},
		{"Town+GM", "RichText", "SECRET of masters [[River]]"},
		{"Town+GM+notes", "RichText", "SECRET notes on the ORACLE"},
		{"River+AI", "RichText", "SECRET of machines"},
		{"Town+kid", "RichText", "SECRET kid of the town"},
		{"Town+kid+*self+*read", "List", "[[Administrator]]"},
		{"Vault+tags", "Pointer", "[[Place]]"},
	}
)

// What only administrators read; the rest of what players do not is in both worlds.
var adminCards = [][3]string{
	{"Vault", "RichText", "SECRET gold below the [[Town]] {{River}}, says the ORACLE"},
	{"Vault+*self+*read", "List", "[[Administrator]]"},
	{"Vault+kid", "RichText", "SECRET kid of the vault [[Town+Player]]"},
	{"Vault+GM", "RichText", "SECRET of the masters of the vault"},
	{"Town+kid", "RichText", "SECRET kid of the town"},
	{"Town+kid+*self+*read", "List", "[[Administrator]]"},
	{"Vault+tags", "Pointer", "[[Place]]"},
}

func newWorlds(t *testing.T, shown, hidden [][3]string) (with, without *wiki) {
	t.Helper()
	dir := t.TempDir()
	first := newWiki(t, filepath.Join(dir, "without"))
	admin := cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}
	put := func(w *wiki, cards [][3]string) {
		for _, c := range cards {
			if _, err := w.store.Create(t.Context(), admin, cardstore.NewCard{Name: c[0], Type: c[1], Content: c[2]}); err != nil {
				t.Fatalf("create %s: %v", c[0], err)
			}
		}
	}
	put(first, shown)
	for _, name := range []string{"Old vault", "Old town"} { // both are in the trash
		put(first, [][3]string{{name, "RichText", "what was there before"}})
		if _, err := first.store.Delete(t.Context(), admin, name); err != nil {
			t.Fatal(err)
		}
	}
	first.roleToken(t, "user") // makes the signing key
	if err := errors.Join(first.store.Close(), first.source.Close()); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "with"), os.DirFS(filepath.Join(dir, "without"))); err != nil {
		t.Fatal(err)
	}
	open := func(name string) *wiki {
		w := openWiki(t, filepath.Join(dir, name), time.Now)
		w.key = first.key
		return w
	}
	with, without = open("with"), open("without")
	put(with, hidden)
	return with, without
}

// newNumbers are ids and times of what a request has just made.
var newNumbers = regexp.MustCompile(`"(id|act_id)":\d+|"(updated_at|created_at|acted_at|deleted_at|timestamp)":"[^"]*"`)

func (w *wiki) ask(t *testing.T, token, method, path, body string) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	var headers []string
	for name, values := range rec.Header() {
		if name != "X-Token-Expires-In" && (name != "Etag" || method == "GET") {
			headers = append(headers, name+": "+strings.Join(values, ", "))
		}
	}
	slices.Sort(headers)
	text := rec.Body.String()
	if method != "GET" || path == "/health" {
		text = newNumbers.ReplaceAllString(text, `"$1$2":0`)
	}
	return fmt.Sprintf("%d\n%s\n%s", rec.Code, strings.Join(headers, "\n"), text)
}

// aRequest is a request that does not name a hidden card to be created or renamed to.
func aRequest(r *rand.Rand) (method, path, body string) {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	names := []string{
		"Town", "River", "Vault", "Vault+kid", "Vaults", "Vault+nobody", "Nobody", "Nobody+kid", "Town+kid", "Town+notes", "Town+GM", "Town+GM+notes", "Nobody+GM", "River+AI", "River+GM",
		"Town+Player", "Old vault", "List of all", "Vault+*self+*read", "Nobody+*self+*read", "Vault+tags", "Town+tags", "~2", "~5", ":basic", "RichText", "Terms", "GM", "vault", "Town+AI+x",
	}
	name := pick(names...)
	card := "/cards/" + strings.ReplaceAll(url.PathEscape(name), "%2B", "+")
	words := pick("SECRET", "ORACLE", "town", "gold", "Vault", "kid", "SEC", "or", "A", "notes")
	page := fmt.Sprintf("limit=%d&offset=%d", 1+r.IntN(5), r.IntN(4))
	quoted := fmt.Sprintf("%q", name)
	switch r.IntN(22) {
	case 0, 1:
		return "GET", card + pick("", "?rendered=true"), ""
	case 2:
		return "GET", card + "/" + pick("referers", "linked_by", "nested_in", "nests", "links", "outline", "history", "file_url", "file"), ""
	case 3:
		return "GET", card + "/children?depth=" + pick("1", "2", "5") + "&" + page, ""
	case 4:
		return "GET", card + "/search_content?query=" + words, ""
	case 5, 6:
		return "GET", "/cards?q=" + words + "&search_in=" + pick("name", "content", "both") + "&include_virtual=" + pick("true", "false") + "&" + page + pick("", "&highlight=true", "&case_sensitive=true", "&updated_since=2020-01-01"), ""
	case 7:
		return "GET", "/cards?prefix=" + url.QueryEscape(name) + "&" + page, ""
	case 8:
		return "GET", "/cards?include_virtual=true&" + pick("not_name=*own*", "tag=Place", "type=Pointer", "type=RichText", "updated_since=2020-01-01") + "&" + page, ""
	case 9:
		return "POST", "/run_query", fmt.Sprintf(`{"query": {"name": ["match", %q], "content": %q}, "limit": 3}`, pick("o", "Vault", "Town"), words)
	case 10:
		return "POST", "/run_query", `{"query": {"prefix": ` + quoted + `}}`
	case 11:
		return "PATCH", card, `{"patch": {"mode": "find_replace", "find": "` + words + `", "replace": "x", "dry_run": true}}`
	case 12:
		return "PATCH", card, pick(`{}`, `{"content": "x", "dry_run": true}`, `{"type": "Nope"}`, `{"type": "Phrase", "dry_run": true}`)
	case 13:
		return "DELETE", card, ""
	case 14:
		return "PUT", card + "/rename", `{"new_name": "Elsewhere"}`
	case 15:
		return "POST", card + "/restore", `{"from_trash": true}`
	case 16:
		return "POST", "/cards/batch", `{"dry_run": true, "ops": [{"action": "update", "name": ` + quoted + `, "content": "x"}, {"action": "update", "name": "River", "content": "y"}]}`
	case 17:
		return "POST", "/validation/suggest_improvements", `{"name": ` + quoted + `}`
	case 18:
		return "GET", pick("/types", "/types/Vault", "/types/RichText", "/trash", "/admin/api_keys", "/health", "/nothing"), ""
	case 19:
		return "POST", "/cards/batch", `{"ops": [{"action": "` + pick("update", "delete", "") + `", "name": ` + quoted + `, "patch": {"mode": "append", "content": ""}}]}`
	case 20:
		return "GET", card + "/history/" + pick("1", "99999999", "x"), ""
	}
	return "POST", "/render", `{"html": ` + quoted + `}`
}

// TestTwoWorlds asks the same of a wiki with and of one without what the caller may
// not read: every answer is the same, to the byte.
func TestTwoWorlds(t *testing.T) {
	masters := append(slices.Clone(shownCards), [3]string{"Town+GM", "RichText", "of masters [[River]]"}, [3]string{"River+AI", "RichText", "of machines"})
	for role, cards := range map[string][2][][3]string{"user": {shownCards, hiddenCards}, "gm": {masters, adminCards}} {
		t.Run(role, func(t *testing.T) {
			with, without := newWorlds(t, cards[0], cards[1])
			r := rand.New(rand.NewPCG(1, 2))
			a, b := with.roleToken(t, role), without.roleToken(t, role)
			requests := 2000
			if toolstest.UnderRace {
				requests = 300
			}
			for i := range requests {
				method, path, body := aRequest(r)
				if one, other := with.ask(t, a, method, path, body), without.ask(t, b, method, path, body); one != other {
					t.Fatalf("request %d: %s %s %s\nwith what is hidden:\n%s\n\nwithout:\n%s", i, method, path, body, one, other)
				}
			}
		})
	}
}
