package index

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// TestKnownReadsAnIndexAlone: what a start compares is read without the pages' tables,
// which are many times as large.
func TestKnownReadsAnIndexAlone(t *testing.T) {
	x, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	steps, err := sqlstore.Select(t.Context(), x.db.Reader(), func(r sqlstore.Row) (step string, err error) {
		var id, parent, unused int
		err = r.Scan(&id, &parent, &unused, &step)
		return step, err
	}, "EXPLAIN QUERY PLAN "+selectStamps)
	if plan := strings.Join(steps, "\n"); err != nil || plan != "SCAN pages USING COVERING INDEX stamps_of_pages" {
		t.Errorf("%s, %v", plan, err)
	}
}

// While as many searches rank as may, a list still has a connection to read by.
func TestSearchesLeaveAConnection(t *testing.T) {
	x, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	began, end := make(chan struct{}), make(chan struct{})
	var searches sync.WaitGroup
	for range cap(x.ranking) {
		searches.Go(func() {
			if err := x.db.Read(t.Context(), func(*sqlstore.Conn) error { began <- struct{}{}; <-end; return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	for range cap(x.ranking) {
		<-began
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := x.Size(ctx); err != nil {
		t.Error(err)
	}
	close(end)
	searches.Wait()
}
