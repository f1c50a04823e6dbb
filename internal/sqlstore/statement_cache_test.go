package sqlstore

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"
)

// A text is compiled once for each connection. It can be used while rows of it are
// read, after more texts than are kept, after a failure and after its table was
// changed.
func TestStatementCache(t *testing.T) {
	s, err := Open(t.Context(), Options{
		Database: filepath.Join(t.TempDir(), "x.db"), Now: time.Now,
		Schema: Schema{Name: "x", Migrations: fstest.MapFS{"sqlite/0001_x.sql": {Data: []byte("CREATE TABLE x (n INTEGER PRIMARY KEY)")}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const insert, list = "INSERT INTO x (n) VALUES (?)", "SELECT n FROM x WHERE n >= ? ORDER BY n"
	number := func(row Row) (n int, err error) { return n, row.Scan(&n) }
	err = s.Write(t.Context(), func(c *Conn) error {
		for n := range 3 {
			if _, err := c.Exec(t.Context(), insert, n); err != nil {
				return err
			}
		}
		if _, err := c.Exec(t.Context(), insert, 1); err == nil {
			t.Error("a key was inserted twice")
		}
		pairs, err := Select(t.Context(), c, func(row Row) (pair [2]int, err error) {
			n, err := number(row)
			if err != nil {
				return pair, err
			}
			inner, err := Select(t.Context(), c, number, list, n)
			return [2]int{n, len(inner)}, err
		}, list, 0)
		if fmt.Sprint(pairs) != "[[0 3] [1 2] [2 1]]" {
			t.Errorf("rows within rows of one text: %v", pairs)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 300 { // more than a connection keeps
		if got, err := Select(t.Context(), s.Reader(), number, fmt.Sprintf("SELECT n + %d FROM x WHERE n = ?", n), 2); err != nil || len(got) != 1 || got[0] != n+2 {
			t.Fatal(got, err)
		}
	}
	if err := s.Write(t.Context(), func(c *Conn) error {
		_, err := c.Exec(t.Context(), "ALTER TABLE x ADD COLUMN more TEXT")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if got, err := Select(t.Context(), s.Reader(), number, list, 0); err != nil || len(got) != 3 {
		t.Error(got, err)
	}
}

func BenchmarkStatement(b *testing.B) {
	s, err := Open(b.Context(), Options{
		Database: filepath.Join(b.TempDir(), "x.db"), Now: time.Now,
		Schema: Schema{Name: "x", Migrations: fstest.MapFS{"sqlite/0001_x.sql": {Data: []byte("CREATE TABLE x (n INTEGER PRIMARY KEY, text TEXT)")}}},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		if _, err := Select(b.Context(), s.Reader(), func(row Row) (n int, err error) { return n, row.Scan(&n) },
			"SELECT count(*) FROM x AS a JOIN x AS b ON a.n = b.n WHERE a.text = ? OR b.text = ?", "a", "b"); err != nil {
			b.Fatal(err)
		}
	}
}
