package cards_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// Whoever says dry_run learns what a request would do, and it does nothing; or is told that
// the request cannot be tried out.
func TestDryRunWritesNothing(t *testing.T) {
	folder := t.TempDir()
	w := openWiki(t, folder, time.Now)
	made, key, err := w.auth.MakeKey(t.Context(), keyOf("dry"))
	if err != nil {
		t.Fatal(err)
	}
	w.key = key
	token := w.roleToken(t, "admin")
	for _, body := range []string{
		`{"name":"Page","type":"RichText","content":"<p>a Harbour</p>"}`, `{"name":"Harbour","type":"RichText"}`,
		`{"name":"Terms","type":"RichText","content":"harbour"}`, `{"name":"Gone","type":"RichText"}`,
	} {
		if code, answer := w.do(t, token, "POST", "/cards", body); code != 201 {
			t.Fatal(answer)
		}
	}
	if code, answer := w.do(t, token, "DELETE", "/cards/Gone", ""); code != 200 {
		t.Fatal(answer)
	}
	_, history := w.do(t, token, "GET", "/cards/Page/history", "")
	act := jsonOf(t, history["revisions"].([]any)[0].(map[string]any)["act_id"])
	wiki := func() string {
		var all strings.Builder
		by := cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}
		if err := w.store.Export(t.Context(), by, func(c cardstore.ExportedCard) error { all.WriteString(jsonOf(t, c) + "\n"); return nil }); err != nil {
			t.Fatal(err)
		}
		keys, err := w.auth.Keys(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		kept, _ := filepath.Glob(filepath.Join(folder, "*", "*"))
		return all.String() + jsonOf(t, keys) + strings.Join(kept, "\n")
	}
	before := wiki()
	ofKey := "/admin/api_keys/" + jsonOf(t, made.ID)
	for _, c := range []struct {
		method, path, body string // without its first brace and dry_run
		refused            bool
	}{
		{"POST", "/cards", `"name":"New","type":"RichText","content":"x","fields":{"+tags":"a"}}`, false},
		{"PATCH", "/cards/Page", `"content":"new"}`, false},
		{"PUT", "/cards/Page", `"type":"PlainText","fields":{"+a":"b"}}`, false},
		{"PUT", "/cards/Page/rename", `"new_name":"Other"}`, false},
		{"DELETE", "/cards/Page", `"dry_run":true}`, false},
		{"POST", "/cards/Page/restore", `"act_id":` + act + `}`, false},
		{"POST", "/cards/Gone/restore", `"from_trash":true}`, false},
		{"POST", "/cards/Map/upload", `"type":"File","filename":"a.txt","file_data":"aGk="}`, false},
		{"POST", "/cards/batch", `"ops":[{"action":"create","name":"A","type":"RichText","children":[{"name":"+b"}]},{"action":"update","name":"Page","content":"z"}]}`, false},
		{"POST", "/cards/batch", `"mode":"transactional","bulk_delete":true,"ops":[{"action":"delete","name":"Page"}]}`, false},
		{"POST", "/jobs/spoiler-scan", `"terms_card":"Terms","results_card":"R"}`, false},
		{"POST", "/jobs/spoiler-scan", `"terms_card":"Terms","results_card":"R","async":true}`, false},
		{"POST", "/auto_link", `"card_name":"Page","mode":"apply","scope":"Harbour"}`, false},
		{"POST", "/admin/api_keys", `"name":"k","roles":["user"]}`, true},
		{"PATCH", ofKey, `"active":false}`, true},
		{"DELETE", ofKey, `"dry_run":true}`, true},
		{"GET", "/admin/database/backup", "", true},
		{"DELETE", "/admin/database/backup/x", "", true},
		{"GET", "/cards/Page", "", true},
	} {
		want := map[bool]int{true: 400, false: 200}[c.refused]
		inQuery := ""
		if c.body != "" {
			inQuery = "{" + c.body
		}
		for way, request := range map[string][2]string{"query": {c.path + "?dry_run=true", inQuery}, "body": {c.path, `{"dry_run":true,` + c.body}} {
			if way == "body" && c.body == "" {
				continue
			}
			code, answer := w.do(t, token, c.method, request[0], request[1])
			if code != want || !c.refused && answer["dry_run"] != true {
				t.Errorf("%s %s by its %s: %d %v, want %d", c.method, c.path, way, code, answer, want)
			}
			if after := wiki(); after != before {
				t.Fatalf("%s %s by its %s has written", c.method, c.path, way)
			}
		}
	}
	// A part of a batch and a patch say it for themselves.
	for _, c := range [][3]string{
		{"PATCH", "/cards/Page", `{"patch":{"mode":"append","content":"x","dry_run":true},"fields":{"+x":"y"}}`},
		{"POST", "/cards/batch", `{"ops":[{"action":"create","name":"A","type":"RichText","dry_run":true},
			{"action":"update","name":"Page","patch":{"mode":"append","content":"x","dry_run":true},"children":[{"name":"+k"}]}]}`},
	} {
		if code, answer := w.do(t, token, c[0], c[1], c[2]); code != 200 || !strings.Contains(jsonOf(t, answer), `"dry_run":true`) {
			t.Errorf("%v: %d %v", c, code, answer)
		}
	}
	for _, query := range []string{"dry_run=maybe", "dry_run="} {
		if code, answer := w.do(t, token, "DELETE", "/cards/Page?"+query, ""); code != 400 {
			t.Errorf("%s: %d %v", query, code, answer)
		}
	}
	if wiki() != before {
		t.Error("a request that only asks has written")
	}
	// A key for repeated requests is not used up by a dry run.
	for _, step := range []struct {
		path string
		code int
	}{{"/cards?dry_run=1", 200}, {"/cards", 201}} {
		r := httptest.NewRequestWithContext(t.Context(), "POST", step.path, strings.NewReader(`{"name":"Once","type":"RichText"}`))
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Idempotency-Key", "k")
		rec := httptest.NewRecorder()
		if w.ServeHTTP(rec, r); rec.Code != step.code {
			t.Errorf("POST %s: %d %s", step.path, rec.Code, rec.Body)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "files")); err == nil {
		t.Error("a file was kept")
	}
}

// What is no text is refused with the name of its field, by both databases alike, and is no
// filter that does not count.
func TestWhatIsNoText(t *testing.T) {
	play := func(t *testing.T, database string) {
		w := openWiki(t, database, time.Now)
		_, key, err := w.auth.MakeKey(t.Context(), keyOf("text"))
		if err != nil {
			t.Fatal(err)
		}
		w.key = key
		token := w.roleToken(t, "admin")
		for _, bad := range []string{"%00", "%ff", "%ed%a0%80", "a%00b"} {
			for _, c := range [][2]string{
				{"/cards?q=", "q"},
				{"/cards?prefix=", "prefix"},
				{"/cards?not_name=", "not_name"},
				{"/cards?type=", "type"},
				{"/cards?tag=", "tag"},
				{"/cards?updated_since=", "updated_since"},
				{"/cards/", "name"},
				{"/types/", "name"},
				{"/cards/Home/search_content?query=", "query"},
			} {
				w.refuses(t, token, "GET", c[0]+bad, "", c[1])
			}
			w.refuses(t, token, "GET", "/cards/"+bad+"/children", "", "name")
			w.refuses(t, token, "DELETE", "/cards/"+bad, "", "name")
		}
		for _, bad := range []string{`\u0000`, `\ud800`, `\udc00x`, "\xff", `a\ud83d`} {
			for _, c := range [][3]string{
				{"/auth", `{"username":"@","password":"p"}`, "username"},
				{"/auth", `{"api_key":"@","role":"user"}`, "api_key"},
				{"/cards", `{"name":"@","type":"RichText"}`, "name"},
				{"/cards", `{"name":"N","type":"RichText","content":"@"}`, "content"},
				{"/cards", `{"name":"N","type":"RichText","fields":{"+a":"@"}}`, "fields.+a"},
				{"/cards/batch", `{"ops":[{"action":"create","name":"N","type":"RichText"},{"action":"create","name":"@"}]}`, "ops[1].name"},
				{"/run_query", `{"query":{"name":"@"}}`, "query.name"},
				{"/run_query", `{"query":{"type":["in","a","@"]}}`, "query.type[2]"},
				{"/render", `{"html":"@"}`, "html"},
				{"/jobs/spoiler-scan", `{"terms_card":"@","results_card":"R"}`, "terms_card"},
				{"/jobs/spoiler-scan", `{"terms_card":"@","results_card":"R","async":true}`, "terms_card"},
				{"/cards/N/upload", `{"type":"File","filename":"@","file_data":"aGk="}`, "filename"},
				{"/admin/api_keys", `{"name":"@","roles":["user"]}`, "name"},
			} {
				w.refuses(t, token, "POST", c[0], strings.ReplaceAll(c[1], "@", bad), c[2])
			}
		}
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/cards", strings.NewReader(`{"name":"N","type":"RichText"}`))
		r.Header = http.Header{"Authorization": {"Bearer " + token}, "Idempotency-Key": {"\xff"}}
		rec := httptest.NewRecorder()
		if w.ServeHTTP(rec, r); rec.Code != 400 {
			t.Errorf("a key for repeated requests that is no text: %d %s", rec.Code, rec.Body)
		}
		if code, answer := w.do(t, token, "POST", "/cards", `{"name":"Whole \ud83d\ude00","type":"PlainText","content":"\\u0000 \uffff"}`); code != 201 {
			t.Errorf("what is text: %d %v", code, answer)
		}
	}
	t.Run("sqlite", func(t *testing.T) { play(t, t.TempDir()) })
	t.Run("postgres", func(t *testing.T) { play(t, postgres.Database(t)) })
}

// refuses sends a request that must be a validation error about a field.
func (w *wiki) refuses(t *testing.T, token, method, path, body, field string) {
	t.Helper()
	code, answer := w.do(t, token, method, path, body)
	if e := jsonOf(t, answer); code != 400 || !strings.Contains(e, `"validation_error"`) || !strings.Contains(e, `"field":"`+field+`"`) {
		t.Errorf("%s %s %s: %d %s, want 400 about %q", method, path, body, code, e, field)
	}
}
