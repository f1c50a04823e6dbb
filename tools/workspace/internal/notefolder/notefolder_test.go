package notefolder

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

func openStore(t *testing.T) *notestore.Store {
	t.Helper()
	s, err := notestore.Open(t.Context(), notestore.Options{Database: filepath.Join(t.TempDir(), "notes.db"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func openFolder(t *testing.T, dir string) *folder.Folder {
	t.Helper()
	f, err := folder.Open(dir, folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func fill(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(file)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func takeOver(t *testing.T, s *notestore.Store, dir string) *Imported {
	t.Helper()
	d := s.Begin(notestore.View{})
	done, err := Import(t.Context(), d, "ws", openFolder(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return done
}

func export(t *testing.T, s *notestore.Store, dir string) Exported {
	t.Helper()
	done, err := Export(t.Context(), s.Begin(notestore.View{}), "ws", openFolder(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	return done
}

var vault = map[string]string{
	"Weekly Sync.md":          "# Weekly Sync\r\n\r\n## Date\r\n2025-11-29\r\n[[Other]] ![](img/pic.png)\r\n",
	"Projects/Other.md":       "\ufeff---\nid: my-id\nclass: Project\n---\nno newline at the end",
	"Projects/Weekly Sync.md": "the same name",
	"empty.md":                "",
	"日本語.md":                  "# 日本語\n",
	"img/pic.png":             "\x89PNG\x00\xff",
	"list.md":                 "a name that is no id",
	".obsidian/app.json":      "{}",
}

// A vault becomes notes with its own ids, and the same files again.
func TestVaultRoundTrip(t *testing.T) {
	s := openStore(t)
	files := map[string]string{"latin1.md": "caf\xe9", "nul.md": "a\x00b"}
	maps.Copy(files, vault)
	done := takeOver(t, s, fill(t, files))
	slices.Sort(done.Created)
	if len(done.Created) != 6 || !slices.Contains(done.Created, "my-id") || !slices.Contains(done.Created, "Weekly-Sync") || !slices.Contains(done.Created, "empty") || !slices.Contains(done.Created, "note-8895588d") || done.Attachments != 1 {
		t.Errorf("%+v", done)
	}
	if d := cmp.Diff([]SkippedFile{{"latin1.md", "it is not UTF-8 text"}, {"nul.md", "it is not UTF-8 text"}}, done.Skipped); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"Projects/Weekly Sync.md", "Weekly Sync.md", "empty.md", "list.md", "日本語.md"}, done.WithoutClass); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"Projects/Other.md"}, done.UnknownClass); d != "" {
		t.Error(d)
	}
	links, err := s.Begin(notestore.View{}).Links(t.Context(), "ws", "", "", 10)
	if err != nil || len(links) != 1 || links[0].Target != "my-id" || !links[0].Resolved {
		t.Errorf("links %+v, %v", links, err)
	}
	dir := t.TempDir()
	export(t, s, dir)
	got := contents(t, dir)
	delete(got, manifestFile)
	want := map[string]string{}
	for name, text := range vault {
		if !strings.HasPrefix(name, ".") {
			want[name] = text
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	again := takeOver(t, s, dir)
	if len(again.Unchanged) != 6 || len(again.Created)+len(again.Updated)+again.Attachments != 0 {
		t.Errorf("imported again: %+v", again)
	}
}

// A workspace is the same after it was a folder.
func TestWorkspaceRoundTrip(t *testing.T) {
	s, ctx := openStore(t), t.Context()
	d := s.Begin(notestore.View{})
	for id, c := range map[string]notestore.Content{
		"a":   {Text: "# A\n## Due\n2025-01-01\n", Attributes: notestore.Attributes{Class: "Task", Canvas: json.RawMessage(`{"x":1}`)}},
		"A":   {Text: "differs by case alone"},
		"CON": {Text: "no name for a file"},
		"b":   {Text: "[[A]]", Attributes: notestore.Attributes{Path: "deep/er/b c.md", Attachments: []string{"f1"}}},
	} {
		if _, err := d.Save(ctx, "ws", id, c, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Put(ctx, notestore.Document{
		Workspace: "ws", Kind: notestore.ClassKind, ID: "Task",
		Body: `{"name":"Task","version":1,"template":"","fields":{"Due":{"type":"date"}},"defaults":{},"strategies":{}}`,
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Connect(ctx, "ws", "a", "b", "k"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Attach(ctx, "ws", notestore.Attachment{ID: "f1", Name: "f.bin", Path: "attachments/f.bin"}, []byte{0, 1, 255}); err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	one, two := t.TempDir(), t.TempDir()
	export(t, s, one)
	other := openStore(t)
	done := takeOver(t, other, one)
	if len(done.Created) != 4 || done.Classes != 1 || done.Links != 1 || done.Attachments != 1 {
		t.Errorf("%+v", done)
	}
	export(t, other, two)
	first, second := contents(t, one), contents(t, two)
	delete(first, manifestFile)
	delete(second, manifestFile)
	if d := cmp.Diff(first, second); d != "" {
		t.Errorf("the folders differ:\n%s", d)
	}
	for _, id := range []string{"a", "A", "CON", "b"} {
		x, errX := s.Begin(notestore.View{}).Note(ctx, "ws", id)
		y, errY := other.Begin(notestore.View{}).Note(ctx, "ws", id)
		if errX != nil || errY != nil || y == nil {
			t.Fatal(id, y, errX, errY)
		}
		if x.Text != y.Text || x.Record.Class != y.Record.Class || !cmp.Equal(x.Properties, y.Properties) || string(x.Record.Canvas) != string(y.Record.Canvas) {
			t.Errorf("%+v is not %+v", y, x)
		}
	}
}

func TestExportAgain(t *testing.T) {
	s, ctx := openStore(t), t.Context()
	put := func(id, text string) {
		d := s.Begin(notestore.View{})
		parent := ""
		if n, err := d.Note(ctx, "ws", id); err != nil {
			t.Fatal(err)
		} else if n != nil {
			parent = n.Revision
		}
		if _, err := d.Save(ctx, "ws", id, notestore.Content{Text: text}, parent); err != nil {
			t.Fatal(err)
		}
		if err := d.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	put("a", "one")
	put("b", "one")
	dir := fill(t, map[string]string{"own.txt": "mine"})
	if done := export(t, s, dir); done.Written != 3 || done.Notes != 2 {
		t.Errorf("%+v", done)
	}
	put("a", "two")
	d := s.Begin(notestore.View{})
	if err := d.Delete(ctx, "ws", "b", notestore.Any); err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if done := export(t, s, dir); done.Written != 2 || done.Removed != 1 {
		t.Errorf("%+v", done)
	}
	got := contents(t, dir)
	delete(got, manifestFile)
	if d := cmp.Diff(map[string]string{"a.md": "two", "own.txt": "mine"}, got); d != "" {
		t.Error(d)
	}
	foreign := fill(t, map[string]string{"a.md": "somebody's"})
	if _, err := Export(ctx, s.Begin(notestore.View{}), "ws", openFolder(t, foreign)); err == nil || !strings.Contains(err.Error(), "a.md is in the way") {
		t.Errorf("over a file of somebody: %v", err)
	}
	if d := cmp.Diff(map[string]string{"a.md": "somebody's"}, contents(t, foreign)); d != "" {
		t.Error(d)
	}
}
