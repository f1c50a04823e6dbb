package logseq_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools/logseq"
)

// The page is what the table renders; UPDATE=1 writes it.
func TestCompatibilityPage(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "logseq-compatibility.md")
	want := logseq.Compatibility()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is out of date; run: make update\n%s", file, diff)
	}
}

// Every tool but those that need nothing of their own stands in the table, and no row names one that is not.
func TestTableNamesTools(t *testing.T) {
	var named, all []string
	for _, c := range logseq.Capabilities() {
		named = append(named, c.Tools...)
	}
	for _, tool := range testSystem().Manifest().Tools {
		if !slices.Contains([]string{"ping", "get_capabilities", "batch"}, tool.Name) {
			all = append(all, tool.Name)
		}
	}
	slices.Sort(named)
	slices.Sort(all)
	if diff := cmp.Diff(all, slices.Compact(named)); diff != "" {
		t.Errorf("tools and the table differ (-tools +table):\n%s", diff)
	}
}

var (
	evidence  = regexp.MustCompile("^(asked|source read): (`[^`]+`(?:, `[^`]+`)*)(?:; [^;]+)?$")
	quotedRow = regexp.MustCompile("`([^`]+)`")
)

// Each cell says how it is known, and names what was asked or read. The
// scenarios exist where the recordings lie beside the checkout; those of file
// graphs are called "og …".
func TestCellsAreKnown(t *testing.T) {
	recorded := recordedScenarios(t)
	for _, c := range logseq.Capabilities() {
		for kind, known := range map[string]string{"file": c.FileKnown, "db": c.DBKnown} {
			m := evidence.FindStringSubmatch(known)
			if m == nil {
				t.Errorf("%s on a %s graph: %q names no scenario and no file", c.Key, kind, known)
				continue
			}
			for _, name := range quotedRow.FindAllStringSubmatch(m[2], -1) {
				switch {
				case m[1] == "source read" && !strings.HasSuffix(name[1], ".cljs"):
					t.Errorf("%s: %s is no file of Logseq's", c.Key, name[1])
				case m[1] == "asked" && strings.HasPrefix(name[1], "og ") != (kind == "file"):
					t.Errorf("%s: %s is of the other kind of graph than %s", c.Key, name[1], kind)
				case m[1] == "asked" && recorded != nil && !recorded[name[1]]:
					t.Errorf("%s: nothing was recorded as %q", c.Key, name[1])
				}
			}
		}
	}
	if recorded == nil {
		t.Skip("no recordings beside the checkout: whether the scenarios exist was not looked at")
	}
}

// recordedScenarios are the scenarios of the recordings of Logseq's own code;
// nil where they do not lie beside the checkout.
func recordedScenarios(t *testing.T) map[string]bool {
	t.Helper()
	dir := os.Getenv("LOGSEQ_RECORDED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data", "logseq-recorded")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		return nil
	}
	all := map[string]bool{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<22)
		for lines.Scan() {
			var line struct{ Scenario string }
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all[line.Scenario] = true
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
