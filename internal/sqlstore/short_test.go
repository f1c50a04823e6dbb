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
	s := open(t, filepath.Join(t.TempDir(), "x.db"), Schema{"x", fstest.MapFS{"sqlite/0001_x.sql": {Data: []byte("CREATE TABLE x (n INTEGER)")}}}, newClock().Now)
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
