package notesapi

import (
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

// openTwice opens a database a second time, as another process does.
func openTwice(t *testing.T, hides func(string, notestore.Record) bool) (a, other *API) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "notes.db")
	a = open(t, file, hides)
	s, err := notestore.Open(t.Context(), notestore.Options{Database: file, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, known := a.store.Version(); !known && !slices.Contains([]string{"linux", "darwin"}, runtime.GOOS) {
		t.Skip("needs versions of the database, which are not known on " + runtime.GOOS)
	}
	return a, New(Options{Store: s, Hides: hides})
}

func isCached(t *testing.T, a *API, id string) bool {
	t.Helper()
	now, known := a.store.Version()
	_, cached := a.notes.find(now, noteRequest{"ws", id, false})
	return known && cached
}

// Whatever is written, by whatever process, the next answer is what one is that nobody has
// kept; and where nothing is written, an answer is kept.
func TestCachedNotes(t *testing.T) {
	a, other := openTwice(t, nil)
	for i, change := range []struct{ method, path, body string }{
		{"POST", "/workspaces/ws/notes", `{"id":"a","markdown":"---\nclass: Task\n---\n# A\n[[b]] [[Bee]]\n\n## Status\nopen\n"}`},
		{"POST", "/workspaces/ws/notes", `{"id":"b","markdown":"# B\n[[a]]"}`},
		{"POST", "/workspaces/ws/notes", `{"id":"c","markdown":"# Bee"}`},
		{"PUT", "/workspaces/ws/classes/Task", `{"fields":{"Status":{"type":"list"},"Due":{"type":"date","required":true}}}`},
		{"POST", "/workspaces/ws/links", `{"source":"c","target":"a","kind":"about"}`},
		{"DELETE", "/workspaces/ws/notes/b", ""},
		{"DELETE", "/workspaces/ws/classes/Other", ""},
		{"DELETE", "/workspaces/ws/notes/c", ""},
		{"PUT", "/workspaces/ws/classes/Task", `{"fields":{"Status":{"type":"number"}}}`},
		{"DELETE", "/workspaces/ws/notes/a", ""},
	} {
		writer := []*API{a, other}[i%2]
		if r := request(t, writer, change.method, change.path, change.body); r.Status >= 500 {
			t.Fatalf("%s %s: %d %s", change.method, change.path, r.Status, r.Body)
		}
		for _, id := range []string{"a", "b", "c"} {
			want := request(t, New(Options{Store: a.store}), "GET", "/workspaces/ws/notes/"+id, "")
			for range 2 {
				got := request(t, a, "GET", "/workspaces/ws/notes/"+id, "")
				if got.Status != want.Status || string(got.Body) != string(want.Body) || got.Note != want.Note {
					t.Errorf("after %s %s the note %s is\n%d %s %v, want\n%d %s %v",
						change.method, change.path, id, got.Status, got.Body, got.Note, want.Status, want.Body, want.Note)
				}
				if got.Status == 200 && !isCached(t, a, id) {
					t.Errorf("after %s %s the answer with the note %s is not kept", change.method, change.path, id)
				}
			}
		}
	}
}

// What a script reads is compared at its commit, also where another one has read it before.
func TestCachedNoteIsRead(t *testing.T) {
	for _, c := range []struct{ what, method, path, body string }{
		{"note", "DELETE", "/workspaces/ws/notes/a", ""},
		{"class", "POST", "/workspaces/ws/notes", `{"id":"new","markdown":"# New"}`},
	} {
		a, other := openTwice(t, nil)
		request(t, a, "PUT", "/workspaces/ws/classes/Task", `{"fields":{"Status":{"type":"string"}}}`)
		made := request(t, a, "POST", "/workspaces/ws/notes", `{"id":"a","class":"Task","markdown":"# A"}`)
		request(t, a, "GET", "/workspaces/ws/notes/a", "")
		script := a.Begin(Caller{})
		if !isCached(t, a, "a") {
			t.Fatalf("nothing is kept: %s", made.Body)
		}
		script.Serve(t.Context(), parse(t, "GET", "/workspaces/ws/notes/a", ""))
		if c.what == "note" {
			request(t, other, "DELETE", "/workspaces/ws/notes/a", "")
			request(t, other, "POST", "/workspaces/ws/notes", `{"id":"a","class":"Task","markdown":"# Another"}`)
		} else {
			request(t, other, "PUT", "/workspaces/ws/classes/Task", `{"fields":{"Status":{"type":"list"}}}`)
		}
		wrote := script.Serve(t.Context(), parse(t, c.method, c.path, c.body))
		if err := script.Commit(t.Context()); err == nil && wrote.Status < 300 {
			t.Errorf("a script wrote after its %s was changed", c.what)
		}
	}
}

// An answer that was worked out with a class as it was before is not kept.
func TestOldClassIsNotCached(t *testing.T) {
	a, other := openTwice(t, nil)
	request(t, a, "PUT", "/workspaces/ws/classes/Task", `{"fields":{"Status":{"type":"string"}}}`)
	request(t, a, "POST", "/workspaces/ws/notes", `{"id":"a","class":"Task","markdown":"# A"}`)
	request(t, a, "POST", "/workspaces/ws/notes", `{"id":"b","class":"Task","markdown":"# B"}`)
	script := a.Begin(Caller{})
	script.Serve(t.Context(), parse(t, "GET", "/workspaces/ws/notes/a", ""))
	request(t, other, "PUT", "/workspaces/ws/classes/Task", `{"fields":{"Status":{"type":"string","required":true}}}`)
	script.Serve(t.Context(), parse(t, "GET", "/workspaces/ws/notes/b", ""))
	if want, got := request(t, other, "GET", "/workspaces/ws/notes/b", ""), request(t, a, "GET", "/workspaces/ws/notes/b", ""); string(got.Body) != string(want.Body) {
		t.Errorf("%s\nwant %s", got.Body, want.Body)
	}
}

// What an undo sees, from which nothing is hidden, is answered to nobody else.
func TestHiddenNotesAreNotCached(t *testing.T) {
	a, _ := openTwice(t, hidesSecrets)
	person := New(Options{Store: a.store})
	request(t, person, "POST", "/workspaces/ws/notes", `{"id":"hid","markdown":"# Hidden\n#secret"}`)
	undo, err := a.Restore(t.Context(), Caller{}, []tools.Change{})
	if err != nil {
		t.Fatal(err)
	}
	get := parse(t, "GET", "/workspaces/ws/notes/hid", "")
	if r := undo.Serve(t.Context(), get); r.Status != 200 {
		t.Errorf("to an undo: %d", r.Status)
	}
	if r := a.Serve(t.Context(), Caller{}, get); r.Status != 404 {
		t.Errorf("to an agent: %d %s", r.Status, r.Body)
	}
}

// What has another name has no part in the answers of a note.
func TestCachedNotesHaveTheirNames(t *testing.T) {
	a, _ := openTwice(t, nil)
	request(t, a, "POST", "/workspaces/ws/notes", `{"id":"a","markdown":"# A"}`)
	for _, withoutLinks := range []bool{false, true, false} {
		for path, status := range map[string]int{"a": 200, "a%2F": 404, "%2Fa": 404, "ws%2Fa": 404, "text%2Fws%2Fa": 404} {
			r := Request{Method: "GET", Path: "/workspaces/ws/notes/" + path, WithoutLinks: withoutLinks}
			if got := a.Serve(t.Context(), Caller{}, r).Status; got != status {
				t.Errorf("%s: %d, want %d", path, got, status)
			}
		}
	}
}
