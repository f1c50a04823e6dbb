package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// What Begin leaves out Complete makes: tables and indexes are those of an index that was
// never begun.
func TestCompleteLacksNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "index.db")
	if err := os.WriteFile(file+"-new", []byte("what a killed hub has left"), 0o600); err != nil {
		t.Fatal(err)
	}
	begun, err := Begin(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	if len(begun.build.indexes) == 0 {
		t.Error("it leaves nothing out")
	}
	built, err := begun.Complete(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	opened, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(layout(t, opened), layout(t, built)); diff != "" {
		t.Error(diff)
	}
	for _, x := range []*Index{built, opened} {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, err := filepath.Glob(file + "-new*"); len(left) > 0 || err != nil {
		t.Error(left, err)
	}
}

func layout(t *testing.T, x *Index) []string {
	t.Helper()
	all, err := sqlstore.Select(t.Context(), x.db.Reader(), func(r sqlstore.Row) (s string, err error) {
		err = r.Scan(&s)
		return s, err
	}, "SELECT name || coalesce(sql, '') AS it FROM sqlite_schema "+
		"UNION ALL SELECT * FROM pragma_journal_mode UNION ALL SELECT * FROM pragma_auto_vacuum ORDER BY it")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A file with the tables of another build is made again.
func TestOtherLayout(t *testing.T) {
	const table = "CREATE TABLE pages (id INTEGER PRIMARY KEY)"
	for name, other := range map[string]sqlstore.Schema{
		"before": {Name: "pages", Migrations: fstest.MapFS{"sqlite/0001_pages.sql": {Data: []byte(table)}}},
		"later": {Name: schema().Name, Migrations: fstest.MapFS{
			"sqlite/0001_pages.sql": {Data: []byte(table)}, "sqlite/0002_more.sql": {Data: []byte("CREATE TABLE more (id INTEGER)")},
		}},
	} {
		file := filepath.Join(t.TempDir(), "index.db")
		db, err := sqlstore.Open(t.Context(), sqlstore.Options{Database: file, Schema: other, Cache: true, Now: time.Now})
		if err == nil {
			err = db.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		x, err := Open(t.Context(), file)
		if err == nil {
			err = errors.Join(x.Update(t.Context(), []Page{{File: "a.md", text: "words"}}, nil), x.Close())
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An index that is given up, or whose completion is cancelled, leaves nothing, and the one
// before stays.
func TestGivenUpIndex(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, end := range map[string]func(*Index) error{
		"closed": (*Index).Close,
		"cancelled": func(x *Index) error {
			if _, err := x.Complete(cancelled); !errors.Is(err, context.Canceled) {
				return fmt.Errorf("it is completed: %w", err)
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) { giveUpIndex(t, end) })
	}
}

func giveUpIndex(t *testing.T, end func(*Index) error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "index.db")
	x, err := Open(t.Context(), file)
	if err == nil {
		err = x.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	begun, err := Begin(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	if err := begun.Update(t.Context(), []Page{{File: "a.md", text: "words"}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := end(begun); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(file + "*"); err != nil || len(left) != 2 {
		t.Errorf("%q are left, %v", left, err)
	}
}
