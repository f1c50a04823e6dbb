package markdown

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkFill fills a new index with the pages of BENCH_VAULT, or of 2,000 pages, and
// reports what that takes of the processors for 1,000 of them, how long it takes, and
// the memory of the process at its highest.
func BenchmarkFill(b *testing.B) {
	dir := os.Getenv("BENCH_VAULT")
	if dir == "" {
		dir = b.TempDir()
		for i := range 2_000 {
			file := filepath.Join(dir, strconv.Itoa(i%20), "Page "+strconv.Itoa(i)+".md")
			text := "---\nid: p" + strconv.Itoa(i) + "\ntags: [a, b/c]\n---\n# Page\n\n" + strings.Repeat("See [[Page "+strconv.Itoa(i/2)+"]] and more words.\n- [ ] task "+strconv.Itoa(i)+"\n", 40)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	var pages int
	var busy, passed time.Duration
	for b.Loop() {
		n, _ := openPair(b, dir, nil)
		cpu, began := processorTime(b), time.Now()
		if err := n.index.fill(b.Context()); err != nil {
			b.Fatal(err)
		}
		busy, passed = busy+processorTime(b)-cpu, passed+time.Since(began)
		size, err := n.index.x.Size(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		pages += size.Pages
		b.ReportMetric(float64(size.Bytes)/float64(size.Pages), "index-B/page")
	}
	b.ReportMetric(busy.Seconds()/float64(pages)*1000, "cpu-s/1000pages")
	b.ReportMetric(passed.Seconds()/float64(pages)*1000, "s/1000pages")
	b.ReportMetric(peakMegabytes(b), "peak-MB")
}

// processorTime is what the process has had of the processors.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func peakMegabytes(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, err := strconv.Atoi(strings.Fields(line)[0])
	if err != nil {
		b.Fatal(err)
	}
	return float64(kilobytes) / 1024
}
