package sqlstore

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// A short statement does not begin once its context has ended.
func TestShortStatementsBeginWithTheirContext(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "x.db"), Schema{Name: "x", Migrations: fstest.MapFS{"sqlite/0001_x.sql": {Data: []byte("CREATE TABLE x (n INTEGER)")}}}, newClock().Now)
	var n int
	if err := s.Reader().Short().QueryRow(t.Context(), "SELECT 1").Scan(&n); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := s.Reader().Short().QueryRow(ended, "SELECT 1").Scan(&n); !errors.Is(err, context.Canceled) {
		t.Errorf("QueryRow: %v", err)
	}
	_, err := Select(ended, s.Reader().Short(), func(row Row) (n int, err error) { return n, row.Scan(&n) }, "SELECT 1")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Select: %v", err)
	}
}

// A short write does not begin once its context has ended, either.
func TestShortWritesBeginWithTheirContext(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "x.db"), Schema{Name: "x", Migrations: fstest.MapFS{"sqlite/0001_x.sql": {Data: []byte("CREATE TABLE x (n INTEGER)")}}}, newClock().Now)
	ended, end := context.WithCancel(t.Context())
	end()
	err := s.Write(t.Context(), func(c *Conn) error {
		if rows, err := c.Short().Exec(t.Context(), "INSERT INTO x VALUES (1)"); err != nil || rows != 1 {
			t.Fatal(rows, err)
		}
		_, err := c.Short().Exec(ended, "INSERT INTO x VALUES (2)")
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Exec: %v", err)
	}
	var rows int
	if err := s.Reader().QueryRow(t.Context(), "SELECT count(*) FROM x").Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows were kept: %v", rows, err)
	}
}
