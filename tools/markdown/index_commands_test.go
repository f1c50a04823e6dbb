package markdown

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestRebuildIndex(t *testing.T) {
	dir := t.TempDir()
	for i := range 20 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%d.md", i)), []byte("# needle\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n, plain := openPair(t, dir, nil)
	said := func(n *Notebook) string {
		t.Helper()
		var out bytes.Buffer
		if err := rebuildIndex(t.Context(), n, &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	find := func() int {
		t.Helper()
		found, err := n.SearchPages(t.Context(), SearchPagesIn{Query: "needle", Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		return found.Total
	}
	if got := find(); got != 20 {
		t.Fatalf("%d pages found", got)
	}
	if err := n.index.x.Update(t.Context(), nil, []string{"p3.md"}); err != nil { // the index is wrong
		t.Fatal(err)
	}
	edited := filepath.Join(n.view.Path(), "p4.md") // what was ranked before it holds no more
	if err := os.WriteFile(edited, []byte("# needle, edited\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := find(); got != 19 {
		t.Fatalf("%d pages found in a wrong index", got)
	}
	if got := said(n); !bytes.Contains([]byte(got), []byte("20 pages are in the index, 0.")) {
		t.Errorf("said %q", got)
	}
	if got := find(); got != 20 {
		t.Errorf("%d pages found after the index was rebuilt", got)
	}
	n.index.least = 100
	if got := said(n); got != "no index: it begins with 100 pages; fewer are read as fast\n" {
		t.Errorf("said %q", got)
	}
	if got := find(); got != 20 {
		t.Errorf("%d pages found without an index", got)
	}
	if err := rebuildIndex(t.Context(), plain, &bytes.Buffer{}); err == nil {
		t.Error("a source without a folder of its own rebuilt an index")
	}
}
