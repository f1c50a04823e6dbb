package markdown

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

// Every page that is listed can be read. What no path can name is counted, unless
// something may be hidden: then it is hidden too.
func TestListedPagesCanBeRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not allow these names")
	}
	odd := []string{"new\nline.md", "tab\t.md", "esc\x1b[2J.md", `back\slash.md`, "~home.md", "latin\xe9.md", "odd\n/in.md", "~dir/in.md"}
	for _, rules := range [][]string{nil, {"#secret"}} {
		b := open(t, map[string]string{"plain.md": "plain", "sub/~inner.md": "inner", "space here.md": "x", "ünïcode.md": "x"}, nil)
		for _, name := range odd {
			full := filepath.Join(b.dir, name)
			if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte("x"), 0o600); err != nil {
				t.Skipf("this file system does not take %q: %v", name, err)
			}
		}
		if rules != nil {
			path, err := json.Marshal(map[string]string{"path": b.dir})
			if err != nil {
				t.Fatal(err)
			}
			if b.OpenedSource, err = testSystem().Open(t.Context(), path, tools.Env{Name: "notes", Privacy: privacy(t, rules, nil)}); err != nil {
				t.Fatal(err)
			}
			defer b.Close()
		}
		for _, call := range [][2]string{{"list_pages", `{}`}, {"search_pages", `{"query":"x"}`}, {"get_tree", `{}`}} {
			answer, ok := b.try(call[0], call[1])
			if !ok {
				t.Fatal(answer)
			}
			if counted := strings.Contains(answer, "8 files or folders have names that no path can have"); counted != (rules == nil) {
				t.Errorf("%s with the rules %v: %s", call[0], rules, answer)
			}
			var pages struct {
				Pages, Matches []struct{ Path, Title, PageID string }
			}
			if call[0] == "get_tree" {
				continue
			}
			if err := json.Unmarshal([]byte(answer), &pages); err != nil {
				t.Fatal(err)
			}
			listed := append(pages.Pages, pages.Matches...)
			if len(listed) < 2 {
				t.Errorf("%s lists %v", call[0], listed)
			}
			for _, p := range listed {
				if call[0] == "list_pages" && p.PageID == "" {
					continue // a folder
				}
				args, _ := json.Marshal(map[string]string{"path": p.Path})
				if answer, ok := b.try("read_page", string(args)); !ok {
					t.Errorf("%s lists %q, which cannot be read: %s", call[0], p.Path, answer)
				}
			}
		}
	}
}

// Two pages whose names differ only in how an accent is written have ids of their own,
// the same in every answer; and one page has one id, however it is asked for.
func TestIDsOfTwins(t *testing.T) {
	composed, decomposed := "Caf\u00e9", "Cafe\u0301"
	b := open(t, map[string]string{composed + ".md": "one", "Alone/" + decomposed + ".md": "x", "Alone/other.md": "x"}, nil)
	id := func(path string) string {
		t.Helper()
		return call[ReadPageOut](b, "read_page", `{"path":"`+path+`"}`).PageID
	}
	before := id(composed + ".md")
	if alone := id("Alone/" + decomposed + ".md"); alone != id("Alone/"+composed+".md") || alone == id("Alone/other.md") {
		t.Errorf("one page has two ids")
	}
	if err := os.WriteFile(filepath.Join(b.dir, decomposed+".md"), []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, p := range call[ListPagesOut](b, "list_pages", `{}`).Pages {
		ids[p.Path] = p.PageID
	}
	if len(ids) < 3 {
		t.Skip("this file system does not tell the names apart")
	}
	for _, name := range []string{composed, decomposed} {
		if got := id(name + ".md"); got != ids[name+".md"] {
			t.Errorf("%+q is %s when it is read and %s in the list", name, got, ids[name+".md"])
		}
	}
	if ids[composed+".md"] == ids[decomposed+".md"] || ids[composed+".md"] != before {
		t.Errorf("before %s, now %v", before, ids)
	}
}
