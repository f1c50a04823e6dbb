//go:build unix

package main

import (
	"cmp"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/internal/audit"
)

// fillDay records so many calls that an earlier hub had on one day, from midnight on: the first was
// refused, every thousandth failed.
func fillDay(t *testing.T, file string, midnight time.Time, calls int) {
	t.Helper()
	trail, err := audit.Open(t.Context(), audit.Options{File: file, Key: []byte("k"), Now: time.Now, Keep: 90 * 24 * time.Hour, MaxBytes: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", file+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	step := 24 * time.Hour / time.Duration(calls+1)
	for _, query := range []string{
		fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO calls (id, client, proven, session, transport, role, source, tool, effect, outcome, code, message, waited, worked, request,
				response, digest, parent, targets, changes, detail)
			SELECT (%d + i * %d) * 1024, 'agent-' || (i %% 5), 1, 's' || (i / 10000), 'stdio', '', 'notes', 'read_page', 'read',
				CASE WHEN i = 1 THEN 'refused' WHEN i %% 1000 = 0 THEN 'error' ELSE 'ok' END,
				CASE WHEN i = 1 THEN 'denied' WHEN i %% 1000 = 0 THEN 'not_found' ELSE '' END, '', 0, 900, 40, 2000, '', 0,
				CASE WHEN i = 1 THEN '["Private/diary.md"]' ELSE '["Daily/' || (i %% 5000) || '.md"]' END, '', '' FROM n`,
			calls, midnight.UnixMicro(), step.Microseconds()),
		"INSERT INTO call_targets (name, call) SELECT json_extract(targets, '$[0]'), id FROM calls",
		"INSERT INTO search_values SELECT DISTINCT 'targets', name FROM call_targets",
		"INSERT INTO search_values SELECT DISTINCT 'session', session FROM calls",
	} {
		if _, err := db.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
}

// listPosition is which row of a list is selected, and how many the list has, if there are more than it has.
var listPosition = regexp.MustCompile(`([\d,]+) of ([\d,]+)\+ ─`)

// A day of calls of an earlier hub, a million if CALLS says so: the panel shows the newest, finds the one
// that was refused at its beginning, and goes back to it by keys; `lectern activity` says the same.
func TestDayOfCalls(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("CALLS"))
	calls := cmp.Or(n, 5000)
	home := newHomeWith(t, "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\n")
	yesterday := time.Now().AddDate(0, 0, -1)
	midnight := time.Date(yesterday.Year(), yesterday.Month(), yesterday.Day(), 0, 0, 0, 0, time.Local)
	file := apptest.Paths(home).Audit()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	fillDay(t, file, midnight, calls)
	timed := func(what string, do func()) {
		began := time.Now()
		do()
		t.Logf("%s: %s", what, time.Since(began).Round(time.Millisecond))
	}
	day := midnight.Format(time.DateOnly)
	x := openScreen(t, 140, 45, environIn(home), "lectern")
	x.waitFor("● ready", "● notes")
	timed("Activity, first page", func() {
		x.typeKeys("3")
		x.waitFor("+ calls", midnight.Format("_2 Jan")+" 23:", "read_page")
	})
	timed("a filter for the oldest call", func() {
		x.typeKeys("/on:" + day + " is:refused target:private\r")
		x.waitFor("“on:", "denied: Private/diary.md") // the filter is in the title: nobody types any more
	})
	timed("a filter for what failed", func() {
		x.typeKeys(escape)
		x.waitGone("“on:")
		x.typeKeys("/is:error client:agent-0\r")
		x.waitFor("“is:error", "✗ read_page", "not_found")
	})
	timed("the end of the list", func() {
		x.typeKeys(escape)
		x.waitGone("“is:error")
		x.pressWhile("G", func() {
			if calls < 10_000 {
				x.waitFor("Private/diary.md")
				return
			}
			x.waitUntil("the last of the 10,000 rows that the list has is selected", func() bool { // and an event or two
				at := listPosition.FindStringSubmatch(x.emulate.String())
				return at != nil && at[1] == at[2] && len(at[1]) >= len("10,000")
			})
		})
	})
	timed("lectern activity", func() {
		rows := string(runLectern(t, home, "activity", "on:"+day, "-n", "1000", "--json"))
		if got := strings.Count(rows, "\n"); got != 1000 {
			t.Errorf("%d rows of a thousand", got)
		}
	})
	if found := string(runLectern(t, home, "activity", "is:refused", "target:private", "--json")); strings.Count(found, "\n") != 1 {
		t.Errorf("found %s", found)
	}
	x.typeKeys("q")
	if got := x.waitExit(); got != 0 {
		t.Errorf("left with %d", got)
	}
	stopTestHub(t, home)
}
