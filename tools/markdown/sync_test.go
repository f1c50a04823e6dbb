package markdown

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/internal/sqlstore/pgtest"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

var postgres pgtest.Server

func TestMain(m *testing.M) {
	if folder := os.Getenv(syncFolderEnv); folder != "" {
		syncUntilKilled(folder)
	}
	code := m.Run()
	postgres.Stop()
	os.Exit(code)
}

// A syncedVault is an open source whose Run keeps it in step with a database.
type syncedVault struct {
	*testNotebook
	conn *pgx.Conn
	data string
	stop func()

	mu       sync.Mutex
	recorded []tools.Change
	raised   map[string]string
	vetoed   error // of the journal
}

// syncConfig is where a vault is and what it is kept in step with.
type syncConfig struct {
	dir, data, url, tenant string
	privacy                tools.Privacy
}

func openSynced(t *testing.T, c syncConfig) *syncedVault {
	t.Helper()
	v := &syncedVault{data: c.data, raised: map[string]string{}}
	v.testNotebook = &testNotebook{t: t, dir: filepath.Join(c.dir, c.tenant)}
	if err := os.MkdirAll(v.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]any{"path": c.dir, "tenant": c.tenant, "sync": "env:NOTES_DSN"})
	if err != nil {
		t.Fatal(err)
	}
	v.OpenedSource, err = testSystem().Open(t.Context(), raw, tools.Env{
		Name: "notes", Log: slog.New(slog.DiscardHandler), Cache: t.TempDir(), Data: c.data, Now: time.Now, Privacy: c.privacy,
		Calls: v, Report: v, Reveal: func(context.Context, tools.Secret) (string, error) { return c.url, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	runner, ok := tools.As[tools.Runner](v.OpenedSource)
	if !ok {
		t.Fatal("it does nothing in the background")
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- runner.Run(ctx) }()
	v.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(v.stop)
	return v
}

// newSynced opens a vault with these files and a new database.
func newSynced(t *testing.T, files map[string]string) *syncedVault {
	t.Helper()
	c := syncConfig{dir: t.TempDir(), data: t.TempDir(), url: postgres.Database(t)}
	for name, content := range files {
		(&testNotebook{t: t, dir: c.dir}).put(name, content)
	}
	v := openSynced(t, c)
	v.conn = connect(t, c.url)
	v.waitFor("the table is there", func() bool { return v.exists("SELECT FROM pg_tables WHERE tablename = 'pages'") })
	return v
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// CallAs and WriteAs implement [tools.ClientCaller].
func (v *syncedVault) CallAs(context.Context, string, string, json.RawMessage) (tools.Result, error) {
	return tools.Result{}, errors.ErrUnsupported
}

func (v *syncedVault) WriteAs(ctx context.Context, client, _ string, write func(context.Context, tools.CallContext) error) error {
	if client != "sync:database" {
		return fmt.Errorf("client %q", client)
	}
	return write(ctx, tools.CallContext{Writes: v})
}

// BeforeWrite implements [tools.WriteObserver].
func (v *syncedVault) BeforeWrite(_ context.Context, changes ...tools.Change) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.vetoed != nil {
		return v.vetoed
	}
	v.recorded = append(v.recorded, changes...)
	return nil
}

// changes are those that were recorded.
func (v *syncedVault) changes() []tools.Change {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.recorded
}

func (v *syncedVault) AfterWrite(string, tools.State) {}
func (v *syncedVault) OutcomeUnknown(string)          {}
func (v *syncedVault) Progress(string, int64, int64)  {}
func (v *syncedVault) BlockIdleExit(string) func()    { return func() {} }
func (v *syncedVault) Clear(p status.ProblemType)     { v.show(p.Code, "") }
func (v *syncedVault) Raise(p status.ProblemType, a status.Args) {
	v.show(p.Code, p.New("notes", a).Title)
}

func (v *syncedVault) show(code, title string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.raised[code] = title
}

func (v *syncedVault) shown(code string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.raised[code]
}

// waitFor looks until something holds.
func (v *syncedVault) waitFor(what string, holds func() bool) {
	v.t.Helper()
	v.waitUntil(what, holds, 10*time.Millisecond, runtest.Timeout)
}

// waitForLong is waitFor for what takes minutes.
func (v *syncedVault) waitForLong(what string, holds func() bool) {
	v.t.Helper()
	v.waitUntil(what, holds, 100*time.Millisecond, 10*time.Minute)
}

func (v *syncedVault) waitUntil(what string, holds func() bool, every, limit time.Duration) {
	v.t.Helper()
	look, late := time.NewTicker(every), time.NewTimer(limit)
	defer look.Stop()
	defer late.Stop()
	for !holds() {
		select {
		case <-look.C:
		case <-late.C:
			v.t.Fatalf("%s: not after %v\nfiles %.2000q\npages %.2000q\nproblem %q", what, limit, v.files(), v.pages(), v.shown("markdown.sync"))
		}
	}
}

func (v *syncedVault) exec(query string, args ...any) {
	v.t.Helper()
	if _, err := v.conn.Exec(v.t.Context(), query, args...); err != nil {
		v.t.Fatalf("%s: %v", query, err)
	}
}

func (v *syncedVault) exists(query string, args ...any) bool {
	v.t.Helper()
	rows, err := v.conn.Query(v.t.Context(), query, args...)
	if err != nil {
		v.t.Fatal(err)
	}
	found := rows.Next()
	rows.Close()
	if err := rows.Err(); err != nil {
		v.t.Fatal(err)
	}
	return found
}

// pages are the contents in the table by path.
func (v *syncedVault) pages() map[string]string {
	v.t.Helper()
	pages := map[string]string{}
	rows, err := v.conn.Query(v.t.Context(), "SELECT path, content FROM pages")
	if err != nil {
		v.t.Fatal(err)
	}
	var path, content string
	if _, err := pgx.ForEachRow(rows, []any{&path, &content}, func() error { pages[path] = content; return nil }); err != nil {
		v.t.Fatal(err)
	}
	return pages
}

// waitInStep waits until both sides hold the same.
func (v *syncedVault) waitInStep() {
	v.t.Helper()
	v.waitFor("both sides hold the same", func() bool { return maps.Equal(v.files(), v.pages()) })
}

// waitCompared waits until a pass has ended, and so has kept what both sides hold.
func (v *syncedVault) waitCompared() {
	v.t.Helper()
	v.waitFor("a pass has ended", func() bool {
		out, err := v.command("sync status", nil)
		return err == nil && strings.Contains(out, "compared ")
	})
}

// command is what a person does from the shell.
func (v *syncedVault) command(name string, args map[string]string) (string, error) {
	var out bytes.Buffer
	err := v.Command(v.t.Context(), name, tools.CommandCall{Args: args, Context: tools.CallContext{Writes: v}}, &out)
	return out.String(), err
}

// The six integration tests of the specification, with the database for the browser.
func TestSyncOfTheSpecification(t *testing.T) {
	v := newSynced(t, map[string]string{"Projects/_index.md": "---\nid: p\ntitle: Projects\n---\n\n# Projects\n"})
	v.waitInStep()

	call[any](v.testNotebook, "create_page", `{"title":"Beta","parentPath":"Projects","content":"# Beta\n\nNew project."}`)
	v.waitFor("a page that was created is in the database", func() bool {
		return v.exists("SELECT FROM pages WHERE path = 'Projects/Beta.md' AND title = 'Beta' AND front_matter->>'id' = id AND content LIKE '%New project.%'")
	})
	etag := call[struct{ Etag string }](v.testNotebook, "read_page", `{"path":"Projects/Beta.md"}`).Etag
	call[any](v.testNotebook, "write_page", `{"path":"Projects/Beta.md","content":"---\ntitle: Beta 2\n---\nChanged.\n","if_match":"`+etag+`"}`)
	v.waitFor("a write is in the database", func() bool { return v.exists("SELECT FROM pages WHERE title = 'Beta 2' AND content LIKE '%Changed.%'") })

	v.exec("INSERT INTO pages (tenant, id, path, content) VALUES ('', 'g', 'Projects/Gamma.md', E'# Gamma\\n\\nzyxquartz\\n')")
	v.waitFor("search finds what the database got", func() bool {
		answer, _ := v.try("search_pages", `{"query":"zyxquartz"}`)
		return strings.Contains(answer, "Projects/Gamma.md")
	})
	v.exec("UPDATE pages SET content = E'# Gamma\\n\\nedited there\\n' WHERE id = 'g'")
	v.waitFor("an edit of the database is read", func() bool {
		answer, _ := v.try("read_page", `{"path":"Projects/Gamma.md"}`)
		return strings.Contains(answer, "edited there")
	})
	call[any](v.testNotebook, "delete_page", `{"path":"Projects/Beta.md"}`)
	v.waitFor("a page that was deleted is gone", func() bool { return !v.exists("SELECT FROM pages WHERE path = 'Projects/Beta.md'") })
	v.exec("DELETE FROM pages WHERE id = 'g'")
	v.waitFor("a page that the database lost is gone", func() bool { _, ok := v.files()["Projects/Gamma.md"]; return !ok })
	v.waitInStep()
}

// Neither a mirror nor an application sees the pages of another tenant.
func TestSyncOfTenants(t *testing.T) {
	url := postgres.Database(t)
	owner := connect(t, url)
	role := fmt.Sprintf("app_%d", time.Now().UnixNano()) // a role is of the server, not of the test's database
	for _, sql := range []string{"CREATE ROLE " + role + " LOGIN", "GRANT CREATE, USAGE ON SCHEMA public TO " + role} {
		if _, err := owner.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	app := strings.Replace(url, "user=postgres", "user="+role, 1)
	dir := t.TempDir()
	a := openSynced(t, syncConfig{dir: dir, data: t.TempDir(), url: app, tenant: "a"})
	a.conn = connect(t, url)
	a.put("Same.md", "of a\n")
	a.waitFor("the table is there", func() bool { return a.exists("SELECT FROM pg_tables WHERE tablename = 'pages'") })
	a.waitInStep()
	b := openSynced(t, syncConfig{dir: dir, data: t.TempDir(), url: app, tenant: "b"})
	b.conn = connect(t, app+"&lectern.tenant=b")
	b.put("Same.md", "of b\n")
	b.waitInStep()
	equal(t, "pages of all tenants", 2, countPages(t, owner))
	equal(t, "pages without a tenant", 0, countPages(t, connect(t, app)))
	if _, err := b.conn.Exec(t.Context(), "INSERT INTO pages (tenant, id, path, content) VALUES ('a', 'x', 'x.md', '')"); err == nil {
		t.Error("a tenant wrote a page of another")
	}
	b.exec("UPDATE pages SET content = 'stolen' WHERE tenant = 'a'")
	equal(t, "files of a", map[string]string{"Same.md": "of a\n"}, a.files())
	if answer, ok := b.try("read_page", `{"path":"../a/Same.md"}`); ok {
		t.Error(answer)
	}
}

func countPages(t *testing.T, conn *pgx.Conn) (n int) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pages").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A move keeps the page, also one that the front matter does not name; a file that is
// moved by hand too, whatever is seen first.
func TestSyncOfMoves(t *testing.T) {
	v := newSynced(t, map[string]string{"A.md": "named by nothing\n", "B.md": "---\nid: b\n---\ntext\n"})
	v.waitInStep()
	var id string
	if err := v.conn.QueryRow(t.Context(), "SELECT id FROM pages WHERE path = 'A.md'").Scan(&id); err != nil {
		t.Fatal(err)
	}
	call[any](v.testNotebook, "move_page", `{"sourcePath":"A.md","destinationPath":"F/A.md"}`)
	if err := os.Rename(filepath.Join(v.dir, "B.md"), filepath.Join(v.dir, "F", "C.md")); err != nil {
		t.Fatal(err)
	}
	v.put("F/C.md", "---\nid: b\n---\ntext, edited too\n")
	v.waitInStep()
	if !v.exists("SELECT FROM pages WHERE id = $1 AND path = 'F/A.md'", id) || !v.exists("SELECT FROM pages WHERE id = 'b' AND path = 'F/C.md'") {
		t.Errorf("pages %q", v.pages())
	}
	v.exec("UPDATE pages SET path = 'G/' || path")
	v.waitInStep()
	equal(t, "moved by the database", []string{"G/F/A.md", "G/F/C.md"}, slices.Sorted(maps.Keys(v.files())))
	v.waitFor("the folder that became empty is gone", func() bool {
		_, err := os.Stat(filepath.Join(v.dir, "F"))
		return err != nil
	})
}

// Edits of different lines are merged; of the same lines the database's stay, and the
// folder's are kept until a person decides.
func TestSyncOfBothSides(t *testing.T) {
	v := newSynced(t, map[string]string{"A.md": "1\n2\n3\n", "B.md": "1\n2\n3\n"})
	v.waitInStep()
	v.waitCompared()
	v.stop()
	v.exec("UPDATE pages SET content = E'one\\n2\\n3\\n'")
	v.put("A.md", "1\n2\nthree\n")
	v.put("B.md", "eins\n2\n3\n")
	url := v.conn.Config().ConnString()
	w := openSynced(t, syncConfig{dir: v.dir, data: v.data, url: url})
	w.conn = v.conn
	w.waitInStep()
	equal(t, "pages", map[string]string{"A.md": "one\n2\nthree\n", "B.md": "one\n2\n3\n"}, w.files())
	w.waitFor("a Problem", func() bool { return strings.HasPrefix(w.shown("markdown.conflicts"), "1 pages") })
	if out, err := w.command("sync conflicts", nil); err != nil || !strings.HasSuffix(out, "  B.md\n") {
		t.Errorf("conflicts %q %v", out, err)
	}
	if out, err := w.command("sync conflicts", map[string]string{"number": "1"}); err != nil || out != "eins\n2\n3\n" {
		t.Errorf("conflict %q %v", out, err)
	}
	if _, err := w.command("sync resolve", map[string]string{"number": "1", "keep": "nothing"}); err == nil {
		t.Error("it keeps nothing")
	}
	if _, err := w.command("sync resolve", map[string]string{"number": "1", "keep": "folder"}); err != nil {
		t.Error(err)
	}
	w.waitFor("the folder's version is in the database", func() bool { return w.pages()["B.md"] == "eins\n2\n3\n" })
	w.waitFor("no Problem", func() bool { return w.shown("markdown.conflicts") == "" })
	w.waitFor("the status", func() bool {
		out, err := w.command("sync status", nil)
		return err == nil && strings.HasPrefix(out, "state      in step\n") && strings.Contains(out, "pages      2\n") && strings.Contains(out, "conflicts  0\n") && !strings.Contains(out, url)
	})
}

// What a mirror writes to a file is a Change that can be undone, also of a page that
// is hidden from agents, and the undo reaches the database.
func TestSyncIsUndone(t *testing.T) {
	c := syncConfig{dir: t.TempDir(), data: t.TempDir(), url: postgres.Database(t), privacy: tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "Private/**"}}}}
	(&testNotebook{t: t, dir: c.dir}).put("Private/Diary.md", "before\n")
	v := openSynced(t, c)
	v.conn = connect(t, c.url)
	v.waitFor("a hidden page is in the database", func() bool { return v.exists("SELECT FROM pg_tables WHERE tablename = 'pages'") && len(v.pages()) == 1 })
	v.exec("UPDATE pages SET content = E'after\\n'")
	v.waitInStep()
	recorded := v.changes()
	if len(recorded) != 1 || recorded[0].Target != "Private/Diary.md" || string(recorded[0].Before.Data) != "before\n" || string(recorded[0].After.Data) != "after\n" {
		t.Fatalf("recorded %+v", recorded)
	}
	if answer, ok := v.try("read_page", `{"path":"Private/Diary.md"}`); ok {
		t.Error("an agent reads it: " + answer)
	}
	r, _ := tools.As[tools.Restorer](v.OpenedSource)
	back := tools.Change{Target: recorded[0].Target, Before: recorded[0].After, After: recorded[0].Before}
	if err := r.Restore(t.Context(), tools.CallContext{}, []tools.Change{back}); err != nil {
		t.Fatal(err)
	}
	v.waitFor("the undo is in the database", func() bool { return v.pages()["Private/Diary.md"] == "before\n" })
}

// Nothing is written that cannot be recorded.
func TestSyncWithoutJournal(t *testing.T) {
	v := newSynced(t, map[string]string{"A.md": "a\n"})
	v.waitInStep()
	v.mu.Lock()
	v.vetoed = tools.Errorf(tools.Unavailable, "the journal is full")
	v.mu.Unlock()
	v.exec("UPDATE pages SET content = 'b'")
	v.waitFor("a Problem", func() bool { return strings.Contains(v.shown("markdown.sync"), "the journal is full") })
	equal(t, "files", map[string]string{"A.md": "a\n"}, v.files())
	v.mu.Lock()
	v.vetoed = nil
	v.mu.Unlock()
	v.waitInStep()
	v.waitFor("no Problem", func() bool { return v.shown("markdown.sync") == "" })
}

// A page that one side cannot hold stays as it is on the other, and the others are in
// step.
func TestSyncLeavesWhatItCannotHold(t *testing.T) {
	v := newSynced(t, map[string]string{"Latin.md": "caf\xe9\n", "Nul.md": "a\x00b", "Good.md": "good\n", "Turns.md": "text\n"})
	v.waitFor("pages", func() bool { return len(v.pages()) == 2 })
	v.exec("INSERT INTO pages (tenant, id, path, content) VALUES ('', 'out', '../Out.md', ''), ('', 'dot', '.obsidian/app.md', ''), ('', 'txt', 'a.txt', ''), ('', 'nul', 'CON.md', ''), ('', 'late', 'Latin.md', 'other')")
	v.put("Turns.md", "\xff\xfe")
	v.put("Next.md", "next\n")
	v.waitFor("the others are in step", func() bool { return v.pages()["Next.md"] != "" })
	v.waitFor("the status", func() bool {
		out, err := v.command("sync status", nil)
		for _, left := range []string{"Latin.md in the folder", "Nul.md in the folder", "Turns.md in the folder", `"../Out.md" in`, `".obsidian/app.md" in`, `"a.txt" in`, `"CON.md" in`} {
			if err != nil || !strings.Contains(out, left) {
				return false
			}
		}
		return true
	})
	equal(t, "files", map[string]string{"Latin.md": "caf\xe9\n", "Nul.md": "a\x00b", "Good.md": "good\n", "Turns.md": "\xff\xfe", "Next.md": "next\n"}, v.files())
	if got := v.pages(); got["Turns.md"] != "text\n" || got["Latin.md"] != "other" || len(got) != 8 {
		t.Errorf("pages %q", got)
	}
	v.put("Turns.md", "text again\n")
	v.waitFor("it can be read again", func() bool { return v.pages()["Turns.md"] == "text again\n" })
}

// A side that has lost everything at once is not believed before a person says so.
func TestSyncOfAnEmptiedSide(t *testing.T) {
	files := map[string]string{}
	for i := range 12 {
		files[fmt.Sprintf("P%d.md", i)] = fmt.Sprintf("page %d\n", i)
	}
	v := newSynced(t, files)
	v.waitInStep()
	v.exec("DELETE FROM pages")
	v.waitFor("a Problem", func() bool {
		return strings.Contains(v.shown("markdown.sync"), "all 12 pages are gone from the database at once")
	})
	equal(t, "files", files, v.files())
	if _, err := v.command("sync accept", nil); err != nil {
		t.Fatal(err)
	}
	v.waitInStep()
	equal(t, "files", map[string]string{}, v.files())
	equal(t, "recorded", 12, len(v.changes()))
}

// Nor is the loss of more than half of all pages, or of a folder. What comes back keeps its ids.
func TestSyncOfVanishedPages(t *testing.T) {
	files := map[string]string{}
	for i := range 12 {
		files[fmt.Sprintf("Sub/deep/S%d.md", i)] = fmt.Sprintf("sub %d\n", i)
		files[fmt.Sprintf("P%d.md", i)] = fmt.Sprintf("page %d\n", i)
		files[fmt.Sprintf("Q/Q%d.md", i)] = fmt.Sprintf("question %d\n", i)
	}
	v := newSynced(t, files)
	v.waitInStep()
	v.exec("CREATE TABLE ids AS SELECT path, id FROM pages")
	keepsIDs := func() bool { return !v.exists("SELECT FROM ids WHERE (path, id) NOT IN (SELECT path, id FROM pages)") }
	away := func(folder, why string) {
		t.Helper()
		aside := filepath.Join(t.TempDir(), "aside")
		if err := os.Rename(filepath.Join(v.dir, folder), aside); err != nil {
			t.Fatal(err)
		}
		v.waitFor("a Problem: "+why, func() bool { return strings.Contains(v.shown("markdown.sync"), why) })
		equal(t, "rows stay", true, keepsIDs())
		if err := os.Rename(aside, filepath.Join(v.dir, folder)); err != nil {
			t.Fatal(err)
		}
		v.waitInStep()
		equal(t, "ids", true, keepsIDs())
	}
	away("Sub", "all 12 pages below Sub/ are gone from the folder at once")
	v.exec("DELETE FROM pages WHERE path ~ '^(P|Q/Q[1-5])'")
	v.waitFor("a Problem", func() bool {
		return strings.Contains(v.shown("markdown.sync"), "19 of 36 pages are gone from the database at once")
	})
	equal(t, "files", files, v.files())
}

// While the server is down nothing is lost, and afterwards both sides are in step.
func TestSyncSurvivesTheServer(t *testing.T) {
	v := newSynced(t, map[string]string{"A.md": "a\n"})
	v.waitInStep()
	url := v.conn.Config().ConnString()
	postgres.Interrupt(t, func() {
		v.put("A.md", "edited while it was down\n")
		v.put("B.md", "new\n")
		v.waitFor("a Problem", func() bool { return v.shown("markdown.sync") != "" })
	})
	v.conn = connect(t, url)
	v.waitFor("the edits are in the database", func() bool {
		return maps.Equal(v.pages(), map[string]string{"A.md": "edited while it was down\n", "B.md": "new\n"})
	})
	v.exec("UPDATE pages SET content = 'there' WHERE path = 'B.md'")
	v.waitInStep()
	v.waitFor("no Problem", func() bool { return v.shown("markdown.sync") == "" })
}
