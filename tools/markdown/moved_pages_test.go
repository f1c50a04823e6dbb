package markdown

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

// Who uses the former path of a page that another program has moved is told the new
// one, also if the page was edited, as long as it has an id.
func TestPagesMovedByOthers(t *testing.T) {
	files := map[string]string{"A/one.md": "one\n", "A/two.md": "---\nid: t2\n---\nbefore\n", "A/twin 1.md": "", "A/three.md": "three\n", "Private/secret.md": "hidden\n"}
	for i := range minIndexed {
		files[fmt.Sprintf("Many/%d.md", i)] = fmt.Sprint("page ", i)
	}
	b := open(t, files, nil)
	n, _ := tools.As[*Notebook](b.OpenedSource)
	hint := func(path, want string) {
		t.Helper()
		equal(t, path, want, b.refused("read_page", fmt.Sprintf(`{"path":%q}`, path), "NOT_FOUND").Hint)
	}
	if now, err := n.look(t.Context()); err != nil || now.x == nil {
		t.Fatal("there is no index: ", err)
	}
	rename := func(from, to string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(b.dir, filepath.Dir(to)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(b.dir, from), filepath.Join(b.dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	rename("A/one.md", "B/Deep/first.md")
	b.put("C/second.md", "---\nid: t2\n---\nafter\n")
	if err := os.Remove(filepath.Join(b.dir, "A/two.md")); err != nil {
		t.Fatal(err)
	}
	hint("A/one.md", "It was moved to B/Deep/first.md.")
	hint("A/one", "It was moved to B/Deep/first.md.")
	hint("A/two.md", "It was moved to C/second.md.")
	call[MovePageOut](b, "move_page", `{"sourcePath":"B/Deep/first.md","destinationPath":"first of all.md"}`)
	hint("A/one.md", "It was moved to first of all.md.")
	call[MovePageOut](b, "move_page", `{"sourcePath":"first of all.md","destinationPath":"A/one.md"}`)
	equal(t, "it is back", "one\n", call[ReadPageOut](b, "read_page", `{"path":"A/one.md"}`).Content)
	hint("first of all.md", "It was moved to A/one.md.")
}
