package markdown

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// A list and a tree of indexed pages read the index and not the pages: what this
// process has read, as the system counts it, is a small part of what the pages hold.
func TestListsReadNoPages(t *testing.T) {
	runtest.InOrder(t)
	const pages, bytes = 200, 64 << 10
	files := map[string]string{}
	for i := range pages {
		head := fmt.Sprintf("---\ntitle: Title %d\nicon: x\n---\n", i)
		files[fmt.Sprintf("Area %d/Page %d.md", i%5, i)] = head + strings.Repeat("word ", (bytes-len(head))/5)
	}
	b := open(t, files, nil)
	if found := call[SearchPagesOut](b, "search_pages", `{"query":"word","limit":1}`).Total; found != pages {
		t.Fatalf("found %d of %d pages", found, pages)
	}
	for _, call := range [][2]string{
		{"list_pages", `{"depth":5,"limit":200}`}, {"list_pages", `{"path":"Area 1","limit":50}`}, {"get_tree", `{}`},
	} {
		before := bytesRead(t)
		answer, ok := b.try(call[0], call[1])
		read := bytesRead(t) - before
		if !ok || !strings.Contains(answer, `"Title 1`) {
			t.Errorf("%s %s: %.300s", call[0], call[1], answer)
		}
		if read > pages*bytes/20 {
			t.Errorf("%s %s has read %d bytes of %d", call[0], call[1], read, pages*bytes)
		}
	}
}

// bytesRead is how many bytes this process has read from files until now.
func bytesRead(t *testing.T) (n int) {
	t.Helper()
	counters, err := os.ReadFile("/proc/self/io")
	if err == nil {
		_, err = fmt.Sscanf(string(counters), "rchar: %d", &n)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}
