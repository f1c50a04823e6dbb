package notesapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore/pgtest"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

var postgres pgtest.Server

func TestMain(m *testing.M) {
	code := m.Run()
	postgres.Stop()
	os.Exit(code)
}

// eachDatabase runs a test on a workspace ws in SQLite and in PostgreSQL.
func eachDatabase(t *testing.T, test func(t *testing.T, a *API)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, open(t, filepath.Join(t.TempDir(), "notes.db"), nil)) })
	t.Run("postgres", func(t *testing.T) { test(t, open(t, postgres.Database(t), nil)) })
}

func open(t testing.TB, database string, hides func(string, notestore.Record) bool) *API {
	t.Helper()
	s, err := notestore.Open(t.Context(), notestore.Options{Database: database, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	a := New(Options{Store: s, Hides: hides})
	if r := request(t, a, "POST", "/workspaces", `{"name": "ws"}`); r.Status != 201 {
		t.Fatalf("%+v", r)
	}
	return a
}

// A server is an API or an Overlay.
type server func(method, path, body string) Response

func request(t testing.TB, a *API, method, path, body string) Response {
	t.Helper()
	return a.Serve(t.Context(), Caller{Author: "test"}, parse(t, method, path, body))
}

func parse(t testing.TB, method, path, body string) Request {
	t.Helper()
	u, err := url.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	return Request{Method: method, Path: u.Path, Query: u.Query(), Body: json.RawMessage(body)}
}

func TestEveryRouteIsHandled(t *testing.T) {
	handled := handlers()
	names := map[string]bool{}
	for _, r := range Routes() {
		if handled[r.Name] == nil || names[r.Name] {
			t.Errorf("%s %s has no handler %s, or that of another route", r.Method, r.Path, r.Name)
		}
		names[r.Name] = true
		if (r.Status == 204) != (r.Answer == "") {
			t.Errorf("%s %s answers %q with status %d", r.Method, r.Path, r.Answer, r.Status)
		}
		for _, used := range regexp.MustCompile(`\b[A-Z]\w+`).FindAllString(r.Body+" "+r.Answer, -1) {
			if !regexp.MustCompile(`(type|interface) ` + used + `\b`).MatchString(TypeScript) {
				t.Errorf("%s %s uses the type %s, which is not declared", r.Method, r.Path, used)
			}
		}
	}
	if len(names) != len(handled) {
		t.Errorf("%d routes, %d handlers", len(names), len(handled))
	}
}

// contract is the REST API as a table: a request, its status, and parts of its answer.
// $name in a request stands for what name captured in an answer before.
var contract = []struct {
	method, path, body string
	status             int
	answer             []string // regular expressions; (?P<name>…) captures
}{
	{"GET", "/workspaces", "", 200, []string{`^\[\{"id":"ws","name":"ws","settings":\{\},"storage_config":\{\},"created_at":"20`}},
	{"POST", "/workspaces", `{"name":"ws"}`, 409, []string{`\{"detail":"the workspace \\"ws\\" already exists"\}`}},
	{"POST", "/workspaces", `{"name":"my notes"}`, 400, []string{`is not the id of a workspace`}},
	{"POST", "/workspaces", `{"id":"two","name":"my notes"}`, 201, []string{`"id":"two","name":"my notes"`}},
	{"GET", "/workspaces/none", "", 404, []string{`"detail":"there is no workspace`}},
	{"GET", "/workspaces/ws", "", 200, []string{`"id":"ws"`}},
	{"PATCH", "/workspaces/ws", `{"name":"W","settings":{"a":1}}`, 200, []string{`"name":"W","settings":\{"a":1\}`}},
	{"PATCH", "/workspaces/ws", `{"storage_config":{"uri":"s3://x"}}`, 400, []string{`storage_config must be \{\}`}},
	{"POST", "/workspaces/ws/test-connection", `{"storage_config":{}}`, 200, []string{`"status":"ok"`}},
	{"POST", "/workspaces/ws/test-connection", `{"storage_config":{"uri":"x"}}`, 400, nil},
	{"GET", "/nothing", "", 404, []string{`there is no route /nothing; paths are /workspaces`}},
	{"GET", "/workspaces/ws/notse/n1", "", 404, []string{`did you mean /workspaces/ws/notes/n1\?`}},
	{"GET", "/workspaces/ws/tasks", "", 404, []string{`there is no route /workspaces/ws/tasks; a workspace has .*notes, .*query`}},
	{"GET", "/workspaces/ws/notes/n1/revisions", "", 404, []string{`paths are .*/notes/\{note_id\}/history, `}},
	{"PUT", "/workspaces/ws/notes", `{}`, 405, []string{`it takes GET, POST`}},

	{"GET", "/workspaces/ws/classes/types", "", 200, []string{`^\["string","number","date","list","markdown"\]$`}},
	{"PUT", "/workspaces/ws/classes/Task", `{"version":2,"template":"# \n\n## Status\n\n## Due\n","fields":{"Status":{"type":"string","required":true},"Due":{"type":"date"},"Points":{"type":"number"}},"defaults":{"Status":"pending"},"strategies":{"x":1}}`, 200, []string{`"name":"Task","version":2`, `"strategies":\{"x":1\}`}},
	{"PUT", "/workspaces/ws/classes/Task", `{"name":"Other","fields":{}}`, 400, []string{`but the path says`}},
	{"POST", "/workspaces/ws/classes", `{"name":"Task","fields":{}}`, 409, nil},
	{"POST", "/workspaces/ws/classes", `{"name":"Bad","fields":{"A":{"type":"int"}}}`, 400, []string{`fields.A.type`}},
	{"GET", "/workspaces/ws/classes/Task", "", 200, []string{`"Due":\{"type":"date"\}`}},
	{"GET", "/workspaces/ws/classes/None", "", 404, nil},

	{"POST", "/workspaces/ws/notes", `{"markdown":"# New Note\n\nContent here"}`, 201, []string{`^\{"id":"(?P<first>[0-9a-f-]{36})","revision_id":"[0-9a-f-]{36}"\}$`}},
	{"POST", "/workspaces/ws/notes", `{"content":"the alias","id":"n1"}`, 201, []string{`"id":"n1"`}},
	{"POST", "/workspaces/ws/notes", `{"markdown":"x","id":"n1"}`, 409, []string{`"current_revision":\{"id":"n1"`, `"message":"the note n1 already exists; its current revision is `}},
	{"POST", "/workspaces/ws/notes", `{"markdown":"x","id":"list"}`, 400, nil},
	{"POST", "/workspaces/ws/notes", `{"markdown":"x","id":"a b"}`, 400, nil},
	{"POST", "/workspaces/ws/notes", `{}`, 400, []string{`markdown is missing`}},
	{"POST", "/workspaces/ws/notes", `{"markdwn":"x"}`, 400, []string{`markdwn`}},
	{"POST", "/workspaces/ws/notes", ``, 400, nil},
	{"POST", "/workspaces/ws/notes", `{"markdown":"x","canvas_position":{"x":1e999}}`, 400, []string{`canvas_position cannot be read`}},
	{"POST", "/workspaces/ws/notes", `{"id":"t1","class":"Task","title":"Write","properties":{"Due":"2025-12-01","Points":3}}`, 201, nil},
	{"POST", "/workspaces/ws/notes", `{"id":"t2","markdown":"---\nclass: Task\n---\n# Read\n## Status\ndone\n## Due\n1 January 2026\n## Points\n5\n"}`, 201, nil},
	{"POST", "/workspaces/ws/notes", `{"markdown":"## Due\nsoon","class":"Task"}`, 422, []string{`"errors":\[\{"field":"Due","message":"\\"soon\\" is not a date`}},
	{"POST", "/workspaces/ws/notes", `{"markdown":"x","class":"Nothing"}`, 422, []string{`there is no class`}},
	{"POST", "/workspaces/ws/notes", `{"class":"Task","properties":{"Due":"a\n## B\n"}}`, 400, []string{`properties.Due`}},
	{"GET", "/workspaces/ws/notes/t1", "", 200, []string{
		`"title":"Write","class":"Task"`, `"properties":\{"Due":"2025-12-01","Points":3,"Status":"pending"\}`, `"markdown":"# Write\\n\\n## Status\\n\\n## Due\\n2025-12-01\\n\\n## Points\\n3\\n"`,
		`"revision_id":"(?P<t1>[^"]+)"`, `"integrity":\{"checksum":"[0-9a-f]{64}","signature":"[0-9a-f]{64}"\}`, `"sections":\{"Due":"2025-12-01","Points":"3","Status":""\}`, `"frontmatter":\{\}`,
	}},
	{"GET", "/workspaces/ws/notes/none", "", 404, []string{`there is no note`}},
	{"GET", "/workspaces/ws/notes", "", 200, []string{`^\[\{"id":"t2","revision_id":"[^"]+","title":"Read","class":"Task","tags":\[\],"properties":\{"Due":"2026-01-01","Points":5,"Status":"done"\},"links":\[\],"canvas_position":null,"created_at":"20[^"]+Z","updated_at":"20[^"]+Z"\},\{"id":"t1"`}},
	{"GET", "/workspaces/ws/notes?limit=1", "", 200, []string{`^\[\{"id":"t2","revision_id":"(?P<t2>[^"]+)"`, `\}\]$`}},
	{"GET", "/workspaces/ws/notes?limit=1&cursor=$t2", "", 200, []string{`^\[\{"id":"t1"`}},
	{"GET", "/workspaces/ws/notes?cursor=none", "", 400, []string{`the cursor is not known`}},
	{"GET", "/workspaces/ws/notes?limit=1001", "", 400, nil},
	{"GET", "/workspaces/ws/notes?offset=1", "", 400, []string{`unknown parameter`}},
	{"PUT", "/workspaces/ws/notes/t1", `{"markdown":"# Write\n\n## Status\ndone\n[[Read]] ieapp://ws/notes/$first"}`, 400, []string{`parent_revision_id is missing`}},
	{"PUT", "/workspaces/ws/notes/t1", `{"markdown":"# Write\n\n## Status\ndone\n\n## Text\n[[Read]] ieapp://ws/notes/$first","parent_revision_id":"$t1","canvas_position":{"x":1}}`, 200, []string{`"id":"t1","revision_id":"(?P<t1b>[^"]+)"`}},
	{"PUT", "/workspaces/ws/notes/t1", `{"markdown":"x","parent_revision_id":"$t1"}`, 409, []string{`"current_revision":\{"id":"t1","revision_id":"$t1b"`, `"markdown":"# Write`}},
	{"PUT", "/workspaces/ws/notes/t1", `{"markdown":"## Points\nmany","parent_revision_id":"$t1"}`, 409, []string{`"revision_id":"$t1b"`}}, // although it has an invalid value
	{"PUT", "/workspaces/ws/notes/t1", `{"markdown":"x","parent_revision_id":"$t1b","class":"Task","title":"no"}`, 400, nil},
	{"PUT", "/workspaces/ws/notes/t1", `{"markdown":"## Status\nx\n## Points\nmany","parent_revision_id":"$t1b"}`, 422, []string{`"field":"Points"`}},
	{"PUT", "/workspaces/ws/notes/none", `{"markdown":"x","parent_revision_id":"y"}`, 404, nil},
	{"GET", "/workspaces/ws/notes/t1", "", 200, []string{`"class":"Task"`, `"canvas_position":\{"x":1\}`, `"source":"t1","target":"t2","kind":"wiki","origin":"text","resolved":true`, `"target":"$first","kind":"uri"`}},
	{"GET", "/workspaces/ws/notes/t1/history", "", 200, []string{`^\{"note_id":"t1","revisions":\[\{"revision_id":"$t1b","timestamp":"20[^"]+","author":"test","deleted":false,"checksum":"[0-9a-f]{64}","signature":"[0-9a-f]{64}"\},\{"revision_id":"$t1"`}},
	{"GET", "/workspaces/ws/notes/t1/history?limit=1&cursor=$t1b", "", 200, []string{`"revisions":\[\{"revision_id":"$t1"`}},
	{"GET", "/workspaces/ws/notes/t1/history/$t1b", "", 200, []string{`"parent_revision_id":"$t1","markdown":"# Write`, `-2025-12-01\\n`, `\+done\\n`}},
	{"GET", "/workspaces/ws/notes/t2/history/$t1b", "", 404, nil},
	{"POST", "/workspaces/ws/notes/t1/restore", `{"revision_id":"$t1"}`, 200, []string{`"id":"t1"`}},
	{"GET", "/workspaces/ws/notes/t1", "", 200, []string{`"markdown":"# Write\\n\\n## Status\\n\\n## Due\\n2025-12-01\\n\\n## Points\\n3\\n"`}},
	{"POST", "/workspaces/ws/notes/t1/restore", `{"revision_id":"$t2"}`, 404, nil},
	{"DELETE", "/workspaces/ws/notes/n1?parent_revision_id=old", "", 409, []string{`"current_revision":\{"id":"n1"`}},
	{"DELETE", "/workspaces/ws/notes/n1", "", 204, nil},
	{"DELETE", "/workspaces/ws/notes/n1", "", 404, nil},
	{"GET", "/workspaces/ws/notes/n1", "", 404, nil},
	{"GET", "/workspaces/ws/notes/n1/history", "", 200, []string{`"revisions":\[\{"revision_id":"(?P<gone>[^"]+)",[^}]*"deleted":true[^}]*\},\{"revision_id":"(?P<n1>[^"]+)"`}},
	{"POST", "/workspaces/ws/notes/n1/restore", `{"revision_id":"$gone"}`, 400, nil},
	{"POST", "/workspaces/ws/notes/n1/restore", `{"revision_id":"$n1"}`, 200, nil},
	{"GET", "/workspaces/ws/notes/n1", "", 200, []string{`"markdown":"the alias"`}},

	{"POST", "/workspaces/ws/query", `{"filter":{"class":"Task","properties.Status":"pending"}}`, 200, []string{`^\[\{"id":"t1"[^\[]*\[\][^\[]*\[\][^\[]*\}\]$`}},
	{"POST", "/workspaces/ws/query", `{"filter":{"properties.Points":{"$gt":3}}}`, 200, []string{`^\[\{"id":"t2"`}},
	{"POST", "/workspaces/ws/query", `{"filter":{"Status":"pending"}}`, 400, []string{`want properties.Status`}},
	{"POST", "/workspaces/ws/query", `{"filter":{"class":{"$like":"T"}}}`, 400, []string{`there is no operator`}},
	{"POST", "/workspaces/ws/query", `{"filter":{"class":"Task"},"sort":"-properties.Points","limit":1}`, 200, []string{`^\[\{"id":"t2","revision_id":"(?P<q>[^"]+)"`}},
	{"POST", "/workspaces/ws/query", `{"filter":{"class":"Task"},"sort":"-properties.Points","limit":1,"cursor":"$q"}`, 200, []string{`^\[\{"id":"t1"`}},
	{"GET", "/workspaces/ws/search?q=ALIAS", "", 200, []string{`^\[\{"id":"n1"`}},
	{"GET", "/workspaces/ws/search?q=cont", "", 200, []string{`^\[\{"id":"$first"`}},
	{"GET", "/workspaces/ws/search", "", 400, []string{`q is missing`}},

	{"POST", "/workspaces/ws/links", `{"source":"t1","target":"n1"}`, 201, []string{`"id":"(?P<link>[^"]+)","source":"t1","target":"n1","kind":"related","origin":"made","resolved":true`}},
	{"POST", "/workspaces/ws/links", `{"source":"t1","target":"none"}`, 404, nil},
	{"GET", "/workspaces/ws/links", "", 200, []string{`^\[\{"id":"$link"`}},
	{"GET", "/workspaces/ws/links?note_id=t2", "", 200, []string{`^\[\]$`}},
	{"GET", "/workspaces/ws/links?note_id=none", "", 404, nil},
	{"GET", "/workspaces/ws/links/$link", "", 200, []string{`"kind":"related"`}},
	{"DELETE", "/workspaces/ws/links/$link", "", 204, nil},
	{"DELETE", "/workspaces/ws/links/$link", "", 404, nil},

	{"DELETE", "/workspaces/ws/classes/Task", "", 409, []string{`notes have the class`}},
	{"POST", "/workspaces/ws/classes", `{"name":"Job","from_notes":["t1","t2"]}`, 201, []string{`"fields":\{"Due":\{"type":"date","required":true\},"Points":\{"type":"number","required":true\},"Status":\{"type":"string"\}\}`}},
	{"GET", "/workspaces/ws/classes", "", 200, []string{`^\[\{"name":"Job"`, `\{"name":"Task"`}},
	{"DELETE", "/workspaces/ws/classes/Job", "", 204, nil},

	{"POST", "/workspaces/ws/attachments", `{"name":"a.txt","content_base64":"aGVsbG8="}`, 201, []string{`"id":"(?P<file>[^"]+)","name":"a.txt","path":"(?P<path>attachments/[^"]+-a.txt)","type":"text/plain; charset=utf-8","size":5,"sha256":"2cf24dba`}},
	{"POST", "/workspaces/ws/attachments", `{"name":"../a.txt","content_base64":""}`, 400, nil},
	{"GET", "/workspaces/ws/attachments", "", 200, []string{`^\[\{"id":"$file"`}},
	{"GET", "/workspaces/ws/attachments/$file", "", 200, []string{`"content_base64":"aGVsbG8="`}},
	{"POST", "/workspaces/ws/notes", `{"id":"n3","markdown":"![](<$path>)"}`, 201, nil},
	{"DELETE", "/workspaces/ws/attachments/$file", "", 409, []string{`the note n3 names`}},
	{"DELETE", "/workspaces/ws/notes/n3", "", 204, nil},
	{"POST", "/workspaces/ws/notes", `{"id":"n4","markdown":"x","attachments":["$file"]}`, 201, nil},
	{"GET", "/workspaces/ws/notes/n4", "", 200, []string{`"attachments":\["$file"\]`}},
	{"DELETE", "/workspaces/ws/attachments/$file", "", 409, nil},
	{"DELETE", "/workspaces/ws/notes/n4", "", 204, nil},
	{"DELETE", "/workspaces/ws/attachments/$file", "", 204, nil},
	{"GET", "/workspaces/ws/attachments/$file", "", 404, nil},
	{"POST", "/workspaces/ws/notes", `{"markdown":"x","attachments":["none"]}`, 400, nil},
}

func TestContract(t *testing.T) {
	run := func(t *testing.T, serve server) {
		captured := map[string]string{}
		expand := func(s string) string {
			return regexp.MustCompile(`\$([a-z]\w*)`).ReplaceAllStringFunc(s, func(name string) string {
				if v, is := captured[name[1:]]; is {
					return v
				}
				return name
			})
		}
		for _, c := range contract {
			r := serve(c.method, expand(c.path), expand(c.body))
			if r.Status != c.status {
				t.Errorf("%s %s %s: status %d, want %d: %s", c.method, c.path, c.body, r.Status, c.status, r.Body)
				continue
			}
			if c.status == http.StatusNoContent && len(r.Body) > 0 || c.status != http.StatusNoContent && !json.Valid(r.Body) {
				t.Errorf("%s %s: body %q", c.method, c.path, r.Body)
			}
			for _, pattern := range c.answer {
				re := regexp.MustCompile(expand(pattern))
				m := re.FindStringSubmatch(string(r.Body))
				if m == nil {
					t.Errorf("%s %s %s: want %s in\n%s", c.method, c.path, c.body, re, r.Body)
					continue
				}
				for i, name := range re.SubexpNames() {
					if name != "" {
						captured[name] = m[i]
					}
				}
			}
		}
	}
	eachDatabase(t, func(t *testing.T, a *API) {
		t.Run("each committed", func(t *testing.T) {
			run(t, func(method, path, body string) Response { return request(t, a, method, path, body) })
		})
	})
	t.Run("in one overlay", func(t *testing.T) {
		a := open(t, filepath.Join(t.TempDir(), "notes.db"), nil)
		o := a.Begin(Caller{Author: "test"})
		run(t, func(method, path, body string) Response { return o.Serve(t.Context(), parse(t, method, path, body)) })
		if r := request(t, a, "GET", "/workspaces/ws/notes", ""); string(r.Body) != "[]" {
			t.Errorf("before the commit others see %s", r.Body)
		}
		if err := o.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := request(t, a, "GET", "/workspaces/ws/notes", ""); !strings.HasPrefix(string(r.Body), `[{"id":"n1"`) {
			t.Errorf("afterwards they see %s", r.Body)
		}
	})
}

// The script of the specification reads this.
func TestPendingTasks(t *testing.T) {
	a := open(t, filepath.Join(t.TempDir(), "notes.db"), nil)
	request(t, a, "POST", "/workspaces/ws/notes", `{"markdown":"---\nclass: Task\n---\n# One\n\n## Status\npending\n"}`)
	request(t, a, "POST", "/workspaces/ws/notes", `{"markdown":"---\nclass: Task\n---\n# Two\n\n## Status\ndone\n"}`)
	r := request(t, a, "POST", "/workspaces/ws/query", `{"filter": {"class": "Task", "properties.Status": "pending"}}`)
	var tasks []struct {
		Title      string
		Properties map[string]any
	}
	if err := json.Unmarshal(r.Body, &tasks); err != nil || len(tasks) != 1 || tasks[0].Title != "One" || tasks[0].Properties["Status"] != "pending" {
		t.Errorf("%s, %v", r.Body, err)
	}
}

func TestNextPage(t *testing.T) {
	a := open(t, filepath.Join(t.TempDir(), "notes.db"), nil)
	for i := range 5 {
		request(t, a, "POST", "/workspaces/ws/notes", fmt.Sprintf(`{"markdown":"word","id":"n%d"}`, i))
	}
	var seen []string
	for path := "/workspaces/ws/search?q=word&limit=2"; path != ""; {
		r := request(t, a, "GET", path, "")
		var list []struct{ ID string }
		if err := json.Unmarshal(r.Body, &list); err != nil {
			t.Fatal(err, string(r.Body))
		}
		for _, n := range list {
			seen = append(seen, n.ID)
		}
		path, _, _ = strings.Cut(strings.TrimPrefix(r.Header["Link"], "<"), ">")
	}
	if !slices.Equal(seen, []string{"n4", "n3", "n2", "n1", "n0"}) {
		t.Errorf("all pages have %v", seen)
	}
}

// A note can be asked for without its links, for those who need its name and text.
func TestNoteWithoutLinks(t *testing.T) {
	a := open(t, filepath.Join(t.TempDir(), "notes.db"), nil)
	request(t, a, "PUT", "/workspaces/ws/classes/Task", `{"fields":{"Status":{"type":"string"}}}`)
	request(t, a, "POST", "/workspaces/ws/notes", `{"id":"a","class":"Task","markdown":"# A\n[[b]]\n## Status\nopen\n"}`)
	whole := request(t, a, "GET", "/workspaces/ws/notes/a", "")
	r := parse(t, "GET", "/workspaces/ws/notes/a", "")
	r.WithoutLinks = true
	part := a.Serve(t.Context(), Caller{}, r)
	if want := (NoteName{"ws", "a", "Task"}); whole.Note != want || part.Note != want {
		t.Errorf("named %+v and %+v, want %+v", whole.Note, part.Note, want)
	}
	links := regexp.MustCompile(`"links":\[[^\]]*\]`)
	if !strings.Contains(string(whole.Body), `"target":"b"`) || links.ReplaceAllString(string(whole.Body), `"links":[]`) != string(part.Body) {
		t.Errorf("whole: %s\nwithout links: %s", whole.Body, part.Body)
	}
}
