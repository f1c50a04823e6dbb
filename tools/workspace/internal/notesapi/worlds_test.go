package notesapi

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

func hidesSecrets(_ string, r notestore.Record) bool {
	return slices.Contains(r.Tags, "secret") || r.Class == "Secret" || r.Properties["Private"] != nil
}

var signatures = regexp.MustCompile(`"signature":"[0-9a-f]{64}"`)

// In a world with hidden notes every answer is, byte for byte, that of a world
// without them.
func TestTwoWorlds(t *testing.T) {
	with := open(t, filepath.Join(t.TempDir(), "with.db"), hidesSecrets)
	without := open(t, filepath.Join(t.TempDir(), "without.db"), hidesSecrets)
	person := New(Options{Store: with.store}) // who hides is not hidden from
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	seed := uint64(0)
	next := func() Caller {
		seed++
		return Caller{Author: "agent", Began: at.Add(time.Duration(seed) * time.Second), Seed: seed}
	}
	secretly := func(method, path, body string) {
		if r := person.Serve(t.Context(), Caller{Author: "person"}, parse(t, method, path, body)); r.Status >= 300 {
			t.Fatalf("%s %s: %s", method, path, r.Body)
		}
	}
	both := func(method, path, body string) (answer string) {
		t.Helper()
		c := next()
		one := with.Serve(t.Context(), c, parse(t, method, path, body))
		two := without.Serve(t.Context(), c, parse(t, method, path, body))
		a, b := signatures.ReplaceAllString(string(one.Body), ""), signatures.ReplaceAllString(string(two.Body), "")
		a, b = strings.ReplaceAll(a, started(t, with), ""), strings.ReplaceAll(b, started(t, without), "")
		if one.Status != two.Status || a != b || fmt.Sprint(one.Header) != fmt.Sprint(two.Header) {
			t.Errorf("%s %s %s\nwith what is hidden: %d %s %v\nwithout:             %d %s %v", method, path, body, one.Status, a, one.Header, two.Status, b, two.Header)
		}
		return string(one.Body)
	}
	both("PUT", "/workspaces/ws/classes/Meeting", `{"fields":{"Date":{"type":"date"}}}`)
	secretly("PUT", "/workspaces/ws/classes/Secret", `{"fields":{}}`)
	both("POST", "/workspaces/ws/notes", `{"id":"a","markdown":"# Alpha\nword word [[Hidden]] [[hid]] ieapp://ws/notes/hid","class":"Meeting"}`)
	secretly("POST", "/workspaces/ws/notes", `{"id":"hid","markdown":"# Hidden\nword #secret [[Alpha]] ieapp://ws/notes/a"}`)
	secretly("POST", "/workspaces/ws/notes", `{"id":"hid2","markdown":"# Alpha\nrare word","class":"Secret"}`)
	secretly("POST", "/workspaces/ws/attachments", `{"name":"hidden.txt","content_base64":"aGVsbG8="}`)
	both("POST", "/workspaces/ws/notes", `{"id":"b","markdown":"# Beta\nword [[Alpha]]\n## Date\n2025-01-01","class":"Meeting"}`)
	secretly("POST", "/workspaces/ws/notes", `{"id":"c0","markdown":"# Word\n## Private\nyes\nword","class":"Meeting"}`)
	secretly("POST", "/workspaces/ws/links", `{"source":"a","target":"hid"}`)
	list := person.Serve(t.Context(), Caller{}, parse(t, "GET", "/workspaces/ws/attachments", ""))
	id := regexp.MustCompile(`"id":"([^"]+)"`).FindStringSubmatch(string(list.Body))[1]
	secretly("POST", "/workspaces/ws/notes", fmt.Sprintf(`{"id":"f","markdown":"#secret","attachments":[%q]}`, id))
	both("POST", "/workspaces/ws/links", `{"source":"a","target":"b","kind":"k"}`)
	both("POST", "/workspaces/ws/links", `{"source":"a","target":"hid"}`)
	reads := func() {
		for _, path := range []string{
			"/workspaces/ws/notes", "/workspaces/ws/notes?limit=1", "/workspaces/ws/notes/a", "/workspaces/ws/notes/b", "/workspaces/ws/notes/hid",
			"/workspaces/ws/notes/hid/history", "/workspaces/ws/notes/a/history", "/workspaces/ws/notes/b/history", "/workspaces/ws/links", "/workspaces/ws/links?note_id=a",
			"/workspaces/ws/links?note_id=hid", "/workspaces/ws/links?limit=1", "/workspaces/ws/search?q=word", "/workspaces/ws/search?q=rare",
			"/workspaces/ws/search?q=rar", "/workspaces/ws/search?q=alpha", "/workspaces/ws/classes", "/workspaces/ws/classes/Secret", "/workspaces/ws/classes/Meeting",
			"/workspaces/ws/attachments", "/workspaces/ws/attachments/" + id, "/workspaces/ws",
		} {
			both("GET", path, "")
		}
		for _, filter := range []string{`{}`, `{"class":"Secret"}`, `{"class":"Meeting"}`, `{"properties.Private":"yes"}`, `{"tag":"secret"}`, `{"links":"Alpha"}`, `{"title":"Alpha"}`} {
			both("POST", "/workspaces/ws/query", `{"filter":`+filter+`}`)
			both("POST", "/workspaces/ws/query", `{"filter":`+filter+`,"sort":"title","limit":1}`)
		}
		both("DELETE", "/workspaces/ws/notes/hid", "")
		both("PUT", "/workspaces/ws/notes/hid", `{"markdown":"x","parent_revision_id":"x"}`)
		both("POST", "/workspaces/ws/notes/hid/restore", `{"revision_id":"x"}`)
		both("POST", "/workspaces/ws/classes", `{"name":"New","from_notes":["hid"]}`)
		both("POST", "/workspaces/ws/notes", fmt.Sprintf(`{"markdown":"#secret","attachments":[%q]}`, "none"))
	}
	reads()
	secretly("DELETE", "/workspaces/ws/notes/hid", "")
	reads()
	for _, refused := range []struct{ method, path, body string }{
		{"POST", "/workspaces/ws/notes", `{"id":"hid","markdown":"x"}`},
		{"POST", "/workspaces/ws/notes", `{"id":"new","markdown":"x #secret"}`},
		{"PUT", "/workspaces/ws/classes/Secret", `{"fields":{}}`},
	} {
		r := with.Serve(t.Context(), next(), parse(t, refused.method, refused.path, refused.body))
		if r.Status != 403 || !r.Hidden {
			t.Errorf("%s %s %s: %d %s", refused.method, refused.path, refused.body, r.Status, r.Body)
		}
	}
}

// started is when the workspace was made, by another clock than everything else.
func started(t *testing.T, a *API) string {
	t.Helper()
	var w struct {
		Created string `json:"created_at"`
	}
	if err := json.Unmarshal(request(t, a, "GET", "/workspaces/ws", "").Body, &w); err != nil {
		t.Fatal(err)
	}
	return w.Created
}

// A request with names that are none answers, and not with 500.
func TestHostileNames(t *testing.T) {
	eachDatabase(t, func(t *testing.T, a *API) {
		request(t, a, "POST", "/workspaces/ws/notes", `{"id":"a","markdown":"x"}`)
		for _, name := range []string{"%00", "%ff", "a%2Fb", "..", "'", "%F0%9F%98%80", "*", strings.Repeat("a", 5000)} {
			for _, r := range Routes() {
				path := regexp.MustCompile(`\{[a-z_]+\}`).ReplaceAllString(strings.Replace(r.Path, "{workspace_id}", "ws", 1), name)
				body := ""
				if r.Body != "" {
					body = `{"markdown":"a\u0000b","revision_id":"\u0000","source":"\u0000","target":"a","from_notes":["\u0000"],"name":"\u0000"}`
				}
				for _, query := range []url.Values{{}, {"cursor": {"\x00"}}, {"cursor": {"\xff"}}, {"q": {"\x00"}}, {"note_id": {"\x00"}}, {"parent_revision_id": {"\x00"}}} {
					answer := a.Serve(t.Context(), Caller{}, Request{Method: r.Method, Path: path, Query: query, Body: json.RawMessage(body)})
					if answer.Status >= 500 {
						t.Errorf("%s %s %v %s: %s", r.Method, path, query, body, answer.Body)
					}
				}
			}
			for _, body := range []string{`{"filter":{"class":"\u0000","title":"\u0000"}}`, `{"filter":{},"cursor":"\u0000"}`, `{"markdown":"a\u0000"}`, `{"revision_id":"\u0000"}`, `{"source":"a","target":"a","kind":"\u0000"}`} {
				for _, path := range []string{"/workspaces/ws/query", "/workspaces/ws/notes", "/workspaces/ws/notes/a/restore", "/workspaces/ws/links"} {
					if r := request(t, a, "POST", path, body); r.Status >= 500 {
						t.Errorf("POST %s %s: %s", path, body, r.Body)
					}
				}
			}
		}
	})
}
