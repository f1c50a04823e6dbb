//go:build unix

package markdown

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A named pipe among the pages stops no tool.
func TestPipe(t *testing.T) {
	b := open(t, fixture(), nil)
	if err := syscall.Mkfifo(filepath.Join(b.dir, "pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.refused("read_page", `{"path":"pipe.md"}`, "NOT_FOUND")
	if got := call[SearchPagesOut](b, "search_pages", `{"query":"details"}`); got.Total != 1 {
		t.Errorf("%+v", got)
	}
	if got := call[GetTreeOut](b, "get_tree", `{}`); got.Total != 5 {
		t.Errorf("%+v", got)
	}
	call[MovePageOut](b, "move_page", `{"sourcePath":"Welcome.md","destinationPath":"Archive","update_links":true}`)
}
