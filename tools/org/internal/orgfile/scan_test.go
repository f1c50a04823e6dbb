package orgfile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// checkFile says what is wrong with a parsed file: spans must lie in order, inside
// of their headline, and headlines must tile what follows the first one.
func checkFile(f *File) error {
	for i := range f.Headlines {
		h := &f.Headlines[i]
		at := h.Begin
		for _, s := range []Span{h.Keyword, h.Priority, h.Title, h.Tags, {h.LineEnd, h.LineEnd}, h.Planning, h.Drawer, {h.Body, h.Body}} {
			if s == (Span{}) {
				continue
			}
			if s.Start < at || s.End < s.Start || int(s.End) > f.EntryEnd(i) {
				return fmt.Errorf("headline %d: span %v is out of order or place", i, s)
			}
			at = s.End
		}
		if f.Source[h.Begin] != '*' || h.End < int32(f.EntryEnd(i)) || int(h.Parent) >= i {
			return fmt.Errorf("headline %d is %+v", i, *h)
		}
		if h.Parent >= 0 && (f.Headlines[h.Parent].Level >= h.Level || f.Headlines[h.Parent].End < h.End) {
			return fmt.Errorf("headline %d is not inside its parent", i)
		}
		if next := f.AfterSubtree(i); next < len(f.Headlines) && f.Headlines[next].Begin != h.End {
			return fmt.Errorf("the subtree of headline %d ends at %d, between headlines", i, h.End)
		}
	}
	lines := 0
	for line := range bytes.Lines(f.Source[f.start:]) {
		if f.Settings.HeadingLevel(line) > 0 {
			lines++
		}
	}
	if lines != len(f.Headlines) {
		return fmt.Errorf("%d headlines, the file has %d", len(f.Headlines), lines)
	}
	return nil
}

var seeds = []string{
	"", "*", "* ", "* TODO", "* TODO [#A] t :a:b:", "** \t:a:", "* COMMENT", "*  :::", "\ufeff* a\n", "* a\r\n** b\r\n",
	"#+TODO: A | B\n* A x\n", "#+begin_src\n#+TODO: X Y\n", ":PROPERTIES:\n:END:\n", "* a\nSCHEDULED: <2026-01-01 Thu>\n:PROPERTIES:\n:A: b\n:END:",
	"#+TODO: |\n* | x\n", "#+SETUPFILE: x\n", "* [#1] \xff\xfe :t:\n", "#+PRIORITIES: A\n#+TAGS: { a : b } [ c : d ]\n",
	"#+STARTUP: odd\n* a\n*** b\n***** c :t:\n:PROPERTIES:\n:A: b\n:END:\n***** END\n",
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		before := bytes.Clone(src)
		for n, q := range []Quirks{OrgMain, Org95, OrgMain} {
			settings := DefaultSettings()
			settings.Quirks = q
			settings.InlineTasks = 3 * (n / 2)
			file, err := Parse(src, "/x/t.org", settings, func(string) ([]byte, bool) { return src, true })
			if err != nil {
				t.Fatal(err)
			}
			if err := checkFile(file); err != nil {
				t.Fatal(err)
			}
			for i := -1; i < len(file.Headlines); i++ {
				file.Properties(i)
				file.InheritedProperty(i, "A")
				file.InlineTasks(i)
				if i >= 0 {
					file.AllTags(i)
					file.DisplayPath(i)
					file.PlanningTime(i, Scheduled)
					file.ElementContents(i)
				}
			}
			file.Settings.TagGroups()
		}
		if !bytes.Equal(before, src) {
			t.Fatal("parsing changed the bytes")
		}
	})
}

// Keywords inside of text blocks do not count; a block that a heading cuts off is
// none, so those in it do.
func TestKeywordsInBlocks(t *testing.T) {
	for src, want := range map[string]string{
		"#+begin_src org\n#+FILETAGS: :a:\n#+end_src\n":                                     "",
		"#+BEGIN_EXAMPLE\n#+filetags: :a:\n* h\n#+end_example\n":                            "a",
		"#+begin_quote\n#+FILETAGS: :a:\n#+end_quote\n":                                     "a",
		"#+begin_src\n#+begin_example\n#+FILETAGS: :a:\n#+end_example\n#+FILETAGS: :b:\n":   "b",
		"#+begin_src\n#+FILETAGS: :a:\n#+end_example\n#+end_src\n  #+FILETAGS: :b: :c:d:\n": "b c d",
	} {
		f, err := Parse([]byte(src), "", DefaultSettings(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(f.Settings.FileTags, " "); got != want {
			t.Errorf("%q: tags %q, want %q", src, got, want)
		}
	}
}

// TestInlineTasks: an inline task and its END are text of the entry. Where levels are
// odd it has more stars.
func TestInlineTasks(t *testing.T) {
	task := "*************** TODO call :b:\n:PROPERTIES:\n:A: b\n:END:\n*************** END\nmore\n"
	for _, c := range []struct {
		src        string
		level      int
		heads, all int // headlines; lines of inline tasks in the first
	}{
		{"* a\n" + task + "** c\n", 0, 4, 0},
		{"* a\n" + task + "** c\n", 15, 2, 2},
		{"* a\r\n" + strings.ReplaceAll(task, "\n", "\r\n"), 15, 1, 2},
		{"* a\n" + task + "** c\n", 16, 4, 0},
		{"#+STARTUP: odd\n* a\n" + task, 15, 3, 0},
		{"#+STARTUP: odd\n* a\n" + task, 8, 1, 2},
	} {
		settings := DefaultSettings()
		settings.InlineTasks = c.level
		f, err := Parse([]byte(c.src), "", settings, nil)
		if err != nil {
			t.Fatal(err)
		}
		tasks := f.InlineTasks(0)
		if len(f.Headlines) != c.heads || len(tasks) != c.all {
			t.Errorf("%q from level %d: %d headlines, %d inline tasks, want %d, %d", c.src, c.level, len(f.Headlines), len(tasks), c.heads, c.all)
		}
		if c.all > 0 && (f.Text(tasks[0].Line) != "*************** TODO call :b:" || len(f.PropertyLines(tasks[0].Drawer)) != 1) {
			t.Errorf("%q: %q with %q", c.src, f.Text(tasks[0].Line), f.Text(tasks[0].Drawer))
		}
	}
}

// A setup file may name itself, and many files may name many.
func TestSetupFiles(t *testing.T) {
	files := map[string]string{
		"/x/a":     "#+SETUPFILE: a\n#+SETUPFILE: sub/b\n#+FILETAGS: :a:\n",
		"/x/sub/b": "#+FILETAGS: :b:\n#+SETUPFILE: c\n", "/x/sub/c": "#+FILETAGS: :c:\n#+SETUPFILE: ../a\n",
	}
	read := func(path string) ([]byte, bool) { s, ok := files[path]; return []byte(s), ok }
	f, err := Parse([]byte("#+SETUPFILE: \"a\"\n#+FILETAGS: :own:\n"), "/x/t.org", DefaultSettings(), read)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"b", "c", "a", "own"}; !slices.Equal(f.Settings.FileTags, want) {
		t.Errorf("tags %v, want %v", f.Settings.FileTags, want)
	}
	reads := 0
	many := strings.Repeat("#+SETUPFILE: x%d\n", 1)
	src := ""
	for i := range 20 {
		src += fmt.Sprintf(many, i)
	}
	if _, err := Parse([]byte(src), "/x/t.org", DefaultSettings(), func(string) ([]byte, bool) { reads++; return []byte(src), true }); err != nil {
		t.Fatal(err)
	}
	if reads > maxSetupFiles {
		t.Errorf("%d setup files were read, want at most %d", reads, maxSetupFiles)
	}
}

// syntheticFile writes an Org file of about size bytes.
func syntheticFile(size int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("alpha beta gamma delta project review meeting server parser budget report naïve 日本語 agenda refile capture clock")
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
		return b.String()
	}
	day := func() string { return time.Date(2025, 1, 1+r.IntN(700), 0, 0, 0, 0, time.UTC).Format("2006-01-02 Mon") }
	var b bytes.Buffer
	b.WriteString("#+TITLE: Synthetic\n#+TODO: TODO(t) NEXT(n) WAIT(w@/!) | DONE(d!) CANCELLED(c@)\n#+FILETAGS: :bench:\n\n")
	for n := 0; b.Len() < size; n++ {
		heading := strings.Repeat("*", 1+r.IntN(5)) + " "
		if r.IntN(2) == 0 {
			heading += []string{"TODO ", "NEXT ", "DONE "}[r.IntN(3)]
		}
		heading += text(2+r.IntN(4)) + fmt.Sprint(n)
		if r.IntN(3) == 0 {
			heading += "    :work:@home:"
		}
		b.WriteString(heading + "\n")
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "DEADLINE: <%s> SCHEDULED: <%s +1w>\n", day(), day())
		}
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, ":PROPERTIES:\n:ID:       %016x\n:Effort:   1:00\n:END:\n", r.Uint64())
		}
		for range r.IntN(4) {
			b.WriteString(text(20+r.IntN(40)) + "\n" + text(10) + "\n\n")
		}
		if r.IntN(8) == 0 {
			b.WriteString("#+begin_src go\n" + text(5) + "\n,* no heading\n#+end_src\n")
		}
	}
	return b.Bytes()
}

func BenchmarkParse(b *testing.B) {
	for _, size := range []int{100 << 10, 10 << 20, 100 << 20} {
		src := syntheticFile(size)
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(src, "/x/t.org", DefaultSettings(), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	if os.Getenv("ORG_BENCH_GB") == "" {
		return
	}
	src := bytes.Repeat(syntheticFile(64<<20), 16)
	b.Run("1GB", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		for b.Loop() {
			if _, err := Parse(src, "/x/t.org", DefaultSettings(), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
