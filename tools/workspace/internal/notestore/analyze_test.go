package notestore

import (
	"fmt"
	"testing"
	"time"
)

// After an import PostgreSQL knows how large its tables are.
func TestImportIsCounted(t *testing.T) {
	s, err := Open(t.Context(), Options{Database: postgres.Database(t), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	s.analyzedNotes = 20
	counted := func() (n int) {
		t.Helper()
		if err := s.db.Reader().QueryRow(t.Context(), "SELECT CAST(reltuples AS int) FROM pg_class WHERE oid = 'notes'::regclass").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := counted(); n > 0 {
		t.Fatalf("an empty table has %d notes", n)
	}
	d := s.Begin(View{})
	for i := range s.analyzedNotes {
		if _, err := d.Save(t.Context(), "ws", fmt.Sprintf("n%d", i), Content{Text: "# Tea"}, ""); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, d)
	if n := counted(); n != s.analyzedNotes {
		t.Errorf("PostgreSQL counts %d notes, want %d", n, s.analyzedNotes)
	}
}
