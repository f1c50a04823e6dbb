package org

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// uniorgVersion is the package of npm that BenchmarkParsers installs.
const uniorgVersion = "uniorg-parse@3.2.2"

// BenchmarkParsers reads the same megabyte by our scanner, by Emacs, go-org and
// uniorg. Emacs's org-map-entries reads heading, state and tags of each headline, and
// the others build whole trees: they do more than a scan for headlines.
func BenchmarkParsers(b *testing.B) {
	text := benchFile(1, 1<<20)
	file := filepath.Join(b.TempDir(), "notes.org")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		b.Fatal(err)
	}
	b.Run("lectern", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := orgfile.Parse(text, file, orgfile.DefaultSettings(), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, c := range []struct {
		name string
		run  func(b *testing.B, file string) *exec.Cmd
	}{{"emacs", emacsParsers}, {"go-org", goOrgParser}, {"uniorg", uniorgParser}} {
		b.Run(c.name, func(b *testing.B) {
			cmd := c.run(b, file)
			out, err := cmd.CombinedOutput()
			if err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
			b.ReportMetric(0, "ns/op")
			for line := range strings.Lines(string(out)) {
				var name string
				var seconds float64
				if n, _ := fmt.Sscanf(line, "%s %f", &name, &seconds); n == 2 && seconds > 0 {
					b.ReportMetric(float64(len(text))/1e6/seconds, name+"-MB/s")
				}
			}
		})
	}
}

func emacsParsers(b *testing.B, file string) *exec.Cmd {
	b.Helper()
	emacs, err := exec.LookPath("emacs")
	if err != nil {
		b.Skip("Emacs is not installed")
	}
	return exec.CommandContext(b.Context(), emacs, "-Q", "--batch", "--eval", fmt.Sprintf(`(progn (require 'org-element) (require 'benchmark)
(setq gc-cons-threshold 268435456)
(find-file %q) (org-mode)
(dolist (form '(("org-element-headlines" (org-element-parse-buffer 'headline)) ("org-element" (org-element-parse-buffer))
    ("org-map-entries" (org-map-entries (lambda () (list (org-get-heading t t t t) (org-get-todo-state) (org-get-tags)))))))
  (princ (format "%%s %%.4f\n" (car form) (benchmark-elapse (eval (cadr form)))))))`, file))
}

func goOrgParser(b *testing.B, file string) *exec.Cmd {
	b.Helper()
	program := filepath.Join(b.TempDir(), "goorg")
	build := exec.CommandContext(b.Context(), "go", "build", "-modfile=../../.ci/dev.mod", "-o", program, "./testdata/parsers")
	if out, err := build.CombinedOutput(); err != nil {
		b.Skipf("go-org cannot be built: %v\n%s", err, out)
	}
	return exec.CommandContext(b.Context(), program, file)
}

func uniorgParser(b *testing.B, file string) *exec.Cmd {
	b.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		b.Skip("npm, which installs uniorg, is not there")
	}
	dir := b.TempDir()
	install := exec.CommandContext(b.Context(), npm, "install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", uniorgVersion)
	if out, err := install.CombinedOutput(); err != nil {
		b.Skipf("uniorg cannot be installed: %v\n%s", err, out)
	}
	script, err := os.ReadFile(filepath.FromSlash("testdata/parsers/uniorg.mjs"))
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "uniorg.mjs"), script, 0o600); err != nil {
		b.Fatal(err)
	}
	return exec.CommandContext(b.Context(), "node", filepath.Join(dir, "uniorg.mjs"), file)
}

// BenchmarkHeadline reads and writes one headline of 100 files of 100 KB each, and
// reports the median. A write is the source's: worked out, written beside the file,
// synchronised to the disk and renamed. The journal is not part of it. The row disk
// does only the last of it, with as many bytes.
func BenchmarkHeadline(b *testing.B) {
	s := openBench(b, benchFolder(b, benchFiles, benchSize))
	defer func() { _ = s.Close() }()
	ctx := b.Context()
	list, err := s.getTodos(ctx, getTodosIn{Files: []string{"notes-050.org"}, States: []string{"TODO"}})
	if err != nil || len(list.Items) == 0 {
		b.Fatal(list, err)
	}
	h := list.Items[0]
	from, to := "TODO", "NEXT"
	text, copied := benchFile(50, benchSize), filepath.Join(b.TempDir(), "copy.org")
	for _, c := range []struct {
		name string
		call func() error
	}{
		{"read", func() error {
			_, err := s.readHeadlineTool(ctx, readHeadlineIn{ResourceURI: h.ResourceURI})
			return err
		}},
		{"write", func() error {
			_, err := s.updateTodoState(ctx, tools.CallContext{}, updateTodoStateIn{ResourceURI: h.ResourceURI, CurrentState: from, NewState: to})
			from, to = to, from
			return err
		}},
		{"disk", func() error { return atomicfile.WriteFile(copied, text, 0o600) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				if err := c.call(); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
