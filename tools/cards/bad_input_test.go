package cards_test

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

// What the real server answers with 500 is a 400 here, and names the field.
func TestBadInput(t *testing.T) {
	w := openWiki(t, t.TempDir(), time.Now)
	made, key, err := w.auth.MakeKey(t.Context(), keyOf("bad"))
	if err != nil {
		t.Fatal(err)
	}
	w.key = key
	token := w.roleToken(t, "admin")
	if code, answer := w.do(t, token, "POST", "/cards", `{"name":"Page","type":"RichText","content":"<p>a text</p>"}`); code != 201 {
		t.Fatal(answer)
	}
	ofKey := "/admin/api_keys/" + strconv.FormatInt(made.ID, 10)
	for _, c := range []struct{ method, path, body, field string }{
		{"POST", "/cards", `{"name":`, "body"},
		{"POST", "/cards", `{"name":5,"type":"RichText"}`, "name"},
		{"POST", "/cards", `{"name":"A","type":["x"]}`, "type"},
		{"POST", "/cards", `[]`, "body"},
		{"GET", "/cards?limit=-1", "", "limit"},
		{"GET", "/cards?limit=many", "", "limit"},
		{"GET", "/cards?offset=-5", "", "offset"},
		{"GET", "/cards?updated_since=yesterday", "", "updated_since"},
		{"GET", "/cards?updated_before=2026-13-45", "", "updated_before"},
		{"GET", "/cards?match_mode=fuzzy&q=a", "", "match_mode"},
		{"GET", "/cards?search_in=title&q=a", "", "search_in"},
		{"GET", "/cards/Page/children?depth=-1", "", "depth"},
		{"GET", "/cards/Page/children?sort=color", "", "sort"},
		{"GET", "/cards/Page/history?limit=x", "", "limit"},
		{"POST", "/cards/batch", `{"ops":"all"}`, "ops"},
		{"POST", "/cards/batch", `{"ops":{"action":"create"}}`, "ops"},
		{"POST", "/cards/batch", `{"ops":[]}`, "ops"},
		{"POST", "/cards/batch", `{"ops":[1, 2]}`, "ops"},
		{"POST", "/cards/batch", `{"ops":[{}],"mode":"some"}`, "mode"},
		{"PATCH", "/cards/Page", `{"patch":{"mode":"replace_between"}}`, "patch.start_marker"},
		{"PATCH", "/cards/Page", `{"patch":{"mode":"replace_between","start_marker":"a"}}`, "patch.end_marker"},
		{"PATCH", "/cards/Page", `{"patch":{"mode":"replace_between","start_marker":"qq","end_marker":"y","replacement_html":""}}`, "patch.start_marker"},
		{"PATCH", "/cards/Page", `{"patch":{"mode":"sideways"}}`, "patch.mode"},
		{"PATCH", "/cards/Page", `{"patch":{"mode":"append"}}`, "patch.content"},
		{"PATCH", "/cards/Page", `{"patch":{"mode":"regex_replace","pattern":"(","replace":""}}`, "patch.pattern"},
		{"PATCH", "/cards/Page", `{"patch":"x"}`, "patch"},
		{"POST", "/run_query", `{"query":{"updated_at":["about","2026-01-01"]}}`, "query.updated_at"},
		{"POST", "/run_query", `{"query":{"color":"red"}}`, "query.color"},
		{"POST", "/run_query", `{"query":{"name":"a"},"limit":-1}`, "limit"},
		{"POST", "/run_query", `{}`, "query"},
		{"POST", "/render", `{}`, "html"},
		{"POST", "/render/markdown", `{"markdown":7}`, "markdown"},
		{"POST", "/cards/Page/upload", `{"type":"File","file_data":"!","filename":"a"}`, "file_data"},
		{"POST", "/cards/Page/upload", `{"type":"File","file_data":"YQ==","filename":".."}`, "filename"},
		{"POST", "/cards/Page/upload", `{"type":"File","remote_url":"http://127.0.0.1/"}`, "remote_url"},
		{"POST", "/jobs/spoiler-scan", `{"terms_card":"Page","results_card":"R","limit":-1}`, "limit"},
		{"POST", "/admin/api_keys", `{"name":"x","roles":["emperor"]}`, "roles"},
		{"POST", "/admin/api_keys", `{"name":"x","roles":["user"],"expires_in":"1d"}`, "expires_in"},
		{"POST", "/cards", `{"name":"A","type":"RichText","contnet":"x"}`, "contnet"},
		{"POST", "/cards", `{"name":"A","type":"RichText","Content":"x"}`, "Content"},
		{"POST", "/cards", `{"name":"A","type":"RichText","patch":{"mode":"append","content":"x"}}`, "patch"},
		{"POST", "/cards", `{"name":"A","type":"RichText","content":"x","markdown_content":"y"}`, "markdown_content"},
		{"POST", "/cards", `{"name":"A","type":"RichText","fields":{"tags":"x"}}`, "fields"},
		{"PATCH", "/cards/Page", `{"content":"x","markdown_content":"y"}`, "markdown_content"},
		{"PATCH", "/cards/Page", `{"content":"x","patch":{"mode":"append","content":"y"}}`, "patch"},
		{"PATCH", "/cards/Page", `{"patch":{"mode":"append","contents":"x"}}`, "patch.contents"},
		{"PATCH", "/cards/Page", `{"name":"Other"}`, "name"},
		{"DELETE", "/cards/Page", `{"dryrun":true}`, "dryrun"},
		{"PUT", "/cards/Page/rename", `{"new_name":"B","update_referrers":false}`, "update_referrers"},
		{"POST", "/cards/Page/restore", `{"act":1}`, "act"},
		{"POST", "/cards/batch", `{"ops":[{"action":"create","name":"A"},{"action":"create","name":"B","typ":"Phrase"}]}`, "ops[1].typ"},
		{"POST", "/cards/batch", `{"ops":[{"action":"create","name":"A","children":[{"name":"+b","contents":"x"}]}]}`, "ops[0].children[0].contents"},
		{"POST", "/cards/batch", `{"ops":[{"action":"create","name":7}]}`, "ops[0].name"},
		{"POST", "/cards/batch", `{"ops":[{}],"modus":"transactional"}`, "modus"},
		{"POST", "/run_query", `{"query":{"name":"a"},"limits":3}`, "limits"},
		{"POST", "/render/markdown", `{"markdown":"a","trust":true}`, "trust"},
		{"POST", "/auto_link", `{"card_name":"Page","scoop":"x"}`, ""},
		{"POST", "/validation/tags", `{"type":"Species","tag":["x"]}`, "tag"},
		{"POST", "/jobs/spoiler-scan", `{"terms_card":"Page","results_card":"R","limt":3}`, "limt"},
		{"POST", "/auth", `{"api_key":"k","rolle":"user"}`, "rolle"},
		{"POST", "/admin/api_keys", `{"name":"x","roles":["user"],"colour":"red"}`, "colour"},
		{"PATCH", ofKey, `{"roles":["user"]}`, "roles"},
		{"PATCH", ofKey, `{"name":"other"}`, "name"},
		{"PATCH", ofKey, `{"active":false,"colour":"red"}`, "colour"},
		{"PATCH", ofKey, `{"Active":false}`, "Active"},
		{"PATCH", ofKey, `[]`, "body"},
	} {
		code, answer := w.do(t, token, c.method, c.path, c.body)
		e, _ := answer["error"].(map[string]any)
		fields := jsonOf(t, e["validation_errors"])
		if code != 400 || c.field != "" && !strings.Contains(fields, `"field":"`+c.field+`"`) {
			t.Errorf("%s %s %s: %d %v, want 400 about %q", c.method, c.path, c.body, code, answer, c.field)
		}
	}
	// A patch of a batch that does not fit is the error of its op, and no other op is lost.
	_, answer := w.do(t, token, "POST", "/cards/batch", `{"ops":[{"action":"update","name":"Page","patch":{"mode":"replace_between","start_marker":"NOPE","end_marker":"x","replacement_html":"y"}},
		{"action":"create","name":"After","type":"RichText"}]}`)
	if text := jsonOf(t, answer["results"]); !strings.Contains(text, `"field":"patch.start_marker"`) || strings.Count(text, `"status":"ok"`) != 1 {
		t.Errorf("a batch with a patch that does not fit: %s", text)
	}
	// A name that was deleted can be given again, with the card's history.
	for _, step := range []struct {
		method, path, body string
		code               int
	}{
		{"DELETE", "/cards/Page", "", 200},
		{"POST", "/cards", `{"name":"Page","type":"RichText"}`, 201},
	} {
		if code, answer := w.do(t, token, step.method, step.path, step.body); code != step.code {
			t.Errorf("%s %s: %d %v", step.method, step.path, code, answer)
		}
	}
}

// A batch deletes only for administrators, and only if it says so.
func TestBulkDelete(t *testing.T) {
	w := openWiki(t, t.TempDir(), time.Now)
	_, key, err := w.auth.MakeKey(t.Context(), keyOf("bulk"))
	if err != nil {
		t.Fatal(err)
	}
	w.key = key
	for i, role := range []string{"user", "gm", "admin"} {
		token := w.roleToken(t, role)
		if i == 0 {
			if code, answer := w.do(t, token, "POST", "/cards", `{"name":"Page","type":"RichText"}`); code != 201 {
				t.Fatal(answer)
			}
		}
		code, answer := w.do(t, token, "POST", "/cards/batch", `{"bulk_delete":true,"ops":[{"action":"delete","name":"Page"}]}`)
		if want := map[string]int{"user": 207, "gm": 207, "admin": 200}[role]; code != want {
			t.Errorf("role %s: %d %v", role, code, answer)
		}
	}
}
