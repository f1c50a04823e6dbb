package all_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/all"
	"github.com/lectern-mcp/lectern/tools/toolstest"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// allKinds are all Systems, and what the hub adds where a person wants it.
func allKinds() []tools.Kind { return append(all.Systems(), tools.OwnChangesKind()) }

// Every declaration keeps the rules that let every client read it, and no two
// Systems collide.
func TestDeclarations(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range allKinds() {
		m := k.Manifest()
		if seen[m.Name] {
			t.Errorf("two systems are named %s", m.Name)
		}
		seen[m.Name] = true
		toolstest.CheckDeclaration(t, m)
	}
}

// Each tool as agents see it stands in a file: the difference of that file in
// a change is the change of the contract.
func TestSnapshots(t *testing.T) {
	for _, problem := range compare("testdata", snapshots(t, allKinds())) {
		t.Error(problem)
	}
}

// A snapshot that is missing, differs or belongs to no tool is found.
func TestSnapshotsCanFail(t *testing.T) {
	files := snapshots(t, []tools.Kind{memo.System()})
	dir := t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range files {
		write(name, data)
	}
	if problems := compare(dir, files); len(problems) > 0 {
		t.Fatalf("fresh snapshots: %v", problems)
	}
	write("memo/read_note.json", []byte("{}\n"))
	write("memo/gone.json", []byte("{}\n"))
	if err := os.Remove(filepath.Join(dir, "memo", "write_note.json")); err != nil {
		t.Fatal(err)
	}
	problems := strings.Join(compare(dir, files), "\n")
	for _, want := range []string{"memo/read_note.json differs", "memo/gone.json belongs to no tool", "memo/write_note.json is missing"} {
		if !strings.Contains(problems, want) {
			t.Errorf("want %q among\n%s", want, problems)
		}
	}
}

// TestMain rewrites the snapshots first when asked to, so that what changed
// and what is gone are both put right.
func TestMain(m *testing.M) {
	if os.Getenv("UPDATE") != "" {
		if err := update("testdata"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func update(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	files, err := render(allKinds())
	if err != nil {
		return err
	}
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func snapshots(t *testing.T, kinds []tools.Kind) map[string][]byte {
	t.Helper()
	files, err := render(kinds)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// render makes one file per tool, and costs.txt.
func render(kinds []tools.Kind) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, k := range kinds {
		m := k.Manifest()
		for _, tool := range m.Tools {
			b, err := json.MarshalIndent(tool, "", "  ")
			if err != nil {
				return nil, err
			}
			files[path.Join(m.Name, tool.Name+".json")] = append(b, '\n')
		}
	}
	var table bytes.Buffer
	for _, k := range kinds {
		costs, _ := costs(k)
		fmt.Fprintf(&table, "%s, the default list as a model sees it, in bytes:\n%s\n", k.Manifest().Name, costs)
	}
	files["costs.txt"] = table.Bytes()
	return files, nil
}

// compare says what is wrong with the files under dir.
func compare(dir string, want map[string][]byte) []string {
	var problems []string
	for name, data := range want {
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		switch {
		case err != nil:
			problems = append(problems, name+" is missing; run: make update")
		case !bytes.Equal(got, data):
			problems = append(problems, fmt.Sprintf("%s differs; if that is meant, run: make update\n%s", name, cmp.Diff(string(got), string(data))))
		}
	}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && want[name] == nil {
			problems = append(problems, name+" belongs to no tool; run: make update")
		}
		return err
	})
	if err != nil {
		problems = append(problems, err.Error())
	}
	return problems
}

// What is cheap to ask says the same as the declarations.
func TestEnvironment(t *testing.T) {
	want := map[string][]tools.EnvironmentVariable{}
	for _, k := range all.Systems() {
		if m := k.Manifest(); len(m.Environment) > 0 {
			want[m.Name] = m.Environment
		}
	}
	if d := cmp.Diff(want, all.Environment()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
