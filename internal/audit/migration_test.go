package audit

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/fstest"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// newTrailOfBefore makes the file of a version that could not search by index, with
// so many calls in it: three in ten touch pages, one in fifty fails.
func newTrailOfBefore(t *testing.T, file string, calls int) {
	t.Helper()
	former := fstest.MapFS{}
	for _, name := range []string{"sqlite/0001_calls.sql", "sqlite/0002_approval.sql"} {
		data, err := fs.ReadFile(migrations, "migrations/"+name)
		if err != nil {
			t.Fatal(err)
		}
		former[name] = &fstest.MapFile{Data: data}
	}
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Database: file, Schema: sqlstore.Schema{Name: "audit", Migrations: former}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Write(t.Context(), func(c *sqlstore.Conn) error {
		_, err := c.Exec(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
			INSERT INTO calls (`+columns+`) SELECT ? + i * 1000000 * 1024, 'client ' || (i % 20), 1, 's' || (i / 1000), 'stdio', '', 'notes',
				'tool ' || (i % 40), 'read', 'ok', CASE WHEN i % 50 = 0 THEN 'not_found' ELSE '' END, CASE WHEN i % 50 = 0 THEN 'no page …' ELSE '' END,
				0, 1234, 321, 4321, '', 0, CASE WHEN i % 10 < 3 THEN '["pages/' || (i % 5000) || '.md"]' ELSE '' END, '', '', '' FROM n`, calls, firstID(noon))
		if err != nil {
			return err
		}
		_, err = c.Exec(t.Context(), "INSERT INTO call_targets (name, call) SELECT json_extract(targets, '$[0]'), id FROM calls WHERE targets <> ''")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// What an earlier version recorded is found, too, and the first start after an
// update does not take long. MIGRATED says how many calls there are: a million took
// 7 s on two cores under a load of 14.
func TestCallsOfBeforeAreFound(t *testing.T) {
	many, err := strconv.Atoi(os.Getenv("MIGRATED"))
	if err != nil {
		many = 20_000
	}
	file := filepath.Join(t.TempDir(), "audit.db")
	newTrailOfBefore(t, file, many)
	was, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	trail := openTrail(t, file, func() time.Time { return noon.Add(time.Hour) })
	t.Logf("the first start took %s", time.Since(began))
	for word, want := range map[string]int{"/4002.md": many / 5000, "s7": 1000, "not_found": many / 50, "nothing": 0} {
		want = min(want, 1000)
		if n := len(calls(t, file, Filter{Limit: 1000, Search: Search{{Text: word}}}).Calls); n != want && word != "s7" || n < want {
			t.Errorf("%q: %d calls, want %d", word, n, want)
		}
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	if is, err := os.Stat(file); err != nil {
		t.Error(err)
	} else {
		t.Logf("%d bytes a call, and before %d", is.Size()/int64(many), was.Size()/int64(many))
	}
}
