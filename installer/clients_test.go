package installer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/lectern-mcp/lectern/installer/internal/entry"
)

var systems = []string{"linux", "darwin", "windows"}

// A testMachine is a home directory on a computer of some system.
func testMachine(t *testing.T, goos string) Machine {
	t.Helper()
	home := filepath.Join(t.TempDir(), "me")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	if goos == "windows" {
		env["APPDATA"], env["LOCALAPPDATA"] = filepath.Join(home, "AppData/Roaming"), filepath.Join(home, "AppData/Local")
	}
	return Machine{
		OS: goos, Home: home, State: filepath.Join(home, "state"),
		Env:      func(name string) string { return env[name] },
		LookPath: func(string) string { return "" },
		Now:      func() time.Time { return time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC) },
	}
}

func testServer(m Machine) Server {
	bin := "/usr/local/bin/lectern"
	if m.OS == "windows" {
		bin = `C:\Program Files\Lectern\lectern.exe`
	}
	return Server{Name: "lectern", Bin: bin, URL: "http://127.0.0.1:12740/mcp"}
}

// Each client on each system: a file, the plan, the file after it, after the
// same again, and after removing. The file before is an input: change it in the
// archive. UPDATE=1 writes the rest, and archives for clients that have none.
func TestClients(t *testing.T) {
	for _, c := range Clients() {
		for _, goos := range systems {
			if len(c.paths[goos]) == 0 || c.retired != "" {
				continue
			}
			name := c.ID + "-" + goos
			t.Run(name, func(t *testing.T) { testClient(t, c, goos, filepath.Join("testdata", "clients", name+".txtar")) })
		}
	}
}

func testClient(t *testing.T, c Client, goos, archive string) {
	m := testMachine(t, goos)
	want, err := txtar.ParseFile(archive)
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("UPDATE") != "" {
		want, err = &txtar.Archive{Files: []txtar.File{{Name: "before", Data: []byte(sample(c, goos))}}}, nil
	}
	if err != nil {
		t.Fatalf("%v\nrun: make update", err)
	}
	// Windows writes its ends of lines and, often, a mark.
	before := want.Files[0].Data
	if goos == "windows" {
		before = append([]byte("\ufeff"), bytes.ReplaceAll(before, []byte("\n"), []byte("\r\n"))...)
	}
	path, err := c.file(m)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, before, 0o640)

	p, err := m.Install(c, testServer(m), ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := read(t, path)
	if modeOf(path) != 0o640 {
		t.Errorf("mode %v after, want it kept", modeOf(path))
	}
	backups, _ := filepath.Glob(path + ".bak-lectern-*")
	if len(backups) != 1 || !bytes.Equal(read(t, backups[0]), before) || modeOf(backups[0]) != 0o600 {
		t.Errorf("backups %v, want one private copy of the file", backups)
	}
	again, err := m.Install(c, testServer(m), ConnectOptions{})
	if err != nil || again.Changes() {
		t.Errorf("again: %v, want nothing to do", err)
	}
	gone, err := m.Remove(c, testServer(m), ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if removed := read(t, path); !bytes.Equal(removed, before) {
		t.Errorf("removed is not before:\n%s", cmp.Diff(string(before), string(removed)))
	}
	if files := filesIn(t, m.Home); len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
	if lone := bytes.Count(after, []byte("\n")) - bytes.Count(after, []byte("\r\n")); goos == "windows" && lone > 0 {
		t.Errorf("%d ends of lines are not those of the file", lone)
	}
	got := &txtar.Archive{
		Comment: []byte(c.Title + " on " + goos + ": " + filepath.ToSlash(m.tildePath(path)) + "\n"),
		Files: []txtar.File{
			{Name: "before", Data: want.Files[0].Data},
			{Name: "plan", Data: []byte(planText(m, p))},
			{Name: "after", Data: plainText(after)},
			{Name: "again", Data: []byte(strings.ReplaceAll(again.Message, m.Home, "~") + "\n")},
			{Name: "removed", Data: plainText(read(t, path))},
		},
	}
	compare(t, archive, txtar.Format(got))
}

// plainText is a text as the archives hold it.
func plainText(text []byte) []byte {
	return bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\r"), nil)
}

func planText(m Machine, p *Proposal) string {
	var b strings.Builder
	fmt.Fprintln(&b, p.Plan.Title)
	for _, s := range p.Plan.Steps {
		fmt.Fprintf(&b, "%s\n%s", s.Description, s.Diff)
	}
	for _, r := range p.Plan.Risks {
		fmt.Fprintln(&b, "note:", r)
	}
	for _, a := range p.NextSteps {
		fmt.Fprintln(&b, "then:", a)
	}
	return string(plainText([]byte(strings.ReplaceAll(strings.ReplaceAll(b.String(), m.Home, "~"), "\ufeff", ""))))
}

// sample is a file that a new client is tried on: with neighbours on Linux and
// Windows, without the container on macOS.
func sample(c Client, goos string) string {
	has := goos != "darwin"
	var b strings.Builder
	switch c.format {
	case entry.TOML:
		b.WriteString("# mine\nmodel = 'large'   # keep\n")
		if has && c.list {
			b.WriteString("\n[[mcp_servers]]\nname = \"other\"\ncommand = \"npx\"\n")
		} else if has {
			b.WriteString("\n[mcp_servers.other]\ncommand = \"npx\" # keep\nargs = [ 'a','b' ]\n\n[tui]\nx=1\n")
		}
	case entry.YAML:
		b.WriteString("# mine\nmodel:   large   # keep\n")
		if has && c.list {
			fmt.Fprintf(&b, "%s:\n  - name: other # keep\n    command: npx\nlast: [1,2]\n", c.parents[0])
		} else if has {
			fmt.Fprintf(&b, "%s:\n  other: # keep\n    enabled: true\n\nlast: [1,2]\n", c.parents[0])
		}
	default:
		if slices.Contains([]string{"vscode", "zed", "opencode", "amp", "kilo-code"}, c.ID) && goos == "linux" {
			return fmt.Sprintf("// mine\n{\n\t// keep\n\t%q: {\n\t\t/* keep */ \"other\": { \"x\": [1, 2,], }, // keep\n\t\t// \"old\": {}\n\t},\n\t\"size\": 1.50, // keep\n}\n", c.parents[0])
		}
		b.WriteString("{\n    \"theme\" : \"dark\",\n")
		if has {
			fmt.Fprintf(&b, "    %q: {\n        \"other\": {\"command\":\"npx\", \"args\": [ \"a\" ]}\n    },\n", c.parents[0])
		}
		b.WriteString("    \"size\": 1.50\n}\n")
	}
	return b.String()
}

// A client that has no file yet gets one, and removing leaves no trace.
func TestNoFileYet(t *testing.T) {
	for _, c := range Clients() {
		m := testMachine(t, "linux")
		if !c.Editable(m) || c.retired != "" {
			continue
		}
		p, err := m.Install(c, testServer(m), ConnectOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		if err := p.Apply(t.Context()); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		path, _ := c.file(m)
		if got := m.Find(c, testServer(m)); got.Condition != Outdated || modeOf(path) != 0o600 {
			t.Errorf("%s: %s %s, mode %v; want outdated, as no binary is there", c.ID, got.Condition, got.Note, modeOf(path))
		}
		p, err = m.Remove(c, testServer(m), ConnectOptions{})
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		if err := p.Apply(t.Context()); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		if left := filesIn(t, m.Home); len(left) > 0 || isFolder(filepath.Dir(path)) && filepath.Dir(path) != m.Home {
			t.Errorf("%s: left behind: %v", c.ID, left)
		}
	}
}

func write(t *testing.T, path string, text []byte, perm fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, perm); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, perm); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func modeOf(path string) fs.FileMode {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Mode().Perm()
}

func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// compare holds got against a golden file.
func compare(t *testing.T, file string, got []byte) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		write(t, file, got, 0o644)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\nrun: make update", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got); if it is meant, run: make update\n%s", file, diff)
	}
}

// recordCalls is a Run that notes what it is asked and answers err.
func recordCalls(calls *[]string, err error) func(context.Context, []string) (string, error) {
	return func(_ context.Context, argv []string) (string, error) {
		*calls = append(*calls, strings.Join(argv, " "))
		return "it spoke", err
	}
}
