package org_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org"
)

// A testSource is an open source on files of a test.
type testSource struct {
	mu sync.Mutex // of changed
	*tools.OpenedSource
	t       *testing.T
	dir     string
	changed []string
	changes []tools.Change
	follows []string // URIs that somebody is subscribed to
}

// testSystem is the System that tests open sources of, as one hub does: to find out its
// schemas takes longer than most of what a test calls.
var testSystem = sync.OnceValue(org.System)

// openFiles writes files, by name, and opens them with a configuration and what is
// hidden.
func openFiles(t *testing.T, files map[string]string, c org.Config, hidden ...string) *testSource {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &testSource{t: t, dir: dir}
	for name, text := range files {
		put(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	if c.Path == "" && len(c.Files) == 0 {
		c.Path = "DIR"
	}
	c.Path = tools.Folder(strings.ReplaceAll(string(c.Path), "DIR", filepath.ToSlash(dir)))
	for i, file := range c.Files {
		c.Files[i] = strings.ReplaceAll(file, "DIR", filepath.ToSlash(dir))
	}
	config, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var privacy tools.Privacy
	for _, h := range hidden {
		rule, err := tools.ParsePrivacyRule(h)
		if err != nil {
			t.Fatal(err)
		}
		privacy.Exclude = append(privacy.Exclude, rule)
	}
	s.OpenedSource, err = testSystem().Open(t.Context(), config, tools.Env{
		Name: "org", Now: func() time.Time { return caseTime }, Privacy: privacy, ResourceChanged: s.announce, Subscribed: func() []string { return slices.Clone(s.follows) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// announce keeps a resource that has changed.
func (s *testSource) announce(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = append(s.changed, uri)
}

// announced are the resources that have changed since it was called last.
func (s *testSource) announced() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := s.changed
	s.changed = nil
	return changed
}

// report keeps the changes of a call.
func (s *testSource) report(changes []tools.Change) { s.changes = append(s.changes, changes...) }

// call calls a tool and returns its answer, or the error object as an agent gets it.
func (s *testSource) call(tool, args string) map[string]any {
	s.t.Helper()
	got, err := s.Call(s.t.Context(), tools.CallContext{Writes: observer{s}}, tool, json.RawMessage(args))
	var raw []byte
	if err != nil {
		raw, err = json.Marshal(testSystem().Manifest().ErrorFormat.Object(tools.AsError(err)))
		if err != nil {
			s.t.Fatal(err)
		}
	} else {
		raw = got.JSON
	}
	out := map[string]any{}
	if err := json.Unmarshal(raw, &out); err != nil {
		s.t.Fatal(err)
	}
	return out
}

// must is call for one that must succeed.
func (s *testSource) must(tool, args string) map[string]any {
	s.t.Helper()
	out := s.call(tool, args)
	if out["error"] != nil {
		s.t.Fatalf("%s %s: %v", tool, args, out)
	}
	return out
}

// fails checks that a call fails with words in its message.
func (s *testSource) fails(tool, args, words string) map[string]any {
	s.t.Helper()
	out := s.call(tool, args)
	if message, _ := out["message"].(string); out["error"] == nil || !strings.Contains(message, words) {
		s.t.Errorf("%s %s: %v, want an error with %q", tool, args, out, words)
	}
	return out
}

func (s *testSource) read(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(name)))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func (s *testSource) holds(name, want string) {
	s.t.Helper()
	if diff := cmp.Diff(want, s.read(name)); diff != "" {
		s.t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

const projects = `#+TODO: TODO | DONE(d!) CANCELLED(c@)
* Alpha
:PROPERTIES:
:ID:       a-1
:CUSTOM_ID: first
:END:
** TODO Write plan :x:
text
** A/B; C [1/2]
*** TODO one
*** DONE two
* Call Bob
:PROPERTIES:
:ID:       bob-1
:END:
* Call Bob
`

// TestSpellings reads one headline by every spelling of its URI.
func TestSpellings(t *testing.T) {
	s := openFiles(t, map[string]string{"projects.org": projects, "id/x y.org": "* Ä %41\n** headline\n"}, org.Config{})
	abs := filepath.ToSlash(s.dir)
	for uri, heading := range map[string]string{
		"org://projects.org/headline/Alpha":             "Alpha",
		"org://" + abs + "/projects.org/headline/Alpha": "Alpha",
		"org://id/a-1": "Alpha",
		"org-id://a-1": "Alpha",
		"id:a-1":       "Alpha",
		"org-headline://" + abs + "/projects.org#Alpha":                   "Alpha",
		"org-headline://" + abs + "/projects.org#Write%20plan":            "Write plan",
		"file:projects.org::*Alpha":                                       "Alpha",
		"file:projects.org::#first":                                       "Alpha",
		"org://projects.org/headline/Alpha/Write plan":                    "Write plan",
		"org://projects.org/headline/Alpha/A%2FB%3B%20C%20%5B1%2F2%5D":    "A/B; C [1/2]",
		"org://projects.org/outline/Alpha":                                "Alpha",
		"org://projects.org/headline/Call%20Bob;2":                        "Call Bob",
		"org:///" + abs[1:] + "/id/x%20y.org/headline/%C3%84%20%2541":     "Ä %41",
		"org:///" + abs[1:] + "/id/x%20y.org/headline/Ä%20%2541/headline": "headline",
	} {
		out := s.call("org-get-properties", `{"resourceUri":`+quote(uri)+`,"includeSpecial":true,"properties":["ITEM"]}`)
		if got, _ := out["properties"].(map[string]any); got["ITEM"] != heading {
			t.Errorf("%s: %v, want %q", uri, out, heading)
		}
	}
	for _, uri := range []string{"http://x", "org://", "org://../secret.org", "org://projects.org/headline/%00", "projects.org", ""} {
		s.fails("org-get-properties", `{"resourceUri":`+quote(uri)+`}`, "")
	}
	s.fails("org-schedule-task", `{"resourceUri":"org://projects.org","scheduled":"fri"}`, "not a whole file")
	s.fails("org-get-properties", `{"resourceUri":"org://projects.org/headline/Beta"}`, "Cannot find headline: Beta")
	s.fails("org-get-properties", `{"resourceUri":"org://id/none"}`, "Cannot find ID 'none'")
	s.fails("org-get-properties", `{"resourceUri":"org:///etc/passwd.org"}`, "'/etc/passwd.org': the referenced file not in allowed list")
	s.fails("org-read-file", `{"file":"secret.org.gpg"}`, "encrypted")
	out := s.fails("org-get-properties", `{"resourceUri":"org://projects.org/headline/Call%20Bob"}`, "2 headlines have this path")
	want := []any{
		map[string]any{"resourceUri": "org://projects.org/headline/Call%20Bob;1", "orgId": "bob-1", "line": 12.0},
		map[string]any{"resourceUri": "org://projects.org/headline/Call%20Bob;2", "line": 16.0},
	}
	if diff := cmp.Diff(want, out["candidates"]); diff != "" || out["error"] != "AMBIGUOUS" {
		t.Errorf("%v (-want +got):\n%s", out["error"], diff)
	}
	hint := "Use one of these URIs, or org://id/ID: org://projects.org/headline/Call%20Bob;1 (line 12, ID bob-1), org://projects.org/headline/Call%20Bob;2 (line 16)."
	if out["hint"] != hint {
		t.Errorf("hint %q, want %q", out["hint"], hint) // clients that show only text
	}
}

func quote(text string) string {
	b, _ := json.Marshal(text) //nolint:errchkjson // a string
	return string(b)
}

// TestStateMismatch has the specification's error object.
func TestStateMismatch(t *testing.T) {
	s := openFiles(t, map[string]string{"projects.org": projects}, org.Config{})
	got := s.call("org-update-todo-state", `{"resourceUri":"org://projects.org/headline/Alpha/Write%20plan","currentState":"","newState":"DONE"}`)
	want := map[string]any{
		"error": "State mismatch", "message": "State mismatch: expected '(no state)', found 'TODO'", "actualState": "TODO", "expectedState": "",
		"resourceUri": "org://projects.org/headline/Alpha/Write%20plan", "hint": "Use the state that the headline has.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	s.holds("projects.org", projects)
}

// TestStateChange leaves the bytes that Emacs writes, takes the names of another
// server, and answers what became of the headline.
func TestStateChange(t *testing.T) {
	s := openFiles(t, map[string]string{"projects.org": projects}, org.Config{Vars: map[string]string{"org-log-done": "time"}})
	out := s.must("org-update-todo-state", `{"uri":"org-id://a-1","current_state":"","new_state":"CANCELLED","note":"no money"}`)
	if out["newState"] != "CANCELLED" || out["orgId"] != "a-1" || out["etag"] == "" {
		t.Errorf("answer: %v", out)
	}
	want := strings.Replace(projects, "* Alpha\n", "* CANCELLED Alpha\nCLOSED: [2026-01-07 Wed 10:00]\n", 1)
	want = strings.Replace(want, ":CUSTOM_ID: first\n:END:\n", ":CUSTOM_ID: first\n:END:\n- State \"CANCELLED\"  from              [2026-01-07 Wed 10:00] \\\\\n  no money\n", 1)
	s.holds("projects.org", want)
	s.fails("org-update-todo-state", `{"uri":"x","resourceUri":"y","currentState":"","newState":""}`, "different values")
	s.fails("org-update-todo-state", `{"resourceUri":"org://id/a-1","currentState":"CANCELLED","newState":"LATER"}`, `"LATER" is not a TODO state`)
	s.fails("org-update-todo-state", `{"resourceUri":"org://id/a-1","currentState":"CANCELLED","newState":"DONE","ifMatch":"0000"}`, "changed since it was read")
	etag, _ := out["etag"].(string)
	s.must("org-update-todo-state", `{"resourceUri":"org://id/a-1","currentState":"CANCELLED","newState":"","ifMatch":"`+etag+`"}`)
}

// TestDryRun shows a diff and writes nothing.
func TestDryRun(t *testing.T) {
	s := openFiles(t, map[string]string{"a.org": "* TODO One\r\n* Two\r\n"}, org.Config{})
	out := s.must("org-schedule-task", `{"resourceUri":"org://a.org/headline/One","scheduled":"+2d","dryRun":true}`)
	if diff, _ := out["diff"].(string); !strings.Contains(diff, "+SCHEDULED: <2026-01-09 Fri>") || len(s.changes) > 0 {
		t.Errorf("diff: %v, changes %v", out, s.changes)
	}
	s.holds("a.org", "* TODO One\r\n* Two\r\n")
	s.must("org-schedule-task", `{"resourceUri":"org://a.org/headline/One","scheduled":"+2d"}`)
	s.holds("a.org", "* TODO One\r\nSCHEDULED: <2026-01-09 Fri>\r\n* Two\r\n")
}

// TestAddTodo puts headlines at every kind of place.
func TestAddTodo(t *testing.T) {
	text := "#+TITLE: T\n\n* P [0/1]\n** TODO one\n\n** two\n* Q\n"
	for _, c := range []struct{ args, want string }{
		{`"parentUri":"org://a.org/headline/P%20%5B0%2F1%5D","todoState":"TODO","tags":["t"]`, "#+TITLE: T\n\n* P [0/2]\n** TODO one\n\n** two\n** TODO New                                                               :t:\nDRAWER* Q\n"},
		{`"parentUri":"org://a.org/headline/P%20%5B0%2F1%5D","position":"start"`, "#+TITLE: T\n\n* P [0/1]\n** New\nDRAWER** TODO one\n\n** two\n* Q\n"},
		{`"parentUri":"org://a.org","position":"start","body":"some\ntext"`, "#+TITLE: T\n\n* New\nDRAWERsome\ntext\n* P [0/1]\n** TODO one\n\n** two\n* Q\n"},
		{`"parent_uri":"org://a.org","priority":"A","deadline":"2026-02-01 +1w"`, text + "* [#A] New\nDEADLINE: <2026-02-01 Sun +1w>\nDRAWER"},
		{`"afterUri":"org://a.org/headline/P%20%5B0%2F1%5D/TODO"`, ""},
		{`"afterUri":"org://a.org/headline/P%20%5B0%2F1%5D/one"`, "#+TITLE: T\n\n* P [0/1]\n** TODO one\n\n** New\nDRAWER** two\n* Q\n"},
		{`"parentUri":"org://a.org/headline/Q","position":"datetree"`, text + "** 2026\n*** 2026-01 January\n**** 2026-01-07 Wednesday\n***** New\nDRAWER"},
	} {
		s := openFiles(t, map[string]string{"a.org": text}, org.Config{})
		out := s.call("org-add-todo", `{"title":"New",`+c.args+`}`)
		if c.want == "" {
			if out["error"] != "Not found" {
				t.Errorf("%s: %v", c.args, out)
			}
			s.holds("a.org", text)
			continue
		}
		id, _ := out["orgId"].(string)
		s.holds("a.org", strings.ReplaceAll(c.want, "DRAWER", ":PROPERTIES:\n:ID:       "+id+"\n:END:\n"))
	}
	s := openFiles(t, map[string]string{"a.org": text}, org.Config{IDs: "never"})
	out := s.must("org-add-todo", `{"title":"First"}`)
	s.holds("inbox.org", "* First\n")
	if out["file"] != "inbox.org" || out["resourceUri"] != "org://inbox.org/headline/First" {
		t.Errorf("answer: %v", out)
	}
	for args, words := range map[string]string{
		`"title":" "`:                                 "must not be empty",
		`"title":"a\nb"`:                              "cannot contain newlines",
		`"title":"a","body":"* x"`:                    "headlines at level 1",
		`"title":"a","body":"#+begin_src"`:            "unclosed SRC block",
		`"title":"a","body":"#+end_quote"`:            "Orphaned END_QUOTE",
		`"title":"a","tags":["a-b"]`:                  "Invalid tag name",
		`"title":"a","todoState":"LATER"`:             "not a TODO state",
		`"title":"a","parentUri":"org://b.org"`:       "not in allowed list",
		`"title":"a","deadline":"some day"`:           "deadline",
		`"title":"a","priority":"Z"`:                  "priority",
		`"title":"a","afterUri":"x","position":"end"`: "mutually exclusive",
	} {
		s.fails("org-add-todo", "{"+args+"}", words)
	}
	s.holds("inbox.org", "* First\n")
}

// TestEditBody replaces text below a headline and nothing else.
func TestEditBody(t *testing.T) {
	s := openFiles(t, map[string]string{"a.org": "* One\none two\ntwo\n** Child\n* Empty\n* Last"}, org.Config{})
	s.fails("org-edit-body", `{"resourceUri":"org://a.org/headline/One","oldBody":"two","newBody":"2"}`, "Text appears 2 times")
	s.fails("org-edit-body", `{"resourceUri":"org://a.org/headline/One","oldBody":"Child","newBody":"2"}`, "Body text not found: Child")
	s.fails("org-edit-body", `{"resourceUri":"org://a.org/headline/One","oldBody":"","newBody":"2"}`, "empty oldBody")
	s.fails("org-edit-body", `{"resourceUri":"org://a.org/headline/Empty","oldBody":"x","newBody":"2"}`, "no body content")
	s.fails("org-edit-body", `{"resourceUri":"org://a.org/headline/One","oldBody":"one","newBody":"\n* x"}`, "headlines at level 1")
	s.must("org-edit-body", `{"resourceUri":"org://a.org/headline/One","oldBody":"two\n","newBody":"2","replaceAll":true}`)
	s.must("org-edit-body", `{"resource_uri":"org://a.org/headline/Empty","old_body":"","new_body":"text","replace_all":"false"}`)
	s.must("org-edit-body", `{"resourceUri":"org://a.org/headline/Last","oldBody":"","newBody":"end"}`)
	s.holds("a.org", "* One\none 22\n** Child\n* Empty\ntext\n* Last\nend\n")
}

// TestMoves moves headlines between files and folders, archives them, and takes that
// back.
func TestMoves(t *testing.T) {
	s := openFiles(t, map[string]string{
		"office/a.org": "* One :x:\n** TODO Two\nbody\n* Three\n", "home/b.org": "* Target\n", "home/a.org": "* Other\n", "home/hidden.txt": "",
	}, org.Config{Files: []string{"DIR/office", "DIR/home/*.org", "DIR/home/*.org_archive"}})
	s.fails("org-get-properties", `{"resourceUri":"org://a.org/headline/One"}`, "may be one of 2 files")
	out := s.must("org-refile-headline", `{"resourceUri":"org://office/a.org/headline/One/Two","targetParentUri":"org://b.org/headline/Target"}`)
	if out["resourceUri"] != "org://home/b.org/headline/Target/Two" || out["sourceFile"] != "office/a.org" || out["targetFile"] != "home/b.org" {
		t.Errorf("answer: %v", out)
	}
	s.holds("office/a.org", "* One :x:\n* Three\n")
	s.holds("home/b.org", "* Target\n** TODO Two\nbody\n")
	if len(s.changes) != 2 || s.changes[0].Target != "office/a.org" || s.changes[1].Target != "home/b.org" {
		t.Fatalf("changes: %v", s.changes)
	}
	back := slices.Clone(s.changes)
	for i := range back {
		back[i].Before, back[i].After = back[i].After, back[i].Before
	}
	s.changes = nil
	if err := s.Restorer().Restore(t.Context(), tools.CallContext{Writes: observer{s}}, back); err != nil || len(s.changes) != 2 {
		t.Fatalf("restore: %v, reported %d", err, len(s.changes))
	}
	s.holds("office/a.org", "* One :x:\n** TODO Two\nbody\n* Three\n")
	s.holds("home/b.org", "* Target\n")
	if err := s.Restorer().Restore(t.Context(), tools.CallContext{}, back); tools.AsError(err).Code != tools.Conflict {
		t.Errorf("restore again: %v", err)
	}
	s.fails("org-refile-headline", `{"resourceUri":"org://office/a.org/headline/One","targetParentUri":"org://office/a.org/headline/One/Two"}`, "into itself")
	s.must("org-refile-headline", `{"resourceUri":"org://office/a.org/headline/Three","targetParentUri":"org://office/a.org","position":"start"}`)
	s.holds("office/a.org", "* Three\n* One :x:\n** TODO Two\nbody\n")
	out = s.must("org-archive-subtree", `{"resourceUri":"org://home/a.org/headline/Other"}`)
	if out["archiveFile"] != "home/a.org_archive" || !strings.Contains(s.read("home/a.org_archive"), "\n* Other\n:PROPERTIES:\n:ARCHIVE_TIME: 2026-01-07 Wed 10:00\n") {
		t.Errorf("archive: %v\n%s", out, s.read("home/a.org_archive"))
	}
	s.holds("home/a.org", "")
	if got := s.must("org-search-headlines", `{"query":"Other"}`); got["total"] != 0.0 {
		t.Errorf("an archived headline is found: %v", got)
	}
}

// TestBulkUpdate changes all or nothing.
func TestBulkUpdate(t *testing.T) {
	text := "* TODO One\n* TODO Two\n"
	s := openFiles(t, map[string]string{"a.org": text, "b.org": text}, org.Config{})
	s.fails("org-bulk-update", `{"edits":[{"resourceUri":"org://a.org/headline/One","currentState":"TODO","newState":"DONE"},{"resourceUri":"org://b.org/headline/None","priority":"A"}]}`, "edits[1]: Cannot find headline: None")
	s.holds("a.org", text)
	out := s.must("org-bulk-update", `{"edits":[{"resourceUri":"org://a.org/headline/One","currentState":"TODO","newState":"DONE","priority":"A"},{"resourceUri":"org://b.org/headline/Two","addTags":["x"],"properties":{"Effort":"1h"}}]}`)
	s.holds("a.org", "* DONE [#A] One\n* TODO Two\n")
	s.holds("b.org", "* TODO One\n* TODO Two                                                                :x:\n:PROPERTIES:\n:Effort:   1h\n:END:\n")
	if items, _ := out["items"].([]any); len(items) != 2 {
		t.Errorf("answer: %v", out)
	}
}

// TestHiddenHeadlines edits around headlines that agents do not see.
func TestHiddenHeadlines(t *testing.T) {
	text := "* P [1/3]\n** TODO one\n** TODO secret plan :secret:\n*** TODO below\n** DONE two\n* Q\n"
	s := openFiles(t, map[string]string{"a.org": text, "b.org": "* R\n"}, org.Config{Vars: map[string]string{"org-enforce-todo-dependencies": "t"}}, "#secret")
	read := func(file string) any { return s.must("org-read-file", `{"file":"`+file+`"}`)["content"] }
	if got := read("a.org"); got != "* P [1/2]\n** TODO one\n** DONE two\n* Q\n" {
		t.Errorf("shown: %q", got)
	}
	for _, count := range []string{"1%2F3", "1%2F2", "7%2F9"} { // no count says how many there are
		s.must("org-get-properties", `{"resourceUri":"org://a.org/headline/P%20%5B`+count+`%5D"}`)
	}
	s.must("org-update-todo-state", `{"resourceUri":"org://a.org/headline/P%20%5B1%2F2%5D/one","currentState":"TODO","newState":"DONE"}`)
	s.holds("a.org", strings.Replace(strings.Replace(text, "TODO one", "DONE one", 1), "[1/3]", "[2/3]", 1))
	if out := s.must("org-update-todo-state", `{"resourceUri":"org://a.org/headline/P%20%5B2%2F2%5D","currentState":"","newState":"DONE"}`); out["newState"] != "DONE" {
		t.Errorf("a hidden child blocks: %v", out)
	}
	out := s.must("org-refile-headline", `{"resourceUri":"org://a.org/headline/P%20%5B2%2F2%5D","targetParentUri":"org://b.org/headline/R","dryRun":true}`)
	if diff, _ := out["diff"].(string); strings.Contains(diff, "secret") || strings.Contains(diff, "2/3") || !strings.Contains(diff, "+*** DONE two") {
		t.Errorf("diff: %s", diff)
	}
	s.must("org-refile-headline", `{"resourceUri":"org://a.org/headline/P%20%5B2%2F2%5D","targetParentUri":"org://b.org/headline/R"}`)
	s.holds("b.org", "* R\n** DONE P [2/3]\n*** DONE one\n*** TODO secret plan                                                 :secret:\n**** TODO below\n*** DONE two\n")
	for _, args := range []string{
		`{"resourceUri":"org://a.org/headline/Q","tags":["secret"]}`, `{"resourceUri":"org://b.org/headline/R","tags":["secret"]}`,
	} {
		s.fails("org-set-tags", args, "hidden from agents")
	}
	s.fails("org-add-todo", `{"title":"x","tags":["secret"]}`, "hidden from agents")
	if _, err := os.Stat(filepath.Join(s.dir, "inbox.org")); err == nil {
		t.Error("a refused call made a file")
	}
}

// TestHiddenInlineTasks: what a rule hides in an inline task hides the text that it
// stands in, and no other rule shows it.
func TestHiddenInlineTasks(t *testing.T) {
	task := func(tag, key string) string {
		return "* P " + key + "\n*************** TODO x " + tag + "\n:PROPERTIES:\n:" + key + ": y\n:END:\n*************** END\n"
	}
	text := task(":secret:", "A") + task("", "KEY") + task(":b:", "B")
	inline := org.Config{Vars: map[string]string{"org-inlinetask-min-level": "15"}}
	s := openFiles(t, map[string]string{"a.org": text}, inline, "#secret", "property:key=y")
	if got := s.must("org-read-file", `{"file":"a.org"}`)["content"]; got != task(":b:", "B") {
		t.Errorf("shown: %q", got)
	}
	s.fails("org-edit-body", `{"resourceUri":"org://a.org/headline/P%20B","oldBody":"TODO x :b:","newBody":"TODO x :secret:"}`, "hidden from agents")
	s = openFiles(t, map[string]string{"a.org": task("", "A")}, inline)
	s.must("org-edit-body", `{"resourceUri":"org://a.org/headline/P%20A","oldBody":"TODO x","newBody":"DONE x"}`)
	s.holds("a.org", strings.Replace(task("", "A"), "TODO", "DONE", 1))
}

// TestEtagsIgnoreHiddenHeadlines keeps the etag of what is shown while a person edits
// what is not.
func TestEtagsIgnoreHiddenHeadlines(t *testing.T) {
	s := openFiles(t, map[string]string{"a.org": "* P\n** one\n** two :secret:\n"}, org.Config{}, "#secret")
	before := s.must("org-read-file", `{"file":"a.org"}`)
	put(t, filepath.Join(s.dir, "a.org"), "* P\n** one\n** two :secret:\nmore\n*** three\n")
	if diff := cmp.Diff(before, s.must("org-read-file", `{"file":"a.org"}`)); diff != "" {
		t.Errorf("the answer tells of a hidden headline:\n%s", diff)
	}
}

// TestOnly shows the headlines that a rule of Only matches, and those below them.
func TestOnly(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.org"), "#+TITLE: A\nintro\n* One :open:\n** below\n* Two\n** deep :open:\n")
	put(t, filepath.Join(dir, "b.org"), "* Three\n")
	source, err := testSystem().Open(t.Context(), json.RawMessage(`{"path":`+quote(dir)+`}`), tools.Env{Name: "org", Privacy: tools.Privacy{Only: []tools.PrivacyRule{{Tag: "open"}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	got, err := source.Read(t.Context(), "org://a.org")
	if err != nil || got.Text != "* One :open:\n** below\n" {
		t.Errorf("shown: %q, %v", got.Text, err)
	}
	if _, err := source.Read(t.Context(), "org://b.org"); tools.AsError(err).Code != tools.NotFound {
		t.Errorf("b.org: %v", err)
	}
}

// TestAnnouncements tells subscribers of exactly the resources whose bytes changed.
func TestAnnouncements(t *testing.T) {
	s := openFiles(t, map[string]string{"a.org": "* One\n:PROPERTIES:\n:ID:       one\n:END:\n** Two\n** Three\n* Four\n"}, org.Config{})
	s.follows = []string{
		"org://a.org", "org://a.org/headline/Four", "org://a.org/headline/One", "org://a.org/headline/One/Three", "org://a.org/headline/One/Two", "org://a.org/outline", "org://id/one", "org-id://one",
		"org://config/files", "org://id/none", "org://b.org/headline/One", "org-headline://" + filepath.ToSlash(s.dir) + "/a.org#Four", "nonsense",
	}
	s.must("org-set-priority", `{"resourceUri":"org://a.org/headline/One/Three","priority":"A"}`)
	want := []string{"org-id://one", "org://a.org", "org://a.org/headline/One", "org://a.org/headline/One/Three", "org://a.org/outline", "org://id/one"}
	if diff := cmp.Diff(want, s.announced()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	s.must("org-add-todo", `{"title":"Four","parentUri":"org://a.org"}`) // the URI of the first is ambiguous now
	want = []string{"org://a.org", "org://a.org/headline/Four", "org://a.org/outline"}
	if diff := cmp.Diff(want, s.announced()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	s.must("org-archive-subtree", `{"resourceUri":"org://id/one"}`)
	want = []string{
		"org-id://one", "org://a.org", "org://a.org/headline/One", "org://a.org/headline/One/Three", "org://a.org/headline/One/Two", "org://a.org/outline", "org://config/files",
		"org://id/one", // to whose bytes the archive adds
	}
	if diff := cmp.Diff(want, s.announced()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestCompatibleURIs writes URIs in the dialect of another server.
func TestCompatibleURIs(t *testing.T) {
	s := openFiles(t, map[string]string{"a.org": "* One/Two\n"}, org.Config{Compat: "org-mcp"})
	out := s.must("org-search-headlines", `{"query":"one"}`)
	items, _ := out["items"].([]any)
	first, _ := items[0].(map[string]any)
	if want := "org-headline://" + filepath.Join(s.dir, "a.org") + "#One%2FTwo"; first["resourceUri"] != want {
		t.Errorf("URI %v, want %s", first["resourceUri"], want)
	}
	out = s.must("org-set-priority", `{"uri":"org-headline://`+filepath.ToSlash(filepath.Join(s.dir, "a.org"))+`#One%2FTwo","priority":"B"}`)
	if uri, _ := out["resourceUri"].(string); !strings.HasPrefix(uri, "org-id://") {
		t.Errorf("a headline that was changed has no ID: %v", out)
	}
}

// TestConfiguration refuses what cannot be understood, and says what to write.
func TestConfiguration(t *testing.T) {
	dir := t.TempDir()
	for config, words := range map[string]string{
		`{}`: "path: missing",
		`{"path":` + quote(dir) + `,"quirks":"9.4"}`:                            "quirks",
		`{"path":` + quote(dir) + `,"emacs":"yes"}`:                             "emacs",
		`{"path":` + quote(dir) + `,"vars":{"org-log-done":"(lambda () nil)"}}`: "org-log-done",
		`{"path":` + quote(dir) + `,"vars":{"org-log-dune":"t"}}`:               "org-log-dune",
		`{"path":` + quote(dir) + `,"files":["../x.org"]}`:                      "not a path or glob",
		`{"path":` + quote(filepath.Join(dir, "none")) + `}`:                    "no such file or folder",
		`{"files":["` + filepath.ToSlash(dir) + `/none.org"]}`:                  "no such file or folder",
	} {
		if _, err := testSystem().Open(t.Context(), json.RawMessage(config), tools.Env{Name: "org"}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v, want an error with %q", config, err, words)
		}
	}
}

// TestRepeatsAreExpanded: a range of days takes repetitions where that is asked for.
func TestRepeatsAreExpanded(t *testing.T) {
	s := openFiles(t, map[string]string{"a.org": "* TODO Weekly\nSCHEDULED: <2026-01-05 Mon +1w>\n* TODO Once\nSCHEDULED: <2026-01-05 Mon>\n* TODO Leap\nDEADLINE: <2024-01-31 Wed +1m>\n"}, org.Config{})
	for args, want := range map[string]string{
		`{"scheduled":{"from":"2026-01-05","to":"2026-01-05"}}`:                         "Weekly,Once",
		`{"scheduled":{"from":"2026-01-12","to":"2026-01-12"}}`:                         "",
		`{"scheduled":{"from":"2026-01-12","to":"2026-01-12"},"expandRepeats":true}`:    "Weekly",
		`{"scheduled":{"from":"2026-01-13","to":"2026-01-18"},"expandRepeats":true}`:    "",
		`{"scheduled":{"from":"2026-01-13","to":"2026-01-19"},"expand_repeats":"true"}`: "Weekly",
		`{"scheduled":{"from":"2026-01-13"},"expandRepeats":true}`:                      "Weekly",
		`{"scheduled":{"to":"2026-01-04"},"expandRepeats":true}`:                        "",
		`{"deadline":{"from":"2026-02-27","to":"2026-02-28"},"expandRepeats":true}`:     "Leap",
	} {
		var titles []string
		for _, item := range list(s.must("org-get-todos", args)["items"]) {
			titles = append(titles, item.(map[string]any)["heading"].(string))
		}
		if got := strings.Join(titles, ","); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}
