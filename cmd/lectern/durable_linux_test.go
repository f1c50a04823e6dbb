package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// durableConfig is one source of each kind that keeps what agents write on this machine.
const durableConfig = "[hub]\nhttp = false\n\n[limits]\ncalls_per_minute = 0\nbreaker_deletes = 0\nbreaker_bytes = 0\n" +
	"\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\neffects = [\"read\", \"write\", \"delete\"]\n" +
	"\n[[source]]\nname = \"org\"\nkind = \"org\"\npath = \"org\"\neffects = [\"read\", \"write\", \"delete\"]\n" +
	"\n[[source]]\nname = \"wiki\"\nkind = \"cards\"\neffects = [\"read\", \"write\", \"delete\"]\n" +
	"\n[[source]]\nname = \"ws\"\nkind = \"workspace\"\neffects = [\"read\", \"write\", \"delete\"]\n"

// fillDurableHome puts the configuration and the first files into an empty home.
func fillDurableHome(t *testing.T, home string) {
	t.Helper()
	for name, text := range map[string]string{"config.toml": durableConfig, "notes/a.md": "# A\n", "org/a.org": "* A\n"} {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Before a write is answered, what it wrote is on the disk: the file with its content, the
// folder with its name, the database, and the journal with what was there before.
func TestAnsweredWritesAreFlushed(t *testing.T) {
	if testing.Short() || runtest.UnderRace {
		t.Skip("it runs a process under strace")
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("no strace")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	fillDurableHome(t, home)
	const journal, audit = "/state/journal/journal.db-wal", "/state/audit.db-wal"
	writes := []struct {
		tool, args string
		flushed    []string // paths in home
	}{
		{"workspace_write_note", `{"workspace_id":"ws","note_id":"n","markdown":"# N\n"}`, []string{"/data/sources/workspace.ws/workspaces.db-wal", journal}},
		{"cards_create_card", `{"name":"Lamp","content":"<p>1</p>"}`, []string{"/data/sources/cards.wiki/cards.db-wal", journal}},
		{"cards_update_card", `{"name":"Lamp","content":"<p>2</p>"}`, []string{"/data/sources/cards.wiki/cards.db-wal", journal}},
		{"markdown_write_page", `{"path":"new/deep/p.md","content":"# P\n"}`, []string{"/notes/new/deep/.lectern-", "/notes/new/deep", "/notes/new", "/notes", journal}},
		{"markdown_write_page", `{"path":"a.md","content":"# B\n"}`, []string{"/notes/.lectern-", "/notes", journal}},
		{"markdown_move_page", `{"sourcePath":"a.md","destinationPath":"b/c.md"}`, []string{"/notes/b", "/notes", journal}},
		{"markdown_delete_page", `{"path":"b/c.md"}`, []string{"/notes/b", journal}},
		{"org-add-todo", `{"title":"B","parentUri":"org://a.org"}`, []string{"/org/.lectern-", "/org", journal}},
		{"org-add-todo", `{"title":"In a new file"}`, []string{"/org/.lectern-", "/org", journal}},
	}
	log := filepath.Join(t.TempDir(), "log")
	a := startAgent(t, serveAlone(t, home, strace, "-f", "-y", "-qq", "-s", "40", "-o", log, "-e", "signal=none",
		"-e", "trace=write,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,linkat,unlinkat,mkdirat"), "test")
	a.nextAnswer(t)
	a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i, w := range writes {
		if r := a.callTool(t, i+1, w.tool, w.args); r.IsError {
			t.Fatalf("%s: %s", w.tool, r.Content)
		}
	}
	a.disconnect(t)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	d := diskLog{home: home, unflushed: map[string]int{}, begun: map[string]systemCall{}}
	answered := 0
	for line := range strings.Lines(string(text)) {
		d.add(line)
		if answered == len(writes) || !strings.Contains(line, fmt.Sprintf(`\"id\":%d,`, answered+1)) || !strings.Contains(line, "write(1<") {
			continue
		}
		w := writes[answered]
		answered++
		for _, want := range w.flushed {
			if !d.hasFlushed(want) {
				t.Errorf("%s %s is answered before %s is flushed, in %v", w.tool, w.args, want, d.flushed)
			}
		}
		for path := range d.unflushed { // but for the journal, to which outcomes of earlier calls are written at any time
			if path != journal && !strings.Contains(path, tempFile) && (strings.HasPrefix(path, "/notes") || strings.HasPrefix(path, "/org") || strings.HasSuffix(path, ".db-wal") && path != audit) {
				t.Errorf("%s %s is answered while %s waits to be flushed", w.tool, w.args, path)
			}
		}
		d.flushed = nil
	}
	if answered != len(writes) {
		t.Errorf("%d answers of %d in the recording", answered, len(writes))
	}
}

// serveAlone is `lectern serve --standalone`, run by these words.
func serveAlone(t *testing.T, home string, by ...string) *exec.Cmd {
	t.Helper()
	words := append(by, "lectern", "serve", "--standalone")
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Env = append(os.Environ(), "LECTERN_HOME="+home)
	return cmd
}

// A toolResult is what a tool answers.
type toolResult struct {
	IsError           bool
	Content           json.RawMessage
	StructuredContent json.RawMessage
}

// callTool sends a call and waits for its answer.
func (a *agent) callTool(t *testing.T, id int, tool, args string) (r toolResult) {
	t.Helper()
	a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args))
	v := a.nextAnswer(t)
	if v.Error != nil {
		t.Fatalf("%s: %s", tool, v.Error)
	}
	if err := json.Unmarshal(v.Result, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

const tempFile = "/.lectern-" // begins the name of one

// A diskLog follows a recording of system calls: which files and folders below home were
// changed, and which of them reached the disk. Paths are those below home.
type diskLog struct {
	home      string
	line      int
	unflushed map[string]int        // the line of the last change
	begun     map[string]systemCall // by thread
	flushed   []string
}

type systemCall struct {
	name, args string
	line       int
}

// add follows one line: `THREAD NAME(ARGS) = RESULT`, or the begin or the end of it.
func (d *diskLog) add(line string) {
	d.line++
	parts := regexp.MustCompile(`^(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\((.*))`).FindStringSubmatch(strings.TrimSpace(line))
	if parts == nil {
		return
	}
	call := systemCall{parts[3], parts[4], d.line}
	if parts[2] != "" {
		call = d.begun[parts[1]]
	} else if d.begin(call); strings.HasSuffix(call.args, "<unfinished ...>") {
		d.begun[parts[1]] = call
		return
	}
	if call.name == "fsync" || call.name == "fdatasync" {
		for _, path := range d.paths(call.args) {
			if d.unflushed[path] < call.line {
				delete(d.unflushed, path)
				d.flushed = append(d.flushed, path)
			}
		}
	}
}

// begin marks what a call changes.
func (d *diskLog) begin(c systemCall) {
	paths := d.paths(c.args)
	names := regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(c.args, -1)
	switch c.name {
	case "write", "pwrite64", "ftruncate":
		for _, path := range paths {
			d.unflushed[path] = d.line
		}
	case "mkdirat", "rename", "renameat", "renameat2", "linkat", "unlinkat":
		for i, folder := range paths {
			if i >= len(names) || strings.Contains(folder, tempFile) || c.name == "unlinkat" && strings.Contains("/"+names[i][1], tempFile) {
				continue // a copy that is left is swept
			}
			d.unflushed[folder] = d.line
			if temp := folder + "/" + names[i][1]; d.unflushed[temp] > 0 && c.name != "unlinkat" {
				d.unflushed[folder+" has a name for what is not flushed"] = d.line
			}
		}
	}
}

// paths are those below home that the arguments have open.
func (d *diskLog) paths(args string) (paths []string) {
	for _, open := range regexp.MustCompile(`\d+<([^>]*)>`).FindAllStringSubmatch(args, -1) {
		if path, is := strings.CutPrefix(open[1], d.home); is {
			paths = append(paths, path)
		}
	}
	return paths
}

// hasFlushed reports whether a path, or one that goes on with what it ends with, was flushed.
func (d *diskLog) hasFlushed(want string) bool {
	for _, path := range d.flushed {
		if path == want || strings.HasSuffix(want, "-") && strings.HasPrefix(path, want) {
			return true
		}
	}
	return false
}
