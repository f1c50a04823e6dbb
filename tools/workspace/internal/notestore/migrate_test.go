package notestore

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// A database of an earlier version keeps its notes.
func TestMigration(t *testing.T) {
	old := fstest.MapFS{}
	for _, name := range []string{"migrations/sqlite/0001_notes.sql", "migrations/sqlite/0002_fresh_words.sql"} {
		b, err := fs.ReadFile(migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		old[name[len("migrations/"):]] = &fstest.MapFile{Data: b}
	}
	file := filepath.Join(t.TempDir(), "notes.db")
	db, err := sqlstore.Open(t.Context(), sqlstore.Options{Database: file, Schema: sqlstore.Schema{Name: "notes", Migrations: old}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	s := &Store{db: db, now: time.Now, freshNotes: 2}
	if err := s.loadKey(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"one", "two", "three"} {
		d := s.Begin(View{})
		if _, err := d.Save(t.Context(), "ws", id, Content{Text: "# Title\n\nsome words of " + id}, ""); err != nil {
			t.Fatal(err)
		}
		if err := d.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, file)
	var rule, seq, check string
	if err := s.db.Reader().QueryRow(t.Context(), "SELECT sql FROM sqlite_schema WHERE name = 'revisions'").Scan(&rule); err != nil ||
		strings.Contains(rule, "AUTOINCREMENT") {
		t.Errorf("revisions are %s, %v", rule, err)
	}
	d := s.Begin(View{})
	if _, err := d.Save(t.Context(), "ws", "four", Content{Text: "# Title\n\nsome words of four"}, ""); err != nil {
		t.Fatal(err)
	}
	commit(t, d)
	if err := s.db.Reader().QueryRow(t.Context(), "SELECT max(seq) || ' ' || (SELECT count(*) FROM sqlite_sequence) FROM revisions").
		Scan(&seq); err != nil || seq != "4 0" {
		t.Errorf("the newest seq and what is remembered of it are %s, want 4 0; %v", seq, err)
	}
	if err := s.db.Reader().QueryRow(t.Context(), "PRAGMA integrity_check").Scan(&check); err != nil || check != "ok" {
		t.Errorf("integrity: %s, %v", check, err)
	}
	for words, want := range map[string]int{"some words": 4, "one": 1, "three": 1, "four": 1} {
		if found, err := s.Begin(View{}).Search(t.Context(), "ws", words, "", 9); err != nil || len(found) != want {
			t.Errorf("search %q finds %d notes, want %d: %v", words, len(found), want, err)
		}
	}
	if n, err := s.Begin(View{}).Note(t.Context(), "ws", "two"); err != nil || n == nil || n.Title != "Title" {
		t.Errorf("note %+v, %v", n, err)
	}
}
