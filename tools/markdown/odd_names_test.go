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
			if b.OpenedSource, err = System().Open(t.Context(), path, tools.Env{Name: "notes", Privacy: privacy(t, rules, nil)}); err != nil {
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
