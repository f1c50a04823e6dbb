package sqlstore

import (
	"path/filepath"
	"testing"
	"time"
)

// What will be written is read by the connection that writes, while nobody does, and
// otherwise without waiting.
func TestReadForWrite(t *testing.T) {
	s, err := Open(t.Context(), Options{Database: filepath.Join(t.TempDir(), "x.db"), Schema: tables, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	read := func(when string, wantReader bool) {
		t.Helper()
		if err := s.ReadForWrite(func(c *Conn) error {
			var isReader bool
			err := c.QueryRow(t.Context(), "PRAGMA query_only").Scan(&isReader)
			if err == nil && isReader != wantReader {
				t.Errorf("%s: by a connection that only reads: %t, want %t", when, isReader, wantReader)
			}
			return err
		}); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	read("before a write", false)
	if err := s.Write(t.Context(), func(*Conn) error {
		read("while somebody writes", true)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	read("after the write", false)
}
