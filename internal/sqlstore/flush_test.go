package sqlstore

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What was committed is flushed without waiting for anybody, one flush for all that came
// while the one before was under way; the next write says that one failed.
func TestFlushAfterCommit(t *testing.T) {
	s, err := Open(t.Context(), Options{Database: filepath.Join(t.TempDir(), "x.db"), Schema: tables, Now: time.Now, FlushAfterCommit: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.flushes.stop(); err != nil {
		t.Fatal(err)
	}
	begun, results := make(chan int), make(chan error)
	insert := func() error {
		return s.Write(t.Context(), func(c *Conn) error {
			_, err := c.Exec(t.Context(), "INSERT INTO log (name) VALUES ('x')")
			return err
		})
	}
	rows := func() (n int) {
		if err := s.Reader().QueryRow(t.Context(), "SELECT count(*) FROM log").Scan(&n); err != nil {
			t.Error(err)
		}
		return n
	}
	s.flushes = startFlusher(0, func() error {
		begun <- rows()
		return <-results
	})
	write := func(want string) {
		t.Helper()
		if err := insert(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("a write: %v, want %q", err, want)
		}
	}
	flushed := func(want int) {
		t.Helper()
		if n := <-begun; n != want {
			t.Errorf("a flush of %d rows, want %d", n, want)
		}
	}
	write("")
	flushed(1)
	write("") // while the disk is busy
	write("")
	results <- nil
	flushed(3)
	results <- errors.New("broken disk")
	write("")
	flushed(4) // so the flush before has ended
	write("broken disk")
	results <- nil
	write("")
	flushed(5)
	results <- nil
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// Closing flushes what was committed last.
func TestCloseFlushes(t *testing.T) {
	flushes := make(chan struct{}, 9)
	f := startFlusher(0, func() error { flushes <- struct{}{}; return errors.New("broken disk") })
	f.request()
	if err := f.stop(); err == nil || len(flushes) != 1 {
		t.Errorf("%d flushes, %v, want one that fails", len(flushes), err)
	}
}
