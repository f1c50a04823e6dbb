package markdown

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// raisedProblems keeps the reasons of problems that a source has raised.
type raisedProblems struct {
	mu  sync.Mutex
	why map[string]string // by code

	cleared int // problems that were there
}

func (r *raisedProblems) Progress(string, int64, int64)         {}
func (r *raisedProblems) BlockIdleExit(string) (release func()) { return func() {} }

func (r *raisedProblems) Raise(p status.ProblemType, args status.Args) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.why[p.Code] = args["why"]
}

func (r *raisedProblems) Clear(p status.ProblemType) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why[p.Code] != "" {
		r.cleared++
	}
	delete(r.why, p.Code)
}

func (r *raisedProblems) reason(p status.ProblemType) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why[p.Code]
}

// Where the disk is full before an index is complete, the person is told so until there
// is one, searches read the files, and nothing is left on the disk.
func TestIndexOnAFullDisk(t *testing.T) {
	runtest.InOrder(t)
	dir, disk := t.TempDir(), t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("a disk of one's own can be filled, and mounting one is not allowed: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	const pages = 1500
	for i := range pages {
		text := "# Page\n\nneedle"
		for k := range 150 {
			text += fmt.Sprintf(" w%dx%d", i, k)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%d.md", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reports := &raisedProblems{why: map[string]string{}}
	opened, err := System().Open(t.Context(), []byte(fmt.Sprintf(`{"path":%q}`, dir)),
		tools.Env{Name: "notes", Privacy: privacy(t, nil, nil), Cache: disk, Now: time.Now, Report: reports})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	n, _ := tools.As[*Notebook](opened)
	for range 2 {
		err = rebuildIndex(t.Context(), n, new(bytes.Buffer))
		if said := tools.AsError(err); said == nil || said.Code != tools.Unavailable || !strings.Contains(said.Message, "the disk is full") {
			t.Fatalf("error %v", err)
		}
		if got := reports.reason(indexBroken); got != "the disk is full" {
			t.Errorf("the problem says %q", got)
		}
		if found, err := n.SearchPages(t.Context(), SearchPagesIn{Query: "needle", Limit: 1}); err != nil || found.Total != pages {
			t.Errorf("found %d, %v", found.Total, err)
		}
	}
	if reports.cleared > 0 {
		t.Error("the problem went away while the disk was full")
	}
	var used syscall.Statfs_t
	if err := syscall.Statfs(disk, &used); err != nil {
		t.Fatal(err)
	}
	if kilobytes := int64(used.Blocks-used.Bfree) * used.Bsize >> 10; kilobytes > 512 {
		t.Errorf("%d KB are left on the disk", kilobytes)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
	if err := rebuildIndex(t.Context(), n, new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	if got := reports.reason(indexBroken); got != "" {
		t.Errorf("with an index the problem still says %q", got)
	}
}
