package markdown

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// 400 appends to 6 pages that begin together are all made, in one call each: none is
// told of a conflict, and no line is lost or written twice.
func TestParallelAppends(t *testing.T) {
	const appends, pages = 400, 6
	files := map[string]string{}
	for page := range pages {
		files[fmt.Sprintf("P%d.md", page)] = "# P\n\n## Log\n\n## Rest\nend\n"
	}
	b := open(t, files, nil)
	begin := make(chan struct{})
	var all sync.WaitGroup
	for i := range appends {
		all.Go(func() {
			<-begin
			args := fmt.Sprintf(`{"path":"P%d.md","action":"append","heading":"Log","content":"- line %d"}`, i%pages, i)
			if answer, ok := b.try("edit_page", args); !ok {
				t.Errorf("append %d: %s", i, answer)
			}
		})
	}
	close(begin)
	all.Wait()
	for page := range pages {
		text := b.get(fmt.Sprintf("P%d.md", page))
		lines := 0
		for i := page; i < appends; i += pages {
			if n := strings.Count(text, fmt.Sprintf("- line %d\n", i)); n != 1 {
				t.Errorf("P%d.md has line %d %d times", page, i, n)
			}
			lines++
		}
		if got := strings.Count(text, "\n"); got != lines+6 || !strings.HasSuffix(text, "\n\n## Rest\nend\n") {
			t.Errorf("P%d.md has %d lines, want %d:\n%s", page, got, lines+6, text)
		}
	}
}
