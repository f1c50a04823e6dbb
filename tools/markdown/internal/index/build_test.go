package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// What Begin leaves out Complete makes: tables, indexes and settings are those of an
// index that was never begun.
func TestCompleteLacksNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "index.db")
	for _, left := range []string{"-new", "-new-words", "-new-names", "-new-links"} {
		if err := os.WriteFile(file+left, []byte("what a killed hub has left"), 0o600); err != nil {
			t.Fatal(err)
		}
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
	if diff := cmp.Diff(settings(t, opened), settings(t, built)); diff != "" {
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

func settings(t *testing.T, x *Index) []string {
	t.Helper()
	all, err := sqlstore.Select(t.Context(), x.db.Reader(), func(r sqlstore.Row) (s string, err error) {
		err = r.Scan(&s)
		return s, err
	}, "SELECT name || coalesce(sql, '') AS it FROM sqlite_schema UNION ALL SELECT k || ' ' || v FROM words_config "+
		"UNION ALL SELECT * FROM pragma_journal_mode UNION ALL SELECT * FROM pragma_auto_vacuum ORDER BY it")
	if err != nil {
		t.Fatal(err)
	}
	return all
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
	begun.build.words.maxSize, begun.build.keys.names.maxSize, begun.build.keys.links.maxSize = 1, 1, 1
	page := Page{File: "a.md", Names: []Name{{PathName, "a"}}, LinkKeys: []string{"b"}, text: "words"}
	if err := begun.Update(t.Context(), []Page{page}, nil); err != nil {
		t.Fatal(err)
	}
	if spilled, err := filepath.Glob(file + "-new-*"); err != nil || len(spilled) != 3 {
		t.Errorf("%q are beside the new file, %v", spilled, err)
	}
	if err := end(begun); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(file + "*"); err != nil || len(left) != 2 {
		t.Errorf("%q are left, %v", left, err)
	}
}
