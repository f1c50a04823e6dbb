package org

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// benchFiles and benchSize are what facts about Emacs's speed were taken with.
const (
	benchFiles = 100
	benchSize  = 100 << 10
)

// benchFolder writes n files of about size bytes: a headline for each 640 bytes, of
// which half are tasks and a third have dates.
func benchFolder(b testing.TB, n, size int) string {
	b.Helper()
	dir := b.TempDir()
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("notes-%03d.org", i)), benchFile(uint64(i), size), 0o600); err != nil {
			b.Fatal(err)
		}
		old := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(filepath.Join(dir, fmt.Sprintf("notes-%03d.org", i)), old, old); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

func benchFile(seed uint64, size int) []byte {
	r := rand.New(rand.NewPCG(seed, 3))
	words := strings.Fields("alpha beta gamma delta project review meeting server parser budget report draft garden ticket release notes weekly plan index query cache capture archive")
	text := func(n int) string {
		var out strings.Builder
		for range n {
			out.WriteString(words[r.IntN(len(words))] + " ")
		}
		return strings.TrimSpace(out.String())
	}
	day := func() string { return time.Date(2025, 1, 1+r.IntN(720), 0, 0, 0, 0, time.UTC).Format("2006-01-02 Mon") }
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	var out strings.Builder
	out.WriteString("#+TITLE: Synthetic\n#+TODO: TODO(t) NEXT(n) WAIT(w@/!) | DONE(d!) CANCELLED(c@)\n#+FILETAGS: :bench:\n\n")
	for n := 0; out.Len() < size; n++ {
		state := pick("", "", "TODO ", "NEXT ", "DONE ")
		fmt.Fprintf(&out, "%s %s%s %d%s\n", strings.Repeat("*", 1+r.IntN(4)), state, text(2+r.IntN(5)), n, pick("", "", "    :work:@home:"))
		if state != "" && r.IntN(3) == 0 {
			fmt.Fprintf(&out, "DEADLINE: <%s%s> SCHEDULED: <%s%s>\n", day(), pick("", " -3d", " +1m"), day(), pick("", " 09:30", " +1w", " .+2d"))
		}
		if r.IntN(3) == 0 {
			fmt.Fprintf(&out, ":PROPERTIES:\n:ID:       %016x\n:Effort:   1:00\n:END:\n", r.Uint64())
		}
		if r.IntN(8) == 0 {
			fmt.Fprintf(&out, ":LOGBOOK:\nCLOCK: [%s 09:00]--[%s 10:30] =>  1:30\n:END:\n", day(), day())
		}
		fmt.Fprintf(&out, "%s [[https://example.com/%d][a link]] <%s>.\n%s\n\n", text(20+r.IntN(40)), n, day(), text(15+r.IntN(25)))
	}
	return []byte(out.String())
}

func openBench(b testing.TB, dir string) *Source {
	b.Helper()
	s, err := Open(b.Context(), Config{Path: tools.Folder(dir)}, tools.Env{
		Name: "bench", Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return time.Date(2026, 1, 7, 10, 0, 0, 0, time.UTC) },
		ResourceChanged: func(string) {}, Subscribed: func() []string { return nil }, Report: silentReporter{},
	})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

var benchCalls = []struct {
	name string
	call func(ctx context.Context, s *Source) (int, error)
}{
	{"todos", func(ctx context.Context, s *Source) (int, error) {
		out, err := s.getTodos(ctx, getTodosIn{})
		return out.Total, err
	}},
	{"agenda", func(ctx context.Context, s *Source) (int, error) {
		out, err := s.getAgendaItems(ctx, agendaItemsIn{})
		return out.Total, err
	}},
	{"search", func(ctx context.Context, s *Source) (int, error) {
		out, err := s.searchContent(ctx, searchContentIn{Query: "garden ticket release"})
		return out.Total, err
	}},
	{"query", func(ctx context.Context, s *Source) (int, error) {
		out, err := s.query(ctx, queryIn{Query: `todo:NEXT tags:work deadline:<=+7d "garden"`})
		return out.Total, err
	}},
	{"clock", func(ctx context.Context, s *Source) (int, error) {
		out, err := s.clockReport(ctx, clockReportIn{GroupBy: byTag})
		return out.Minutes, err
	}},
}

// BenchmarkFolder answers about 10 MB in 100 files: cold, by a source that was just
// opened, and warm.
func BenchmarkFolder(b *testing.B) {
	dir := benchFolder(b, benchFiles, benchSize)
	for _, c := range benchCalls {
		b.Run(c.name+"/cold", func(b *testing.B) {
			for b.Loop() {
				s := openBench(b, dir)
				if n, err := c.call(b.Context(), s); err != nil || n == 0 {
					b.Fatal(n, err)
				}
				_ = s.Close()
			}
		})
		b.Run(c.name+"/warm", func(b *testing.B) {
			s := openBench(b, dir)
			if _, err := c.call(b.Context(), s); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := c.call(b.Context(), s); err != nil {
					b.Fatal(err)
				}
			}
			_ = s.Close()
		})
	}
}

// BenchmarkGrowth answers 1, 10 and 100 MB: the time for each byte stays the same.
// With ORG_BENCH_GB it answers a gigabyte too.
func BenchmarkGrowth(b *testing.B) {
	sizes := []int{10, 100, 1000}
	if os.Getenv("ORG_BENCH_GB") != "" {
		sizes = append(sizes, 10000)
	}
	for _, n := range sizes {
		dir := benchFolder(b, n, benchSize)
		for _, c := range benchCalls[:3] {
			b.Run(fmt.Sprintf("%s/%dMB", c.name, n/10), func(b *testing.B) {
				s := openBench(b, dir)
				b.SetBytes(int64(n) * benchSize)
				for b.Loop() {
					if _, err := c.call(b.Context(), s); err != nil {
						b.Fatal(err)
					}
				}
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "heap-MB")
				_ = s.Close()
			})
		}
		_ = os.RemoveAll(dir)
	}
}

// BenchmarkEmacs does the same in Emacs, which prints its times; it needs emacs.
func BenchmarkEmacs(b *testing.B) {
	emacs, err := exec.LookPath("emacs")
	if err != nil {
		b.Skip("Emacs is not installed")
	}
	dir := benchFolder(b, benchFiles, benchSize)
	script := fmt.Sprintf(`(progn (require 'org-agenda) (require 'benchmark)
(setq gc-cons-threshold 268435456 org-agenda-inhibit-startup t inhibit-message t org-agenda-files (directory-files %q t "org\\'"))
(dolist (form '((org-todo-list) (org-agenda-list nil (org-time-string-to-absolute "2026-01-07") 7) (org-search-view nil "garden ticket release")))
  (let ((cold (benchmark-elapse (eval form))) (warm (benchmark-elapse (eval form))))
    (princ (format "%%s %%.3f %%.3f\n" (car form) cold warm)))))`, dir)
	for b.Loop() {
		out, err := exec.CommandContext(b.Context(), emacs, "-Q", "--batch", "--eval", script).CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			b.Fatalf("%v\n%s", exit, out)
		}
		for line := range strings.Lines(string(out)) {
			var name string
			var cold, warm float64
			if n, _ := fmt.Sscanf(line, "%s %f %f", &name, &cold, &warm); n == 3 {
				b.ReportMetric(1000*cold, name+"-first-ms")
				b.ReportMetric(1000*warm, name+"-again-ms")
			}
		}
	}
}

// BenchmarkMemory reports what the process of a source occupies, at most while it reads
// all files for their IDs and while each kind of call runs, and afterwards: resident
// bytes, which may be 60 MB and three tenths of the files' bytes. Each size has a
// process of its own.
func BenchmarkMemory(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		if n > 1000 && os.Getenv("ORG_BENCH_GB") == "" {
			continue
		}
		b.Run(fmt.Sprintf("%dMB", n/10), func(b *testing.B) {
			dir := benchFolder(b, n, benchSize)
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run", "^TestMemoryProcess$", "-test.v")
				cmd.Env = append(os.Environ(), "ORG_MEMORY="+dir)
				out, err := cmd.CombinedOutput()
				if err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				most := map[string]float64{}
				for line := range strings.Lines(string(out)) {
					var mb float64
					var what string
					if n, _ := fmt.Sscanf(line, "memory %s %f", &what, &mb); n == 2 {
						most[what] = max(most[what], mb)
					}
				}
				for what, mb := range most {
					b.ReportMetric(mb, what+"-MB")
				}
			}
			b.ReportMetric(60+0.3*float64(n*benchSize)/(1<<20), "allowed-MB")
		})
	}
}

// TestMemoryProcess is the process of BenchmarkMemory: it prints what it occupied.
func TestMemoryProcess(t *testing.T) {
	dir := os.Getenv("ORG_MEMORY")
	if dir == "" {
		t.Skip("it is a part of BenchmarkMemory")
	}
	s := openBench(t, dir)
	measure := func(name string, do func() error) {
		_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o600) // the peak begins again
		if err := do(); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("memory %s-peak %.1f\n", name, residentMB(t, "VmHWM"))
	}
	measure("index", func() error { return s.index(t.Context()) })
	for range 3 {
		for _, c := range benchCalls {
			measure(c.name, func() error {
				_, err := c.call(t.Context(), s)
				return err
			})
		}
	}
	fmt.Printf("memory resident %.1f\n", residentMB(t, "VmRSS"))
}

// residentMB reads a line of what Linux tells about the memory of this process.
func residentMB(t *testing.T, what string) float64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("the system does not tell what a process occupies")
	}
	for line := range strings.Lines(string(text)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, what+": %f kB", &kb); n == 1 {
			return kb / 1024
		}
	}
	return 0
}

type silentReporter struct{ tools.Reporter }

func (silentReporter) Progress(string, int64, int64)         {}
func (silentReporter) Clear(status.ProblemType)              {}
func (silentReporter) BlockIdleExit(string) (release func()) { return func() {} }
