package markdown

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/mirror"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/pagestore"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/pagesync"
)

const (
	syncFolderEnv   = "LECTERN_TEST_SYNC_FOLDER"
	syncDataEnv     = "LECTERN_TEST_SYNC_DATA"
	syncDatabaseEnv = "LECTERN_TEST_SYNC_DATABASE"
	syncKillEnv     = "LECTERN_TEST_SYNC_KILL"
)

// A mirror that is killed between any two steps, or between a step and what is kept of
// it, finishes its work when it starts again: nothing is lost, nothing is doubled.
func TestKilledWhileSynchronising(t *testing.T) {
	runtest.InOrder(t)
	every := 10
	if os.Getenv("ROUNDS") != "" {
		every = 1
	}
	want := synchroniseKilledAt(t, -1)
	killed := 0
	for point := 0; ; point += every {
		got := synchroniseKilledAt(t, point)
		equal(t, fmt.Sprintf("killed at %d", point), want.files, got.files)
		equal(t, fmt.Sprintf("copies, killed at %d", point), want.copies, got.copies)
		if !got.killed {
			break
		}
		killed++
	}
	if killed < 2 {
		t.Errorf("killed %d times", killed)
	}
	equal(t, "copies", []string{"E.md: here\n"}, want.copies)
	equal(t, "files", map[string]string{
		"A.md": "edited here\n2\nedited there\n", "F/B.md": "b\n", "D.md": "new here\n", "E.md": "there\n", "F.md": "g\n", "G.md": "f\n",
		"H.md": "edited there\n", "M.md": "as blocks\n", "N.md": "new\n\nblocks\n", "F/I.md": "i\n", "K.md": "new there\n", "L.md": "edited, so it stays\n",
	}, want.files)
}

// A killedSync is what was there after a mirror had been killed and started again.
type killedSync struct {
	files  map[string]string
	copies []string
	killed bool
}

// synchroniseKilledAt brings two sides that differ in every way into step, by a process
// that is killed at a point and another one that is not.
func synchroniseKilledAt(t *testing.T, point int) (r killedSync) {
	t.Helper()
	b := &testNotebook{t: t, dir: t.TempDir()}
	data, url := t.TempDir(), postgres.Database(t)
	for name, content := range map[string]string{
		"A.md": "1\n2\n3\n", "B.md": "b\n", "C.md": "c\n", "E.md": "e\n", "F.md": "---\nid: f\n---\nf\n", "G.md": "---\nid: g\n---\ng\n",
		"H.md": "h\n", "I.md": "i\n", "J.md": "j\n", "L.md": "l\n", "M.md": "m\n",
	} {
		b.put(name, content)
	}
	work := func(point int) error {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), syncFolderEnv+"="+b.dir, syncDataEnv+"="+data, syncDatabaseEnv+"="+url, syncKillEnv+"="+strconv.Itoa(point))
		out, err := cmd.CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 {
			t.Fatalf("%s", out)
		}
		return err
	}
	if err := work(-1); err != nil {
		t.Fatal(err)
	}
	b.put("A.md", "edited here\n2\n3\n")
	b.put("D.md", "new here\n")
	b.put("E.md", "here\n")
	b.put("L.md", "edited, so it stays\n")
	b.put("F.md", "---\nid: g\n---\ng\n")
	b.put("G.md", "---\nid: f\n---\nf\n")
	b.put("F/", "")
	for from, to := range map[string]string{"B.md": "F/B.md", "C.md": "C.trash"} {
		if err := os.Rename(filepath.Join(b.dir, from), filepath.Join(b.dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(b.dir, "C.trash")); err != nil {
		t.Fatal(err)
	}
	conn := connect(t, url)
	for _, sql := range []string{
		"UPDATE pages SET content = E'1\\n2\\nedited there\\n' WHERE path = 'A.md'", "UPDATE pages SET content = E'there\\n' WHERE path = 'E.md'",
		"UPDATE pages SET content = E'edited there\\n' WHERE path = 'H.md'", "UPDATE pages SET path = 'F/I.md' WHERE path = 'I.md'",
		`UPDATE pages SET blocks = replace(blocks::text, '"m"', '"as blocks"')::jsonb WHERE path = 'M.md'`,
		`INSERT INTO pages (tenant, id, path, blocks) VALUES ('', 'n', 'N.md', '{"type":"doc","content":[` + paragraph("new") + "," + paragraph("blocks") + `]}')`,
		"DELETE FROM pages WHERE path IN ('J.md', 'L.md')", "INSERT INTO pages (tenant, id, path, content) VALUES ('', 'k', 'K.md', E'new there\\n')",
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	r.killed = work(point) != nil
	if err := work(-1); err != nil {
		t.Fatal(err)
	}
	r.files = b.files()
	v := &syncedVault{testNotebook: b, conn: conn}
	equal(t, "pages", r.files, v.pages())
	if files, err := filepath.Glob(filepath.Join(data, "sync-*.db")); err != nil || len(files) != 1 {
		t.Fatal(files, err)
	} else {
		r.copies = readCopies(t, files[0])
	}
	for name, content := range r.files {
		r.files[name] = readBody(content)
	}
	return r
}

func readBody(content string) string {
	p := parsePage(nil, "x.md", []byte(content))
	return p.text[p.body:]
}

func readCopies(t *testing.T, file string) (copies []string) {
	t.Helper()
	base, err := pagestore.OpenBase(t.Context(), file, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer base.Close()
	kept, err := base.Copies(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range kept {
		copies = append(copies, c.Path+": "+c.Content)
	}
	return copies
}

// syncUntilKilled is a process that makes passes until nothing is left to do, or until
// it has reached a point.
func syncUntilKilled(dir string) {
	if err := syncToPoint(dir); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

func syncToPoint(dir string) error {
	ctx := context.Background()
	point, err := strconv.Atoi(os.Getenv(syncKillEnv))
	if err != nil {
		return err
	}
	raw, err := json.Marshal(map[string]any{"path": dir, "sync": "env:NOTES_DSN"})
	if err != nil {
		return err
	}
	source, err := testSystem().Open(ctx, raw, tools.Env{Name: "notes", Data: os.Getenv(syncDataEnv), Calls: writeDirectly{}, Now: time.Now})
	if err != nil {
		return err
	}
	k := &killer{left: point}
	n, _ := tools.As[*Notebook](source)
	format := &killedFormat{killer: k}
	table, err := pagestore.OpenTable(ctx, pagestore.Options{URL: os.Getenv(syncDatabaseEnv), Now: time.Now, Format: format, Describe: func(p mirror.Page) (string, string) {
		k.reach() // within the transaction
		return readColumns(p)
	}})
	if err != nil {
		return err
	}
	base, err := pagestore.OpenBase(ctx, n.sync.baseFile(table), time.Now)
	if err != nil {
		return err
	}
	format.base = base
	now := time.Now()
	m := &pagesync.Mirror{
		Folder: killedFolder{n.sync.folder, k}, Table: killedTable{table, k}, Base: killedBase{base, k}, NewID: newID, Allowed: isSyncPath,
		Now: func() time.Time { now = now.Add(time.Second); return now }, Progress: func(int, int) {},
	}
	for range 20 {
		r, err := m.Reconcile(ctx, false)
		if err != nil {
			return err
		}
		if !r.Again && r.Skipped+r.ToFolder+r.ToTable == 0 {
			return errors.Join(base.Close(), table.Close(), source.Close())
		}
	}
	return errors.New("there is always something left to do")
}

// A killer ends the process by SIGKILL at a point.
type killer struct{ left int }

func (k *killer) reach() {
	if k.left == 0 {
		self, _ := os.FindProcess(os.Getpid()) // it exists
		_ = self.Kill()
		select {} // until it is dead
	}
	k.left--
}

// steps takes steps one by one.
func (k *killer) steps(steps []mirror.Step, take func([]mirror.Step) (map[string]bool, error)) (map[string]bool, error) {
	all := map[string]bool{}
	for _, s := range steps {
		k.reach()
		late, err := take([]mirror.Step{s})
		if err != nil {
			return nil, err
		}
		maps.Copy(all, late)
	}
	k.reach()
	return all, nil
}

type killedFolder struct {
	pagesync.Folder
	*killer
}

func (f killedFolder) Take(ctx context.Context, steps []mirror.Step) (map[string]bool, error) {
	return f.steps(steps, func(one []mirror.Step) (map[string]bool, error) { return f.Folder.Take(ctx, one) })
}

type killedTable struct {
	pagesync.Table
	*killer
}

func (f killedTable) Take(ctx context.Context, steps []mirror.Step) (map[string]bool, error) {
	f.reach()
	late, err := f.Table.Take(ctx, steps)
	f.reach()
	return late, err
}

type killedBase struct {
	pagesync.Base
	*killer
}

func (b killedBase) Keep(ctx context.Context, copies []mirror.ConflictCopy) error {
	b.reach()
	return b.Base.Keep(ctx, copies)
}

func (b killedBase) Update(ctx context.Context, pages mirror.Tree, gone []string) error {
	b.reach()
	return b.Base.Update(ctx, pages, gone)
}

type killedFormat struct {
	blockFormat
	*killer
}

// Content is called before blocks are read back, and Blocks within the transaction.
func (f *killedFormat) Content(ctx context.Context, id string, page mirror.Page, base, blocks string) (string, error) {
	f.reach()
	return f.blockFormat.Content(ctx, id, page, base, blocks)
}

func (f *killedFormat) Blocks(content string) string {
	f.reach()
	return f.blockFormat.Blocks(content)
}

// writeDirectly is a hub that records nothing.
type writeDirectly struct{ tools.ClientCaller }

func (writeDirectly) WriteAs(ctx context.Context, _, _ string, write func(context.Context, tools.CallContext) error) error {
	return write(ctx, tools.CallContext{})
}
