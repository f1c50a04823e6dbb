package index_test

import (
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// batch is how many pages the vault is put into the index at once.
const batch = 1000

// sizes are the numbers of pages of the benchmarks; BENCH_PAGES adds one.
func sizes() []int {
	if n, err := strconv.Atoi(os.Getenv("BENCH_PAGES")); err == nil && n > 0 {
		return []int{n}
	}
	return []int{1_000, 10_000}
}

// writeVault writes pages of about 2 KB with words as frequent as those of a
// language, links, tags, tasks and headings; or names the vault of BENCH_VAULT.
func writeVault(b *testing.B, pages int) string {
	if dir := os.Getenv("BENCH_VAULT"); dir != "" {
		return dir
	}
	dir, r := b.TempDir(), rand.New(rand.NewPCG(uint64(pages), 1))
	word := func() string { // word-0 is in most pages, word-9000 in few
		return "w" + strconv.FormatInt(int64(math.Exp(r.Float64()*math.Log(20_000))), 36)
	}
	for i := range pages {
		var text strings.Builder
		fmt.Fprintf(&text, "---\nid: %016x\nstatus: %s\ntags: [%s, area/%s]\n---\n# %s %s\n\n", r.Uint64(), word(), word(), word(), word(), word())
		for text.Len() < 1800 {
			text.WriteString(word())
			text.WriteString([]string{" ", " ", " ", " ", " ", " ", " ", " ", " ", ". ", ".\n", "\n\n## ", "\n- [ ] ", " [[Page 1]] "}[r.IntN(14)])
		}
		if i%(pages/3+1) == 0 {
			text.WriteString(" zyxquartz\n")
		}
		if i%200 == 0 {
			text.WriteString(" architecture decision record\n")
		}
		folder := filepath.Join(dir, strconv.Itoa(i%40))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("Page %d.md", i)), []byte(text.String()), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// readVault passes every page to visit.
func readVault(b *testing.B, dir string, visit func(index.Page)) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := filepath.Rel(dir, path)
		if err == nil {
			visit(readPage(filepath.ToSlash(file), strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")))
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

func readPage(file, text string) index.Page {
	block, body, _ := frontmatter.Split(text)
	fields, err := frontmatter.Parse(block)
	if err != nil {
		fields = frontmatter.Fields{}
	}
	title := strings.TrimSuffix(file[strings.LastIndexByte(file, '/')+1:], ".md")
	return index.Read(index.Source{File: file, Stamp: index.Stamp{Size: int64(len(text))}, Title: title, Text: text, Body: body, Fields: fields, Lines: structure.Lines(text, body), Tags: links.Tags(text, body)})
}

func beginIndex(b *testing.B) *index.Index {
	x, err := index.Begin(b.Context(), filepath.Join(b.TempDir(), "index.db"))
	if err != nil {
		b.Fatal(err)
	}
	return x
}

// fill puts all pages of a vault into an index, and reports what that took.
func fill(b *testing.B, x *index.Index, dir string) *index.Index {
	var pages []index.Page
	var parsing, writing time.Duration
	var total int
	flush := func() {
		begin := time.Now()
		if err := x.Update(b.Context(), pages, nil); err != nil {
			b.Fatal(err)
		}
		writing += time.Since(begin)
		total += len(pages)
		pages = pages[:0]
	}
	begin := time.Now()
	readVault(b, dir, func(p index.Page) {
		if pages = append(pages, p); len(pages) == batch {
			parsing += time.Since(begin)
			flush()
			begin = time.Now()
		}
	})
	parsing += time.Since(begin)
	flush()
	begin = time.Now()
	x, err := x.Complete(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	completing := time.Since(begin)
	size, err := x.Size(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(parsing.Seconds(), "parse-s")
	b.ReportMetric(writing.Seconds(), "write-s")
	b.ReportMetric(completing.Seconds(), "complete-s")
	b.ReportMetric(float64(size.Bytes)/float64(total), "index-B/page")
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/(1<<20), "sys-MB")
	return x
}

// BenchmarkFill is the time and space of an index of a whole vault.
func BenchmarkFill(b *testing.B) {
	for _, n := range sizes() {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			dir := writeVault(b, n)
			for b.Loop() {
				if err := fill(b, beginIndex(b), dir).Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen is the time to open an index and to read what it knows of the files.
func BenchmarkOpen(b *testing.B) {
	for _, n := range sizes() {
		file := filepath.Join(b.TempDir(), "index.db")
		x, err := index.Begin(b.Context(), file)
		if err == nil {
			err = fill(b, x, writeVault(b, n)).Close()
		}
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				x, err := index.Open(b.Context(), file)
				if err != nil {
					b.Fatal(err)
				}
				if known, err := x.Known(b.Context()); err != nil || len(known) == 0 {
					b.Fatal(len(known), err)
				}
				if err := x.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSearch is the time of a query, and of ripgrep for the same where it is
// installed.
func BenchmarkSearch(b *testing.B) {
	queries := []struct {
		name, grep string
		query      index.Query
	}{
		{"rare", "zyxquartz", index.Query{Terms: [][]string{{"zyxquartz"}}}},
		{"common", "system", index.Query{Terms: [][]string{{"system"}}}},
		{"most", "the", index.Query{Terms: [][]string{{"the"}}}},
		{"phrase", "architecture decision record", index.Query{Terms: [][]string{{"architecture", "decision", "record"}}}},
		{"two", "", index.Query{Terms: [][]string{{"system"}, {"data"}}}},
		{"none", "qqqqq", index.Query{Terms: [][]string{{"qqqqq"}}}},
		{"tasks", `- \[ \]`, index.Query{Filter: index.Filter{Tasks: index.OpenTasks}}},
	}
	for _, n := range sizes() {
		dir := writeVault(b, n)
		x := fill(b, beginIndex(b), dir)
		b.Cleanup(func() { _ = x.Close() })
		for _, q := range queries {
			b.Run(fmt.Sprintf("%d/%s", n, q.name), func(b *testing.B) {
				total := 0
				for b.Loop() {
					var err error
					if _, total, _, err = x.Search(b.Context(), q.query, 0, 10); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(total), "pages")
			})
			rg, err := exec.LookPath("rg")
			if err != nil || q.grep == "" {
				continue
			}
			b.Run(fmt.Sprintf("%d/%s/rg", n, q.name), func(b *testing.B) {
				for b.Loop() {
					_ = exec.CommandContext(b.Context(), rg, "-l", "-i", "--", q.grep, dir).Run() // status 1: nothing found
				}
			})
		}
	}
}
