package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore/pgtest"
)

var postgres pgtest.Server

func TestMain(m *testing.M) {
	if database := os.Getenv(hubEnv); database != "" {
		workAsHub(database)
	}
	code := m.Run()
	postgres.Stop()
	os.Exit(code)
}

// eachDialect runs a test with an empty SQLite file and with an empty
// PostgreSQL database.
func eachDialect(t *testing.T, test func(t *testing.T, database string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "store", "test.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, postgres.Database(t)) })
}

// A clock is set by a test.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 12, 0, 30, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// schema is a Schema whose migrations are the same in both dialects.
func schema(steps ...string) Schema {
	files := fstest.MapFS{"sqlite": {Mode: fs.ModeDir | 0o755}, "postgres": {Mode: fs.ModeDir | 0o755}}
	for i, step := range steps {
		for _, dialect := range []string{"sqlite", "postgres"} {
			files[dialect+"/000"+string(rune('1'+i))+"_step.sql"] = &fstest.MapFile{Data: []byte(step)}
		}
	}
	return Schema{Name: "test", Migrations: files}
}

var tables = schema("CREATE TABLE pages (name TEXT PRIMARY KEY, size BIGINT NOT NULL); CREATE TABLE log (name TEXT NOT NULL)")

func open(t *testing.T, database string, s Schema, now func() time.Time) *Store {
	t.Helper()
	store, err := Open(t.Context(), Options{Database: database, Schema: s, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func count(t *testing.T, s *Store, query string, args ...any) (n int64) {
	t.Helper()
	if err := s.Reader().QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestStatements(t *testing.T) {
	eachDialect(t, func(t *testing.T, database string) {
		s, ctx := open(t, database, tables, time.Now), t.Context()
		err := s.Write(ctx, func(c *Conn) error {
			if n, err := c.Exec(ctx, "INSERT INTO pages (name, size) VALUES (?, ?), (?, ?)", "a", 1, "b?", 2); n != 2 || err != nil {
				t.Errorf("inserted %d, %v", n, err)
			}
			var size int64
			upsert := "INSERT INTO pages (name, size) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET size = pages.size + excluded.size RETURNING size"
			if err := c.QueryRow(ctx, upsert, "a", 10).Scan(&size); size != 11 || err != nil {
				t.Errorf("size after the upsert %d, %v", size, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		names, err := Select(ctx, s.Reader(), func(row Row) (name string, err error) { return name, row.Scan(&name) },
			"SELECT name FROM pages WHERE name <> '?' AND size >= ? -- why?\nORDER BY name", 2)
		if err != nil || strings.Join(names, " ") != "a b?" {
			t.Errorf("names %q, %v", names, err)
		}
		failure := errors.New("no")
		err = s.Write(ctx, func(c *Conn) error {
			_, err := c.Exec(ctx, "DELETE FROM pages")
			return errors.Join(err, failure)
		})
		if !errors.Is(err, failure) || count(t, s, "SELECT count(*) FROM pages") != 2 {
			t.Errorf("a failed transaction: %v; %d pages are left", err, count(t, s, "SELECT count(*) FROM pages"))
		}
		if err := s.Reader().QueryRow(ctx, "SELECT size FROM pages WHERE name = ?", "c").Scan(new(int)); !errors.Is(err, sql.ErrNoRows) {
			t.Errorf("a row that is not there: %v", err)
		}
	})
}

func TestRebind(t *testing.T) {
	for query, want := range map[string]string{
		"a = ? AND b = ?":              "a = $1 AND b = $2",
		"a = '?' AND b = ?":            "a = '?' AND b = $1",
		`"?" = ? - 1 AND c = 'it''s?'`: `"?" = $1 - 1 AND c = 'it''s?'`,
		"a -- ?\n = ?":                 "a -- ?\n = $1",
		"a = ? -- ?":                   "a = $1 -- ?",
		"a = 'open ?":                  "a = 'open ?",
		"none":                         "none",
	} {
		if got := rebind(Postgres, query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
		if got := rebind(Sqlite, query); got != query {
			t.Errorf("%s: %s for SQLite", query, got)
		}
	}
}

// Transactions that read, think and write behave as if they ran one after
// another, also where none changes a row that another changes.
func TestTransactionsAreSerializable(t *testing.T) {
	eachDialect(t, func(t *testing.T, database string) {
		one, two, ctx := open(t, database, tables, time.Now), open(t, database, tables, time.Now), t.Context()
		var working sync.WaitGroup
		for i := range 8 {
			s := []*Store{one, two}[i%2]
			working.Go(func() {
				for range 10 {
					err := s.Write(ctx, func(c *Conn) error {
						var n int64
						if err := c.QueryRow(ctx, "SELECT count(*) FROM log").Scan(&n); err != nil {
							return err
						}
						_, err := c.Exec(ctx, "INSERT INTO log (name) VALUES (?)", strconv.FormatInt(n, 10))
						return err
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		working.Wait()
		if n := count(t, one, "SELECT count(DISTINCT name) FROM log"); n != 80 {
			t.Errorf("80 transactions saw %d states", n)
		}
	})
}

func TestReadSeesOneMoment(t *testing.T) {
	eachDialect(t, func(t *testing.T, database string) {
		s, ctx := open(t, database, tables, time.Now), t.Context()
		insert := func(c *Conn) error {
			_, err := c.Exec(ctx, "INSERT INTO log (name) VALUES ('x')")
			return err
		}
		err := s.Read(ctx, func(c *Conn) error {
			var before, after int
			err := c.QueryRow(ctx, "SELECT count(*) FROM log").Scan(&before)
			err = errors.Join(err, s.Write(ctx, insert))
			err = errors.Join(err, c.QueryRow(ctx, "SELECT count(*) FROM log").Scan(&after))
			if before != 0 || after != 0 {
				t.Errorf("%d rows, then %d", before, after)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		if err := s.Read(ctx, insert); err == nil {
			t.Error("a Read has written")
		}
		if n := count(t, s, "SELECT count(*) FROM log"); n != 1 {
			t.Errorf("%d rows in the end", n)
		}
	})
}

func TestMigrations(t *testing.T) {
	first, second := "CREATE TABLE pages (name TEXT)", "ALTER TABLE pages ADD COLUMN size BIGINT; UPDATE pages SET size = 7"
	eachDialect(t, func(t *testing.T, database string) {
		ctx := t.Context()
		old := open(t, database, schema(first), time.Now)
		if _, err := old.write.ExecContext(ctx, "INSERT INTO pages VALUES ('a')"); err != nil {
			t.Fatal(err)
		}
		// One that fails leaves nothing of itself.
		_, err := Open(ctx, Options{Database: database, Schema: schema(first, second, "CREATE TABLE more (name TEXT); nonsense"), Now: time.Now})
		if err == nil || !strings.Contains(err.Error(), "open store test: migrate test to schema 3") {
			t.Errorf("a migration with a fault: %v", err)
		}
		var opening sync.WaitGroup
		for range 4 {
			opening.Go(func() {
				s, err := Open(ctx, Options{Database: database, Schema: schema(first, second), Now: time.Now})
				if err == nil {
					err = s.Close()
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		opening.Wait()
		if n := count(t, old, "SELECT sum(size) FROM pages"); n != 7 {
			t.Errorf("size %d after the migration", n)
		}
		_, err = Open(ctx, Options{Database: database, Schema: schema(first), Now: time.Now})
		if !errors.Is(err, ErrNewerSchema) || !strings.Contains(err.Error(), "test has schema 2, this build knows 1") {
			t.Errorf("a newer schema: %v", err)
		}
		other := schema("CREATE TABLE cards (name TEXT)")
		other.Name = "cards"
		if n := count(t, open(t, database, other, time.Now), "SELECT count(*) FROM cards"); n != 0 {
			t.Errorf("%d cards", n)
		}
		misnamed := Schema{Name: "test", Migrations: fstest.MapFS{"sqlite/0002_a.sql": {}, "postgres/0002_a.sql": {}}}
		if _, err := Open(ctx, Options{Database: database, Schema: misnamed, Now: time.Now}); err == nil || !strings.Contains(err.Error(), "is not named 0001_NAME.sql") {
			t.Errorf("a migration with a wrong name: %v", err)
		}
	})
}

func TestFileIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	file := filepath.Join(dir, "a b%20?.db")
	if runtime.GOOS == "windows" {
		file = filepath.Join(dir, "a b%20.db")
	}
	s := open(t, file, tables, time.Now)
	if err := s.WithLock(t.Context(), "x", func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 { // with -wal, -shm and the lock
		t.Errorf("files %v, %v", entries, err)
	}
	if runtime.GOOS != "windows" {
		for _, e := range entries {
			if info, err := e.Info(); err != nil || info.Mode() != 0o600 {
				t.Errorf("%s: mode %v, %v", e.Name(), info.Mode(), err)
			}
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("folder: mode %v, %v", info.Mode(), err)
		}
	}
	if _, err := Open(t.Context(), Options{Database: dir, Schema: tables, Now: time.Now}); err == nil {
		t.Error("a folder was opened")
	}
}

func TestPasswordStaysSecret(t *testing.T) {
	for _, database := range []string{
		"postgres://ann:hunter2@127.0.0.1:1/x?connect_timeout=1", "postgres://ann:hunter2@127.0.0.1:port/x",
		"postgres://ann:hunter2@[::1/x", "postgresql://ann:hunter2@127.0.0.1:1/x?sslmode=hunter2",
	} {
		_, err := Open(t.Context(), Options{Database: database, Schema: tables, Now: time.Now})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", database, err)
		}
	}
}
