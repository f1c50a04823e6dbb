package hub_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

var (
	alice   = policy.Client{Name: "alice", Proven: true}
	claimer = policy.Client{Name: "alice"}
)

func publishedTo(t *testing.T, h *testHub) json.RawMessage {
	t.Helper()
	c := connect(t, h, "")
	c.Initialize()
	return c.Ask("tools/list", `{}`).Result
}

func namesListed(t *testing.T, h *testHub) []string {
	t.Helper()
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(publishedTo(t, h), &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, l := range list.Tools {
		names = append(names, l.Name)
	}
	return names
}

// Agents have the tools for own changes only where a person wants it, and never
// under the name of another tool.
func TestPastIsOptIn(t *testing.T) {
	without := startFiles(t, func(c *hub.Config) { c.OwnChanges = false })
	never := startFiles(t, func(c *hub.Config) { c.OwnChanges, c.Journal = true, nil })
	if off := publishedTo(t, without.testHub); !bytes.Equal(off, publishedTo(t, never.testHub)) || bytes.Contains(off, []byte("change")) {
		t.Errorf("off: %s", off)
	}
	if f := without.agent(cursor).call("list_changes", `{}`); f.code != notListed {
		t.Errorf("off: %+v", f)
	}
	if _, err := startFiles(t, nil).PersonAPI().Call(t.Context(), "notes", "list_changes", nil); tools.AsError(err) == nil || tools.AsError(err).Code != tools.NotFound {
		t.Errorf("a person at the shell: %v", err) // they have `lectern changes`
	}
	for name, c := range map[string]struct {
		change func(*hub.Config)
		want   []string
	}{
		"on":        {nil, []string{"file", "list_changes", "undo_change"}},
		"read-only": {func(c *hub.Config) { c.Sources[0].ReadOnly = true }, []string{"list_changes"}},
		"several": {func(c *hub.Config) {
			c.Sources = append(c.Sources, hub.Source{Name: "box", Kind: "box"})
			c.Systems = append(c.Systems, crashKind(&crashSource{}))
		}, []string{"box_look", "box_put", "files_file", "list_changes", "undo_change"}},
		"a System has the name": {func(c *hub.Config) {
			c.Systems = []tools.Kind{filesKind(t.TempDir(), tools.Define(tools.Spec[none, none]{Name: "list_changes", Title: "List", Doc: "Lists.", Effect: tools.Reads}, (*fakeFiles).List))}
		}, []string{"file", "lectern_list_changes", "list_changes", "undo_change"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := namesListed(t, startFiles(t, c.change).testHub); !slices.Equal(got, c.want) {
				t.Errorf("listed %q, want %q", got, c.want)
			}
		})
	}
}

// An agent sees what it changed itself, takes that back exactly, and the
// taking back too; what another did is to it what never was.
func TestOwnChangesAndNoOthers(t *testing.T) {
	o := startFiles(t, nil)
	o.edit("old", "was\n")
	a, b := o.agent(cursor), o.agent(cursor) // of the same name
	a.mustCall("file", `{"files":{"old":"now\n"}}`)
	b.mustCall("file", `{"files":{"theirs":"x"}}`)
	out := a.list(`{"id":"` + o.id(1) + `"}`)
	if len(out.Changes) != 1 || out.Changes[0].Target != "old" || !strings.Contains(out.Changes[0].Diff, "-was\n+now\n") {
		t.Errorf("listed %+v", out)
	}
	if d := cmp.Diff([]string{o.id(2)}, b.ids()); d != "" {
		t.Error(d)
	}
	for _, tool := range []string{"list_changes", "undo_change"} {
		theirs, never := b.call(tool, `{"id":"`+o.id(1)+`"}`), b.call(tool, `{"id":"c00000000"}`)
		odd := b.call(tool, `{"id":"cx"}`)
		if theirs.code != tools.NotFound || theirs.text != strings.Replace(never.text, "c00000000", o.id(1), 1) || odd.code != tools.NotFound {
			t.Errorf("%s: %q, %q and %q are told apart", tool, theirs.text, never.text, odd.text)
		}
	}
	a.mustCall("undo_change", `{"id":"`+o.id(1)+`","dry_run":true}`)
	if o.holds("old") != "now\n" || len(a.ids()) != 1 {
		t.Error("a dry run changed something")
	}
	var undone tools.UndoChangeOut
	if err := json.Unmarshal(a.mustCall("undo_change", `{"id":"`+o.id(1)+`"}`), &undone); err != nil || !slices.Equal(undone.Changes, []string{o.id(3)}) || undone.Restored[0].Action != "restore" {
		t.Errorf("undone %+v (%v)", undone, err)
	}
	if o.holds("old") != "was\n" {
		t.Errorf("old holds %q", o.holds("old"))
	}
	checkOutcome(t, a.call("undo_change", `{"id":"`+o.id(1)+`"}`), tools.Conflict, "already")
	a.mustCall("undo_change", `{"id":"`+o.id(3)+`"}`)
	if o.holds("old") != "now\n" {
		t.Errorf("after the redo old holds %q", o.holds("old"))
	}
	if got := a.list(`{}`).Changes; len(got) != 3 || got[0].Undoes != o.id(3) || got[2].Outcome != string(status.Written) {
		t.Errorf("in the end %+v", got)
	}
	if got := a.list(`{"limit":2}`); got.Next != o.id(3) || len(a.list(`{"before":"`+o.id(3)+`"}`).Changes) != 1 {
		t.Errorf("cut to %+v", got)
	}
}

// A token is proof across sessions; a name is none, in neither direction.
func TestOwnIsProven(t *testing.T) {
	o := startFiles(t, nil)
	o.agent(alice).mustCall("file", `{"files":{"a":"1"}}`)
	o.agent(claimer).mustCall("file", `{"files":{"b":"1"}}`)
	if got := o.agent(alice).ids(); !slices.Equal(got, []string{o.id(1)}) {
		t.Errorf("who shows the token sees %q", got)
	}
	if got := o.agent(claimer).ids(); len(got) != 0 {
		t.Errorf("who says the name sees %q", got)
	}
	checkOutcome(t, o.agent(claimer).call("undo_change", `{"id":"`+o.id(1)+`"}`), tools.NotFound, o.id(1))
	o.agent(alice).mustCall("undo_change", `{"id":"`+o.id(1)+`"}`)
	if o.holds("a") != "" || o.holds("b") != "1" {
		t.Error("the wrong one was taken back")
	}
}

// Whoever says the name of a client of the modern era is in its session on
// HTTP, so without a token nothing is anybody's own there.
func TestSharedSessionOwnsNothing(t *testing.T) {
	o := startFiles(t, func(c *hub.Config) {
		c.VerifyClient = func(r *http.Request) string { return r.Header.Get("Authorization") }
	})
	s := serveHTTP(t, o.testHub)
	meta := strings.TrimSuffix(strings.TrimPrefix(hubtest.ModernMeta, `"_meta":{`), "}")
	say := func(id int, tool, args, token string) string {
		t.Helper()
		_, body := s.Do("POST", "/mcp", hubtest.CallBody(id, tool, args, meta), append(hubtest.ModernHeaders("tools/call", tool), "Authorization", token)...)
		return body
	}
	say(1, "file", `{"files":{"a":"1"}}`, "")
	if body := say(2, "list_changes", `{}`, ""); !strings.Contains(body, "token") || strings.Contains(body, o.id(1)) {
		t.Errorf("without a token: %s", body)
	}
	say(3, "file", `{"files":{"b":"1"}}`, "alice")
	if body := say(4, "list_changes", `{}`, "alice"); !strings.Contains(body, o.id(2)) || strings.Contains(body, o.id(1)) {
		t.Errorf("with one: %s", body)
	}
}
