package markdown

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// BenchmarkLinks lists the links of a page with 20 backlinks in a vault of 10,000
// pages, or BENCH_PAGES, from the index: while nothing changes, and after each edit of a
// page. It moves the page too.
func BenchmarkLinks(b *testing.B) {
	pages := 10_000
	if s := os.Getenv("BENCH_PAGES"); s != "" {
		var err error
		if pages, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	dir := b.TempDir()
	old := time.Now().Add(-time.Hour)
	write := func(i int, more string) {
		file := filepath.Join(dir, fmt.Sprint("d", i%(pages/100)), fmt.Sprintf("page %d.md", i))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			b.Fatal(err)
		}
		text := fmt.Sprintf("# Page %d\n\nSee [[page %d]], [[page %d]] and [[page %d]].%s\n", i, i/20, (i*7)%pages, (i*31)%pages, more)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		if err := os.Chtimes(file, old, old.Add(time.Duration(len(more)))); err != nil {
			b.Fatal(err)
		}
	}
	for i := range pages {
		write(i, "")
	}
	n, _ := openPair(b, dir, nil)
	in := GetPageLinksIn{Path: "d10/page 10.md", Limit: 50}
	from := time.Now()
	if err := n.index.fill(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d pages indexed in %v", pages, time.Since(from))
	if _, err := n.GetPageLinks(b.Context(), in); err != nil {
		b.Fatal(err)
	}
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			if out, err := n.GetPageLinks(b.Context(), in); err != nil || len(out.Incoming) < 18 {
				b.Fatal(len(out.Incoming), err)
			}
		}
	})
	b.Run("list of 100 pages", func(b *testing.B) {
		for b.Loop() {
			if out, err := n.ListPages(b.Context(), ListPagesIn{Path: "d10", Depth: 1, Limit: 100}); err != nil || len(out.Pages) != 100 {
				b.Fatal(len(out.Pages), err)
			}
		}
	})
	b.Run("move", func(b *testing.B) {
		from, to := in.Path, "d11/page 10.md"
		move := func() {
			out, err := n.MovePage(b.Context(), tools.CallContext{}, MovePageIn{SourcePath: from, DestinationPath: to, UpdateLinks: true})
			if err != nil || out.NewPath != to {
				b.Fatal(out, err)
			}
			from, to = to, from
		}
		for b.Loop() {
			move()
		}
		if from != in.Path {
			move()
		}
	})
	b.Run("changed", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			write(i%pages, fmt.Sprint(i))
			b.StartTimer()
			if _, err := n.GetPageLinks(b.Context(), in); err != nil {
				b.Fatal(err)
			}
		}
	})
}
