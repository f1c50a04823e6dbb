package cards_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// TestLeaks asks for what a real server was seen to tell, one leak a subtest. Vault is
// hidden by a rule of its own, Town+GM by its name.
func TestLeaks(t *testing.T) {
	runtest.InOrder(t)
	w := newWiki(t, t.TempDir())
	admin := cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}
	put := func(name, kind, content string) {
		t.Helper()
		if _, err := w.store.Create(t.Context(), admin, cardstore.NewCard{Name: name, Type: kind, Content: content}); err != nil {
			t.Fatal(err)
		}
	}
	const secret = "the oracle lies"
	put("Vault", "RichText", secret)
	put("Vault+*self+*read", "List", "Game Master")
	put("Crypt", "RichText", secret)
	put("Crypt+*self+*read", "List", "Administrator")
	put("Town", "RichText", "a town of wood {{Vault}} [[Vault]]")
	put("Town+GM", "RichText", secret)
	put("Terms", "PlainText", "oracle")
	user, gm, adminToken := w.roleToken(t, "user"), w.roleToken(t, "gm"), w.roleToken(t, "admin")
	// hides sends a request about a hidden card and one about a name that never was, and
	// wants the same answer, without the secret.
	hides := func(t *testing.T, method, path, body string) {
		t.Helper()
		hidden := w.ask(t, user, method, strings.ReplaceAll(path, "NAME", "Vault"), strings.ReplaceAll(body, "NAME", "Vault"))
		absent := w.ask(t, user, method, strings.ReplaceAll(path, "NAME", "Never"), strings.ReplaceAll(body, "NAME", "Never"))
		if strings.ReplaceAll(absent, "Never", "Vault") != hidden || strings.Contains(hidden, "oracle") {
			t.Errorf("%s %s %s\nhidden %s\nabsent %s", method, path, body, hidden, absent)
		}
		for _, name := range []string{"Vault", "Town+GM"} {
			if c, err := w.store.Get(t.Context(), admin, name); err != nil || c.Content != secret {
				t.Errorf("%s is %q, %v", name, c.Content, err)
			}
		}
		barred := w.ask(t, user, method, strings.ReplaceAll(path, "NAME", "Town+GM"), strings.ReplaceAll(body, "NAME", "Town+GM"))
		if strings.Contains(barred, "oracle") || strings.Contains(barred, `"status":"ok"`) {
			t.Errorf("%s %s of Town+GM: %s", method, path, barred)
		}
	}
	same := func(t *testing.T, method, path, right, wrong string) {
		t.Helper()
		a, b := w.ask(t, user, method, path, right), w.ask(t, user, method, path, wrong)
		if a != b {
			t.Errorf("%s %s: the right guess is answered\n%s\nand a wrong one\n%s", method, path, a, b)
		}
	}

	t.Run("1 empty patch", func(t *testing.T) { hides(t, "PATCH", "/cards/NAME", `{}`) })
	t.Run("2 append, batch update, upsert", func(t *testing.T) {
		hides(t, "PATCH", "/cards/NAME", `{"patch":{"mode":"append","content":"x"}}`)
		hides(t, "POST", "/cards/batch", `{"ops":[{"action":"update","name":"NAME","content":"x"}]}`)
		if _, answer := w.do(t, user, "POST", "/cards/batch", `{"ops":[{"action":"create","name":"Vault","content":"x","fetch_or_initialize":true}]}`); !strings.Contains(fmt.Sprint(answer), "is not available") {
			t.Errorf("an upsert: %v", answer)
		}
	})
	t.Run("3 find and replace as an oracle", func(t *testing.T) {
		hides(t, "PATCH", "/cards/NAME", `{"patch":{"mode":"find_replace","find":"oracle","replace":"x"}}`)
		same(t, "PATCH", "/cards/Vault", `{"patch":{"mode":"find_replace","find":"oracle","replace":"x"}}`, `{"patch":{"mode":"find_replace","find":"nothing","replace":"x"}}`)
	})
	t.Run("4 create with guessed content", func(t *testing.T) {
		same(t, "POST", "/cards", `{"name":"Vault","type":"RichText","content":"`+secret+`"}`, `{"name":"Vault","type":"RichText","content":"no"}`)
	})
	t.Run("5 totals of searches by date", func(t *testing.T) {
		if _, answer := w.do(t, user, "GET", "/cards?updated_since=2020-01-01&q=lies&search_in=content", ""); answer["total"] != 0.0 {
			t.Errorf("%v", answer)
		}
	})
	t.Run("6 results of a spoiler scan", func(t *testing.T) {
		_, answer := w.do(t, gm, "POST", "/jobs/spoiler-scan", `{"terms_card":"Terms","results_card":"Found"}`)
		if answer["matches"] != 0.0 {
			t.Errorf("players find the term: %v", answer)
		}
		if code, _ := w.do(t, user, "GET", "/cards/Found", ""); code != 404 {
			t.Errorf("a player reads the results: %d", code)
		}
	})
	t.Run("7 keys as cards", func(t *testing.T) {
		for _, path := range []string{"/admin/api_keys", "/cards/MCP+API+Keys+shared+metadata", "/cards/MCP%20API%20Keys+shared+key_hash"} {
			if code, answer := w.do(t, user, "GET", path, ""); code != 403 && code != 404 {
				t.Errorf("%s: %d %v", path, code, answer)
			}
		}
		_, _ = w.do(t, user, "POST", "/cards", `{"name":"MCP API Keys+shared+metadata","type":"PlainText","content":"{\"allowed_roles\":[\"admin\"]}"}`)
		_, key, err := w.auth.MakeKey(t.Context(), cardauth.APIKey{Name: "small", Roles: []cardstore.Role{cardstore.User}, RateLimit: 100})
		if err != nil {
			t.Fatal(err)
		}
		if code, _ := w.do(t, "", "POST", "/auth", fmt.Sprintf(`{"api_key":%q,"role":"admin"}`, key)); code != 403 && code != 401 {
			t.Errorf("a key for players in the role admin: %d", code)
		}
	})
	t.Run("8 improvements", func(t *testing.T) {
		hides(t, "POST", "/validation/suggest_improvements", `{"name":"NAME"}`)
	})
	t.Run("9 existence", func(t *testing.T) {
		for _, path := range []string{"", "/children", "/referers", "/linked_by", "/nested_in", "/nests", "/links", "/outline", "/history", "/file_url", "/search_content?query=oracle", "?rendered=true", "/history/7"} {
			hides(t, "GET", "/cards/NAME"+path, "")
		}
		hides(t, "POST", "/cards/NAME/restore", `{"from_trash":true}`)
		hides(t, "PUT", "/cards/NAME/rename", `{"new_name":"Other"}`)
		hides(t, "DELETE", "/cards/NAME", "")
		if _, answer := w.do(t, user, "GET", "/cards/Town?rendered=true", ""); strings.Contains(fmt.Sprint(answer["content"]), "oracle") {
			t.Errorf("a nest shows it: %v", answer)
		}
	})
	t.Run("10 upload from an address", func(t *testing.T) {
		if code, answer := w.do(t, user, "POST", "/cards/Picture/upload", `{"type":"File","remote_url":"http://127.0.0.1:1/x"}`); code != 400 {
			t.Errorf("%d %v", code, answer)
		}
	})
	t.Run("11 old revisions", func(t *testing.T) {
		w.do(t, adminToken, "PATCH", "/cards/Vault", `{"content":"the oracle sleeps"}`) // while it is hidden
		c, err := w.store.Get(t.Context(), admin, "Vault")
		if err != nil {
			t.Fatal(err)
		}
		w.do(t, adminToken, "PATCH", "/cards/Vault", `{"content":"nothing is in it"}`)
		w.do(t, adminToken, "DELETE", "/cards/Vault+*self+*read", "")
		if code, answer := w.do(t, user, "GET", "/cards/Vault", ""); code != 200 {
			t.Fatalf("the card is open now: %d %v", code, answer)
		}
		if code, answer := w.do(t, user, "GET", fmt.Sprintf("/cards/Vault/history/%d", c.Revision), ""); code != 404 {
			t.Errorf("what was in it: %d %v", code, answer)
		}
	})
	t.Run("12 a role that is less than the account's", func(t *testing.T) {
		who, err := w.auth.Authenticate(t.Context(), cardauth.Login{User: "mcp-gm@example.com", Password: w.passwords["mcp-gm"], Role: "user"})
		if err != nil {
			t.Fatal(err)
		}
		token, err := w.auth.Issue(t.Context(), who)
		if err != nil {
			t.Fatal(err)
		}
		if code, _ := w.do(t, token.Text, "GET", "/cards/Town+GM", ""); code != 403 {
			t.Errorf("a game master as a player: %d", code)
		}
	})
	t.Run("13 links and scans of what only administrators read", func(t *testing.T) {
		for path, body := range map[string]string{"/auto_link": `{"card_name":"Crypt"}`, "/jobs/spoiler-scan": `{"terms_card":"Crypt","results_card":"Found"}`} {
			if code, answer := w.do(t, gm, "POST", path, body); code != 404 || strings.Contains(fmt.Sprint(answer), "oracle") {
				t.Errorf("%s: %d %v", path, code, answer)
			}
		}
	})
	t.Run("14 lists of types", func(t *testing.T) {
		put("Conspiracy", "Cardtype", "")
		put("Conspiracy+*self+*read", "List", "Game Master")
		_, all := w.do(t, adminToken, "GET", "/types", "")
		_, seen := w.do(t, user, "GET", "/types", "")
		if !strings.Contains(fmt.Sprint(all), "Conspiracy") || strings.Contains(fmt.Sprint(seen), "Conspiracy") {
			t.Errorf("administrators %v\nplayers %v", all, seen)
		}
	})
	t.Run("15 classes of exceptions", func(t *testing.T) {
		for _, bad := range [][2]string{{"/cards", "{"}, {"/cards/batch", `{"ops":7}`}, {"/run_query", `{"query":[]}`}} {
			if code, answer := w.do(t, user, "POST", bad[0], bad[1]); code != 400 || strings.Contains(fmt.Sprint(answer), "exception") {
				t.Errorf("%s %s: %d %v", bad[0], bad[1], code, answer)
			}
		}
	})
}
