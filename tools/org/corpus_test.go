package org_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// oracleFile is what Emacs read in one file, as org-oracle.el prints it.
type oracleFile struct {
	File      string           `json:"file"`
	TodoAll   []string         `json:"todo_all"`
	TodoDone  []string         `json:"todo_done"`
	FileTags  []string         `json:"filetags"`
	CRLF      bool             `json:"crlf"`
	Odd       bool             `json:"odd"`
	Headlines []map[string]any `json:"headlines"`
}

// TestCorpus compares every field of every headline with what Emacs read. The
// files of ORG_CORPUS, or the shared corpus if it is there, are read besides our
// own.
func TestCorpus(t *testing.T) {
	shared := sharedCorpus(t)
	for _, quirks := range []orgfile.Quirks{orgfile.Org95, orgfile.OrgMain} {
		t.Run("own"+string(quirks), func(t *testing.T) { compareCorpus(t, "testdata/corpus", quirks) })
		if shared != "" {
			t.Run("shared"+string(quirks), func(t *testing.T) { compareCorpus(t, shared, quirks) })
		}
	}
}

// sharedCorpus returns the folder of a corpus outside of the repository, "" if
// there is none.
func sharedCorpus(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("ORG_CORPUS"); dir != "" {
		return dir
	}
	archive := sharedFile("corpus.tar.xz")
	if archive == "" {
		return ""
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "tar", "-xf", archive, "-C", dir).CombinedOutput(); err != nil {
		t.Logf("cannot unpack %s: %v\n%s", archive, err, out)
		return ""
	}
	return dir
}

// sharedFile returns the path of a file of the data beside the checkout, or "".
func sharedFile(name string) string {
	path := filepath.Join("..", "..", "..", "shared", "data", "org", name)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

func compareCorpus(t *testing.T, dir string, quirks orgfile.Quirks) {
	t.Helper()
	lines, err := os.Open(filepath.Join(dir, "oracle.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	in := bufio.NewReaderSize(lines, 1<<20)
	c := corpusCount{quirks: quirks, known: map[string]int{}, differ: map[string]int{}}
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			var want oracleFile
			if err := json.Unmarshal(line, &want); err != nil {
				t.Fatal(err)
			}
			c.compare(t, dir, want)
		}
		if err != nil {
			break
		}
	}
	if c.headlines == 0 {
		t.Error("the corpus has no headlines")
	}
	t.Logf("%d files, %d headlines, %d fields equal", c.files, c.headlines, c.equal)
	for _, m := range []map[string]int{c.known, c.differ} {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			t.Logf("%6d %s", m[k], k)
		}
	}
}

type corpusCount struct {
	quirks                  orgfile.Quirks
	files, headlines, equal int
	known                   map[string]int // differences between Org's versions
	differ                  map[string]int // all others, by field
}

func (c *corpusCount) compare(t *testing.T, dir string, want oracleFile) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(want.File))
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join(dir, "corpus", filepath.FromSlash(want.File))
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before := bytes.Clone(src)
	settings := orgfile.DefaultSettings()
	settings.Quirks = c.quirks
	f, err := orgfile.Parse(src, path, settings, readSetup)
	if err != nil {
		t.Fatal(err)
	}
	c.files++
	if !bytes.Equal(before, src) {
		t.Errorf("%s: parsing changed the bytes", want.File)
	}
	todo := f.Settings.Todo
	c.field(t, want.File, 0, "todo_done", "", toAny(todo.Names(true)), toAny(sortLike(want.TodoDone, todo.Names(true))))
	c.field(t, want.File, 0, "filetags", "", toAny(f.Settings.FileTags), toAny(want.FileTags))
	c.field(t, want.File, 0, "odd", "", f.Settings.OddLevels, want.Odd)
	if len(f.Headlines) != len(want.Headlines) {
		t.Errorf("%s: %d headlines, Emacs %d", want.File, len(f.Headlines), len(want.Headlines))
		return
	}
	for i := range f.Headlines {
		c.headlines++
		got := describeHeadline(f, i)
		line := f.Text(orgfile.Span{Start: f.Headlines[i].Begin, End: f.Headlines[i].LineEnd})
		for _, name := range slices.Sorted(maps.Keys(want.Headlines[i])) {
			if name != "begin_char" {
				c.field(t, want.File, want.Headlines[i]["line"], name, line, got[name], readAsText(name, want.Headlines[i][name], f.CRLF))
			}
		}
	}
}

// sortLike drops duplicates: a keyword may stand in two sets.
func sortLike(want, got []string) []string {
	if len(want) > len(got) {
		slices.Sort(want)
		want = slices.Compact(want)
		slices.SortFunc(want, func(a, b string) int { return slices.Index(got, a) - slices.Index(got, b) })
	}
	return want
}

func (c *corpusCount) field(t *testing.T, file string, line any, name string, heading string, got, want any) {
	t.Helper()
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if bytes.Equal(g, w) {
		c.equal++
		return
	}
	if why := c.versionDifference(heading); why != "" {
		c.known[why]++
		return
	}
	c.differ[name]++
	if c.differ[name] <= 8 {
		t.Errorf("%s:%v %s: got %s, Emacs %s", file, line, name, g, w)
	} else {
		t.Fail()
	}
}

// versionDifference names the change in Org main that explains why a field of
// this heading differs from what Org 9.5 reads; "" if none does.
func (c *corpusCount) versionDifference(heading string) string {
	for _, d := range versionDifferences {
		if d.heading.MatchString(heading) && (d.contradicts || c.quirks != orgfile.Org95) {
			return d.change
		}
	}
	return ""
}

var versionDifferences = []struct {
	heading     *regexp.Regexp
	contradicts bool // Org 9.5's parser and its commands disagree, so none can be followed in all
	change      string
}{
	{regexp.MustCompile(`^\*+ +\S+$`), true, "a keyword at the end of the line is a keyword"},
	{regexp.MustCompile(`^\*+ COMMENTED`), true, "COMMENTED does not comment"},
	{regexp.MustCompile(`^\*+ \S+ :[^ ]+:$`), true, "tags may follow the keyword"},
	{regexp.MustCompile(`::`), true, "an empty tag is no tag"},
	{regexp.MustCompile(`\[#[^A-Z0-9]\]`), false, "a priority is a capital letter or a number"},
}

// readAsText gives what the oracle, which takes carriage returns for text, would
// read in a file of CR LF without them. Properties are compared without their
// order, which the oracle does not keep.
func readAsText(name string, want any, crlf bool) any {
	switch want := want.(type) {
	case string:
		return strings.TrimSuffix(want, "\r")
	case float64:
		if name == "eol" && crlf {
			return want - 1
		}
	case []any:
		if name == "properties" {
			slices.SortFunc(want, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
	return want
}

func readSetup(path string) ([]byte, bool) {
	b, err := os.ReadFile(path)
	return b, err == nil
}

func toAny(list []string) any {
	if list == nil {
		return []string{}
	}
	return list
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// describeHeadline gives a headline's fields the names of the oracle.
func describeHeadline(f *orgfile.File, i int) map[string]any {
	h := f.Headlines[i]
	id, hasID := f.Property(i, "ID")
	custom, hasCustom := f.Property(i, "CUSTOM_ID")
	begin, end := f.ElementContents(i)
	m := map[string]any{
		"level":            h.Level,
		"reduced_level":    f.ReducedLevel(i),
		"todo":             orNull(f.Text(h.Keyword)),
		"todo_type":        nil,
		"priority":         orNull(f.Text(h.Priority)),
		"title":            f.Text(h.Title),
		"heading_plain":    f.Text(h.Title),
		"tags":             toAny(f.LocalTags(i)),
		"tags_local":       toAny(f.LocalTags(i)),
		"tags_all":         toAny(f.AllTags(i)),
		"scheduled":        orNull(f.Text(f.PlanningTime(i, orgfile.Scheduled))),
		"deadline":         orNull(f.Text(f.PlanningTime(i, orgfile.Deadline))),
		"closed":           orNull(f.Text(f.PlanningTime(i, orgfile.Closed))),
		"category":         f.Category(i),
		"id":               nil,
		"custom_id":        nil,
		"archived":         slices.Contains(f.LocalTags(i), orgfile.ArchiveTag),
		"commented":        h.Commented,
		"in_commented":     f.InCommented(i),
		"in_archived":      f.InArchived(i),
		"footnote_section": f.Settings.Footnotes != "" && f.Text(h.Title) == f.Settings.Footnotes,
		"olp":              toAny(f.DisplayPath(i)),
		"begin":            h.Begin,
		"eol":              h.LineEnd,
		"contents_begin":   nil,
		"end":              end,
		"line":             f.Line(int(h.Begin)),
	}
	if hasID {
		m["id"] = id
	}
	if hasCustom {
		m["custom_id"] = custom
	}
	if begin >= 0 {
		m["contents_begin"] = begin
	}
	if !h.Keyword.Empty() {
		m["todo_type"] = "todo"
		if h.Done {
			m["todo_type"] = "done"
		}
	}
	props := [][2]string{}
	for _, p := range f.Properties(i) {
		if p.Key != "CATEGORY" {
			props = append(props, [2]string{p.Key, p.Value})
		}
	}
	slices.SortFunc(props, func(a, b [2]string) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	m["properties"] = props
	return m
}
