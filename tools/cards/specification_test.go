package cards_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// The specification's own examples, as it writes them, for every role.
func TestExamplesOfTheSpecification(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "specs", "cards.md"))
	if file := os.Getenv("CARDS_SPECIFICATION"); file != "" {
		text, err = os.ReadFile(file)
	}
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the specification is not beside the checkout")
	}
	if err != nil {
		t.Fatal(err)
	}
	var batches []string
	for _, block := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		if strings.HasPrefix(block[1], `{ "ops"`) {
			batches = append(batches, block[1])
		}
	}
	if len(batches) < 4 {
		t.Fatalf("%d examples of batches", len(batches))
	}
	play := func(t *testing.T, database, role string) {
		w := openWiki(t, database, time.Now)
		_, key, err := w.auth.MakeKey(t.Context(), keyOf("spec"))
		if err != nil {
			t.Fatal(err)
		}
		w.key = key
		token := w.roleToken(t, role)
		old := `{"name":"Existing+Card","type":"RichText","content":"<h2>Associated Cultures</h2><p>Old</p><h2>Next</h2>"}`
		if code, answer := w.do(t, token, "POST", "/cards", old); code != 201 {
			t.Fatal(answer)
		}
		for _, body := range batches {
			if code, answer := w.do(t, token, "POST", "/cards/batch", body); code != 200 {
				t.Errorf("%s: %d %v", body, code, answer)
			}
		}
		for name, want := range map[string]string{
			"verification_email+*from": "noreply@wiki.magi-agi.org", "verification_email+*html message": "<p>Click {{_|verify_url}}</p>",
			"Existing+Card": "<h2>Associated Cultures</h2><p>Updated...</p><h2>Next</h2>", "Card+That+Might+Exist": "<p>Updated content</p>",
		} {
			if _, card := w.do(t, token, "GET", "/cards/"+strings.ReplaceAll(name, " ", "%20"), ""); card["content"] != want {
				t.Errorf("%s is %v, want %q", name, card["content"], want)
			}
		}
		for body, member := range map[string]string{
			`{"query":{"updated_since":"2020-01-01","name":"Card"}}`: "items", `{"query":{"updated_before":"2020-01-01T00:00:00Z"}}`: "results",
			`{"query":{"updated_at":[">=","2020-01-01"]},"limit":1}`: "items",
		} {
			code, answer := w.do(t, token, "POST", "/run_query", body)
			items, ok := answer[member].([]any)
			if code != 200 || !ok || strings.Contains(body, "before") != (len(items) == 0) || jsonOf(t, answer["items"]) != jsonOf(t, answer["results"]) {
				t.Errorf("run_query %s: %d %v", body, code, answer)
			}
		}
		for path, keys := range map[string]string{
			"/health":                            "checks status timestamp version",
			"/health/ping":                       "status timestamp",
			"/types/RichText":                    "codename common description id name",
			"/cards/verification_email/children": "child_count children depth limit next_offset offset parent truncated",
		} {
			code, answer := w.do(t, token, "GET", path, "")
			var got []string
			for key := range answer {
				got = append(got, key)
			}
			if code != 200 || strings.Join(sorted(got), " ") != keys {
				t.Errorf("%s: %d %v", path, code, answer)
			}
			if list, ok := answer["children"].([]any); ok && (len(list) != 3 || len(list[0].(map[string]any)) != 3) {
				t.Errorf("children are %v", list)
			}
			if description, ok := answer["description"]; ok && description == "" {
				t.Errorf("%s has no description", path)
			}
		}
		if _, answer := w.do(t, token, "GET", "/cards/verification_email/children?include_content=true", ""); !strings.Contains(jsonOf(t, answer), "Verify your account") {
			t.Errorf("children with their contents: %v", answer)
		}
		for path, want := range map[string]string{
			"/cards/verification_email/history/1": "Revision not found", "/cards/verification_email/history/x": "Revision not found",
			"/cards/Nobody/history/1": "Card 'Nobody' not found",
		} {
			if code, answer := w.do(t, token, "GET", path, ""); code != 404 || !strings.Contains(jsonOf(t, answer), want) {
				t.Errorf("%s: %d %v", path, code, answer)
			}
		}
		code, answer := w.do(t, token, "POST", "/cards", `{"name":"Games/Chess","type":"RichText"}`)
		want := `{"code":"validation_error","details":{"errors":["cannot contain '/'"]},"message":"Card name contains invalid characters","validation_errors":[{"error":"cannot contain '/'","field":"name"}]}`
		if code != 400 || jsonOf(t, answer["error"]) != want {
			t.Errorf("a name with a slash: %d %v", code, answer)
		}
		failing := `{"mode":"transactional","ops":[{"action":"create","name":"A"},{"action":"create","name":"A+b/c"}]}`
		if code, answer := w.do(t, token, "POST", "/cards/batch", failing); code != 207 || strings.Contains(jsonOf(t, answer), `"ok"`) {
			t.Errorf("a batch that was rolled back: %d %v", code, answer)
		}
	}
	for _, role := range []string{"user", "gm", "admin"} {
		t.Run(role, func(t *testing.T) { play(t, t.TempDir(), role) })
	}
	t.Run("postgres", func(t *testing.T) { play(t, postgres.Database(t), "user") })
}

// What has a star and decides something is for administrators still.
func TestRulesAreNoFields(t *testing.T) {
	w := openWiki(t, t.TempDir(), time.Now)
	_, key, err := w.auth.MakeKey(t.Context(), keyOf("stars"))
	if err != nil {
		t.Fatal(err)
	}
	w.key = key
	admin, user := w.roleToken(t, "admin"), w.roleToken(t, "user")
	for _, name := range []string{"Home+*self+*read", "Home+*read", "Home+*members", "Home+*account", "Home+*from+*self+*update", "*from"} {
		if code, answer := w.do(t, user, "POST", "/cards", jsonOf(t, map[string]string{"name": name, "type": "Pointer", "content": "Anyone"})); code < 400 {
			t.Errorf("%s: %d %v", name, code, answer)
		}
	}
	// An owner's own rule holds for fields too.
	for _, rule := range []string{"*from+*right+*create", "*rstar+*create"} {
		if code, answer := w.do(t, admin, "POST", "/cards", jsonOf(t, map[string]string{"name": rule, "type": "Pointer", "content": "Administrator"})); code != 201 {
			t.Fatal(answer)
		}
	}
	for _, name := range []string{"Home+*from", "Home+*subject"} {
		if code, answer := w.do(t, user, "POST", "/cards", jsonOf(t, map[string]string{"name": name, "type": "Phrase"})); code != 400 {
			t.Errorf("%s against a rule: %d %v", name, code, answer)
		}
	}
}

// A card whose name has a slash, from before or from another wiki, keeps working, and no rule
// for another name is about it.
func TestNamesWithSlashes(t *testing.T) {
	w := openWiki(t, t.TempDir(), time.Now)
	file := filepath.Join(t.TempDir(), "cards.jsonl")
	lines := `{"name":"a/b","type":"RichText","content":"slash"}` + "\n" + `{"name":"c+d","type":"RichText","content":"joint"}` + "\n"
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	w.mustRun(t, "import", map[string]string{"file": file})
	box := toolbox{OpenedSource: w.source}
	box.must(t, "update_card", map[string]any{"name": "a/b", "content": "new"})
	box.must(t, "create_card", map[string]any{"name": "a/b+child", "content": "below"})
	deleted := box.must(t, "delete_card", map[string]any{"name": "a/b"})
	box.must(t, "restore_card", map[string]any{"name": "a/b", "from_trash": true})
	if got := box.content(t, "a/b"); got != "new" {
		t.Errorf("%v, and back: %q", deleted, got)
	}
	for _, in := range []map[string]any{{"name": "c/d"}, {"name": "c+d/e"}, {"name": "Home+x/y+z"}} {
		if _, _, err := box.call(t, "admin", "create_card", in); err == nil || err.Code != tools.Invalid || !strings.Contains(err.Message, "cannot contain '/'") {
			t.Errorf("create %v: %v", in, err)
		}
	}
	if _, _, err := box.call(t, "admin", "rename_card", map[string]any{"name": "c+d", "new_name": "c/d"}); err == nil || err.Code != tools.Invalid {
		t.Errorf("rename: %v", err)
	}
	rule, err := tools.ParsePrivacyRule("a/b")
	if err != nil {
		t.Fatal(err)
	}
	hidden := ownBox(t, tools.Privacy{Exclude: []tools.PrivacyRule{rule}})
	if _, _, err := hidden.call(t, "admin", "create_card", map[string]any{"name": "a+b", "content": "x"}); err == nil || err.Code != tools.Denied {
		t.Errorf("the rule: %v", err)
	}
	var names []string
	out := box.must(t, "search_cards", map[string]any{"query": "b", "type": "RichText"})
	for _, c := range out["cards"].([]any) {
		names = append(names, c.(map[string]any)["name"].(string))
	}
	if !slices.Contains(names, "a/b") {
		t.Errorf("%s", names)
	}
}
