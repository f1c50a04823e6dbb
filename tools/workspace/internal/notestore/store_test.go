package notestore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/internal/sqlstore/pgtest"
)

var postgres pgtest.Server

func TestMain(m *testing.M) {
	if file := os.Getenv(writerEnv); file != "" {
		writeUntilKilled(file)
	}
	code := m.Run()
	postgres.Stop()
	os.Exit(code)
}

// eachDatabase runs a test on an empty SQLite file and on an empty PostgreSQL database.
func eachDatabase(t *testing.T, test func(t *testing.T, s *Store)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, open(t, filepath.Join(t.TempDir(), "notes.db"))) })
	t.Run("sqlite, words indexed at once", func(t *testing.T) {
		s := open(t, filepath.Join(t.TempDir(), "notes.db"))
		s.freshNotes = 1
		test(t, s)
	})
	t.Run("postgres", func(t *testing.T) { test(t, open(t, postgres.Database(t))) })
}

func open(t testing.TB, database string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Database: database, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func save(t testing.TB, d *Draft, id, text string) *Note {
	t.Helper()
	parent := Any
	if n, err := d.Note(t.Context(), "ws", id); err != nil {
		t.Fatal(err)
	} else if n == nil {
		parent = ""
	}
	n, err := d.Save(t.Context(), "ws", id, Content{Text: text}, parent)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func commit(t testing.TB, d *Draft) {
	t.Helper()
	if err := d.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// saved saves notes, each by a Draft of its own, in pairs of id and text.
func saved(t testing.TB, s *Store, notes ...string) {
	t.Helper()
	for pair := range slices.Chunk(notes, 2) {
		d := s.Begin(View{})
		save(t, d, pair[0], pair[1])
		commit(t, d)
	}
}

func ids(list []Record) (ids []string) {
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	return ids
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func search(t *testing.T, d *Draft, words string) []string {
	t.Helper()
	list, err := d.Search(t.Context(), "ws", words, "", 10)
	if err != nil {
		t.Fatal(err)
	}
	var found []Record
	for _, m := range list {
		found = append(found, m.Record)
	}
	return ids(found)
}

// notes are those that a Selection selects in the workspace ws.
func notes(ctx context.Context, d *Draft, s Selection) (list []Record, err error) {
	err = d.Notes(ctx, "ws", s, 10, func(r Record) bool { list = append(list, r); return true })
	return list, err
}

func TestDraftIsReadBack(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		saved(t, s, "a", "# Alpha\nthe word", "b", "# Beta\n[[Alpha]] word", "c", "# Gamma\nword [[Delta]]")
		d := s.Begin(View{Author: "x"})
		save(t, d, "d", "# Delta\nnew word")
		save(t, d, "a", "# Alpha\nother text")
		if err := d.Delete(ctx, "ws", "b", Any); err != nil {
			t.Fatal(err)
		}
		list := func(d *Draft) []string {
			all, err := notes(ctx, d, Selection{})
			if err != nil {
				t.Fatal(err)
			}
			return ids(all)
		}
		links := func(d *Draft, note string) (out []string) {
			all, err := d.Links(ctx, "ws", note, "", 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range all {
				out = append(out, l.Source+" "+l.Target)
			}
			return out
		}
		want(t, "list of the draft", list(d), []string{"a", "d", "c"})
		want(t, "search of the draft", search(t, d, "WORD"), []string{"d", "c"})
		want(t, "links of the draft", links(d, ""), []string{"c d"})
		other := s.Begin(View{})
		want(t, "list of others", list(other), []string{"c", "b", "a"})
		want(t, "search of others", search(t, other, "word"), []string{"c", "b", "a"})
		want(t, "links of others", links(other, ""), []string{"c Delta", "b a"})
		commit(t, d)
		want(t, "list afterwards", list(other), []string{"a", "d", "c"})
		want(t, "search afterwards", search(t, other, "word"), []string{"d", "c"})
		want(t, "links afterwards", links(other, "d"), []string{"c d"})
		if n, err := other.Note(ctx, "ws", "b"); n != nil || err != nil {
			t.Errorf("a deleted note: %+v, %v", n, err)
		}
	})
}

func TestConflicts(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		saved(t, s, "a", "one", "b", "one")
		d, other := s.Begin(View{}), s.Begin(View{})
		save(t, d, "b", "two")
		save(t, d, "a", "two")
		n := save(t, other, "a", "other")
		commit(t, other)
		var conflict *ConflictError
		if err := d.Commit(ctx); !errors.As(err, &conflict) || conflict.ID != "a" || conflict.Current == nil || conflict.Current.Revision != n.Revision {
			t.Errorf("a commit over another one: %v", err)
		}
		if b, err := s.Begin(View{}).Note(ctx, "ws", "b"); err != nil || b.Text != "one" {
			t.Errorf("a refused commit wrote %+v, %v", b, err)
		}
		late := s.Begin(View{})
		if _, err := late.Note(ctx, "ws", "a"); err != nil {
			t.Fatal(err)
		}
		saved(t, s, "a", "third")
		if _, err := late.Save(ctx, "ws", "a", Content{Text: "late"}, Any); !errors.As(err, &conflict) {
			t.Errorf("a write over what was read before: %v", err)
		}
		if _, err := s.Begin(View{}).Save(ctx, "ws", "a", Content{}, ""); !errors.As(err, &conflict) {
			t.Errorf("a note created twice: %v", err)
		}
		if _, err := s.Begin(View{}).Save(ctx, "ws", "a", Content{}, n.Revision); !errors.As(err, &conflict) || conflict.Current.Text != "third" {
			t.Errorf("a write with an old parent: %v", err)
		}
	})
}

// A conflict with a note that was hidden meanwhile does not tell what it holds now.
func TestConflictDoesNotTellWhatIsHidden(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *Store) {
		saved(t, s, "a", "one")
		d := s.Begin(View{Hides: func(_ string, r Record) bool { return slices.Contains(r.Tags, "secret") }})
		save(t, d, "a", "two")
		saved(t, s, "a", "#secret plans")
		var conflict *ConflictError
		if err := d.Commit(t.Context()); !errors.As(err, &conflict) || conflict.Current != nil {
			t.Errorf("the commit answers %v, with %+v", err, conflict.Current)
		}
	})
}

func TestHistory(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		d := s.Begin(View{Author: "me", Run: "r1"})
		save(t, d, "a", "one")
		save(t, d, "a", "two")
		if err := d.Delete(ctx, "ws", "a", Any); err != nil {
			t.Fatal(err)
		}
		draft, err := d.Revisions(ctx, "ws", "a", "", 10)
		if err != nil {
			t.Fatal(err)
		}
		commit(t, d)
		saved(t, s, "a", "three")
		d = s.Begin(View{})
		all, err := d.Revisions(ctx, "ws", "a", "", 10)
		if err != nil || len(all) != 4 || len(draft) != 3 {
			t.Fatalf("%d revisions in the draft, %d afterwards, %v", len(draft), len(all), err)
		}
		var told []string
		for _, r := range all {
			full, previous, err := d.Revision(ctx, "ws", "a", r.ID)
			if err != nil || !s.Verify(full) {
				t.Fatalf("revision %s: %v", r.ID, err)
			}
			full.Text += "x"
			if s.Verify(full) {
				t.Error("a changed revision is verified")
			}
			before := "-"
			if previous != nil {
				before = previous.Text
			}
			told = append(told, strings.TrimSuffix(full.Text, "x")+" after "+before)
		}
		want(t, "history", told, []string{"three after ", " after two", "two after one", "one after -"})
		page, err := d.Revisions(ctx, "ws", "a", all[1].ID, 1)
		if err != nil || len(page) != 1 || page[0].ID != all[2].ID || page[0].Author != "me" || page[0].Run != "r1" {
			t.Errorf("the next page is %+v, %v", page, err)
		}
		if _, err := d.Revisions(ctx, "ws", "a", "nothing", 1); !errors.Is(err, ErrCursor) {
			t.Errorf("an unknown cursor: %v", err)
		}
	})
}

// What is hidden is absent from everything, and changes no answer.
func TestTwoWorlds(t *testing.T) {
	runtest.InOrder(t)
	eachDatabase(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		view := View{Hides: func(_ string, r Record) bool { return slices.Contains(r.Tags, "secret") }}
		saved(t, s, "a", "# Alpha\nword [[Hidden]] [[hidden]]", "hidden", "# Hidden\nword #secret [[Alpha]]", "b", "# Beta\nword #secret")
		saved(t, s, "b", "# Beta\nopen word", "c", "# Gamma\n[[Beta]]")
		all := s.Begin(View{})
		if _, err := all.Connect(ctx, "ws", "a", "hidden", "related"); err != nil {
			t.Fatal(err)
		}
		commit(t, all)
		d := s.Begin(view)
		list, err := notes(ctx, d, Selection{})
		want(t, "list", ids(list), []string{"c", "b", "a"})
		want(t, "search", search(t, d, "word"), []string{"b", "a"})
		links, err2 := d.Links(ctx, "ws", "", "", 10)
		var told []string
		for _, l := range links {
			told = append(told, l.Source+" "+l.Target+" "+l.Origin)
		}
		want(t, "links", told, []string{"c b text", "a Hidden text", "a hidden text"})
		history, err3 := d.Revisions(ctx, "ws", "b", "", 10)
		if len(history) != 1 || errors.Join(err, err2, err3) != nil {
			t.Errorf("history %+v, %v", history, errors.Join(err, err2, err3))
		}
		if _, previous, err := d.Revision(ctx, "ws", "b", history[0].ID); previous != nil || err != nil {
			t.Errorf("the revision before is %+v, %v", previous, err)
		}
		if _, err := d.Revisions(ctx, "ws", "hidden", "", 10); !errors.Is(err, ErrNotFound) {
			t.Errorf("history of what is hidden: %v", err)
		}
		for _, c := range []struct{ id, text, parent string }{{"hidden", "x", ""}, {"hidden", "x", Any}, {"a", "now #secret", Any}, {"new", "#secret", ""}} {
			if _, err := d.Save(ctx, "ws", c.id, Content{Text: c.text}, c.parent); !errors.Is(err, ErrHidden) {
				t.Errorf("save of %s with %q: %v", c.id, c.text, err)
			}
		}
		if err := d.Delete(ctx, "ws", "hidden", Any); !errors.Is(err, ErrHidden) {
			t.Errorf("delete: %v", err)
		}
	})
}

func TestClassIsChanged(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		put := func(d *Draft, kind string) {
			body := `{"name":"Task","fields":{"Due":{"type":"` + kind + `"}}}`
			if err := d.Put(ctx, Document{Workspace: "ws", Kind: ClassKind, ID: "Task", Body: body}); err != nil {
				t.Fatal(err)
			}
		}
		due := func(d *Draft) any {
			list, err := notes(ctx, d, Selection{Class: "Task"})
			if err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
			return list[0].Properties["Due"]
		}
		d := s.Begin(View{})
		put(d, "string")
		save(t, d, "a", "---\nclass: Task\n---\n## Due\n7\n")
		commit(t, d)
		d = s.Begin(View{})
		put(d, "number")
		want(t, "in the draft", due(d), 7.0)
		want(t, "for others", due(s.Begin(View{})), "7")
		writer := s.Begin(View{})
		save(t, writer, "a", "---\nclass: Task\n---\n## Due\n8\n")
		commit(t, d)
		want(t, "afterwards", due(s.Begin(View{})), 7.0)
		var conflict *ConflictError
		if err := writer.Commit(ctx); !errors.As(err, &conflict) || conflict.Kind != ClassKind {
			t.Errorf("a note by a class that was changed: %v", err)
		}
	})
}

// Two who change the same document are not both right.
func TestDocumentConflicts(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		put := func(d *Draft, body string) {
			if err := d.Put(ctx, Document{Workspace: "ws", Kind: ClassKind, ID: "A", Body: body}); err != nil {
				t.Fatal(err)
			}
		}
		for _, before := range []string{"", `{"name":"A"}`} {
			if before != "" {
				d := s.Begin(View{})
				put(d, before)
				commit(t, d)
			}
			one, two := s.Begin(View{}), s.Begin(View{})
			put(one, `{"name":"A","version":1}`)
			put(two, `{"name":"A","version":2}`)
			commit(t, one)
			var conflict *ConflictError
			if err := two.Commit(ctx); !errors.As(err, &conflict) || conflict.ID != "A" {
				t.Errorf("a class changed by two: %v", err)
			}
		}
	})
}

func TestRestoreChanges(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		saved(t, s, "a", "one", "b", "<!-- note {} -->\nlike a state")
		d := s.Begin(View{})
		save(t, d, "a", "two")
		save(t, d, "new", "new")
		if err := d.Delete(ctx, "ws", "b", Any); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Connect(ctx, "ws", "a", "new", "related"); err != nil {
			t.Fatal(err)
		}
		if err := d.Put(ctx, Document{Workspace: "ws", Kind: AttachmentKind, ID: "f", Body: `{"name":"f"}`, Content: []byte{0, 255}}); err != nil {
			t.Fatal(err)
		}
		changes, err := d.Changes()
		if err != nil || len(changes) != 5 {
			t.Fatal(changes, err)
		}
		commit(t, d)
		back := slices.Clone(changes)
		for i := range back {
			back[i].Before, back[i].After = back[i].After, back[i].Before
			back[i].Before.Revision, changes[i].Before.Revision = "", "" // contents decide
		}
		for _, step := range [][]int{{0, 1}, {1, 0}} {
			list := back
			if step[0] == 1 {
				list = changes
			}
			d = s.Begin(View{})
			if err := d.Restore(ctx, list); err != nil {
				t.Fatal(err)
			}
			commit(t, d)
			for _, c := range list {
				now, err := s.Begin(View{}).State(ctx, c.Target)
				if err != nil || !sameState(now, c.After) {
					t.Errorf("%s holds %q, want %q (%v)", c.Target, now.Data, c.After.Data, err)
				}
			}
		}
		saved(t, s, "a", "later")
		var conflict *ConflictError
		if err := s.Begin(View{}).Restore(ctx, back); !errors.As(err, &conflict) || conflict.ID != "a" {
			t.Errorf("undo over a later edit: %v", err)
		}
	})
}

// The same calls with the same moment and seed write the same.
func TestDraftIsDeterministic(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "notes.db"))
	run := func() (string, string) {
		d := s.Begin(View{Began: time.Unix(1e9, 0), Seed: 7})
		n := save(t, d, "a", "one")
		l, err := d.Connect(t.Context(), "ws", "a", "a", "self")
		if err != nil {
			t.Fatal(err)
		}
		return n.Revision + n.Checksum, l.ID
	}
	rev1, link1 := run()
	rev2, link2 := run()
	if rev1 != rev2 || link1 != link2 {
		t.Errorf("%s and %s, then %s and %s", rev1, link1, rev2, link2)
	}
}

// Links in a text stay as they were made while a save changes other words, and are new
// when it changes one of them.
func TestLinksOfATextStay(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *Store) {
		links := func() (list []Link) {
			t.Helper()
			list, err := s.Begin(View{}).Links(t.Context(), "ws", "a", "", 10)
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		saved(t, s, "b", "# B\n", "a", "[[b]] ![[c.png]] [[c]]")
		before := links()
		saved(t, s, "a", "Other words. [[b]] and ![[c.png]] and [[c]]")
		want(t, "links", links(), before)
		saved(t, s, "a", "[[c]] ![[c.png]] [[b]]")
		if after := links(); len(after) != len(before) || after[0].Target != "c" || !after[0].Created.After(before[0].Created) {
			t.Errorf("%+v", after)
		}
		saved(t, s, "a", "[[c]]")
		if after := links(); len(after) != 1 {
			t.Errorf("%+v", after)
		}
		saved(t, s, "a", "none")
		if after := links(); len(after) != 0 {
			t.Errorf("%+v", after)
		}
	})
}

func TestIDs(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, id := range []string{"a", "Z", "0", "a-b_C9", long} {
		if !IsID(id) {
			t.Errorf("%.20q is no id", id)
		}
	}
	for _, id := range []string{"", "list", long + "x", "a b", "a/b", "a.b", "ä", "a\n", "\x00", "@", "[", "`", "{", ":"} {
		if IsID(id) {
			t.Errorf("%.20q is an id", id)
		}
	}
}
