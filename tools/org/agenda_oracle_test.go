package org_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgagenda"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgvars"
)

// An agendaCase is an agenda of files over some days, on the day of caseTime.
type agendaCase struct {
	Name  string            `json:"name"`
	Files []string          `json:"files"`
	Start string            `json:"start"`
	Days  int               `json:"days,omitempty"`
	Vars  map[string]string `json:"vars"`
}

// TestAgendaOracle compares random agendas with Emacs's, entry for entry and as
// text. ORG_AGENDAS is how many (make oracle: 2,000; without it a sample),
// ORG_SEED the first seed.
func TestAgendaOracle(t *testing.T) {
	runtest.InOrder(t)
	command := emacsCommand(t)
	count, seed := envNumber(t, "ORG_AGENDAS", 30), uint64(envNumber(t, "ORG_SEED", 1))
	dir := t.TempDir()
	var cases []agendaCase
	for i := range uint64(count) {
		cases = append(cases, generateAgenda(t, rand.New(rand.NewPCG(seed+i, 7)), dir, fmt.Sprintf("agenda-%d", seed+i)))
	}
	compareAgendas(t, command, cases)
}

// TestAgendaCorpus compares agendas of public files with Emacs's: each file's
// first and last year of dates in weeks that hold some.
func TestAgendaCorpus(t *testing.T) {
	command := emacsCommand(t)
	dir := sharedCorpus(t)
	if dir == "" {
		t.Skip("the corpus beside the checkout is not there")
	}
	var cases []agendaCase
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".org") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen := map[string]bool{}
		for _, m := range activeDate.FindAllSubmatch(source, -1) {
			if start := string(m[1]); !seen[start] && len(seen) < 3 {
				seen[start] = true
				cases = append(cases, agendaCase{Name: path, Files: []string{path}, Start: start, Days: 7})
			}
		}
		if len(seen) > 0 {
			cases = append(cases, agendaCase{Name: path, Files: []string{path}, Start: "2026-01-07", Days: 3})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	compareAgendas(t, command, cases)
}

// runAgendaScript calls a function of agenda.el with cases and returns what it
// printed.
func runAgendaScript(t *testing.T, command []string, function string, cases []agendaCase) *json.Decoder {
	t.Helper()
	b, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cases.json")
	if err := atomicfile.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append(command[1:len(command):len(command)], "-Q", "--batch", "-l", "testdata/agenda.el", "-f", function, file)
	cmd := exec.CommandContext(t.Context(), command[0], args...)
	cmd.Env = append(os.Environ(), "NO_FAKE_STAT=1", "TZ=UTC", "LC_ALL=C.UTF-8", "HOME="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	return json.NewDecoder(bytes.NewReader(out))
}

func compareAgendas(t *testing.T, command []string, cases []agendaCase) {
	t.Helper()
	in := runAgendaScript(t, command, "agenda-run", cases)
	entries, failed := 0, 0
	for _, c := range cases {
		var want struct {
			Error *string
			Text  string
			Lines [][]any
		}
		if err := in.Decode(&want); err != nil {
			t.Fatalf("Emacs stopped at %s: %v", c.Name, err)
		}
		if want.Error != nil {
			t.Logf("%s: Emacs cannot make this agenda: %s", c.Name, *want.Error)
			continue
		}
		lines, text, whole := runAgenda(t, c)
		var emacsLines []string
		for _, l := range want.Lines {
			if line := emacsAgendaLine(l); whole || !strings.Contains(line, " sexp |") {
				emacsLines = append(emacsLines, line)
			}
		}
		if !whole { // of holidays only Emacs knows
			text = want.Text
		}
		entries += len(lines)
		if g, w := strings.Join(lines, "\n"), strings.Join(emacsLines, "\n"); g != w || text != want.Text {
			if failed++; failed <= 12 {
				source, _ := os.ReadFile(c.Files[0])
				t.Errorf("%s from %s, %v\n%s%s", c.Name, c.Start, c.Vars, lineDifference(g, w), lineDifference(text, want.Text))
				if len(source) < 5000 {
					t.Logf("%s", source)
				}
			}
		}
	}
	t.Logf("%d agendas with %d entries, %d differ", len(cases), entries, failed)
	if failed > 0 {
		t.Fail()
	}
}

// TestClockOracle compares the time that random clock lines record with what Emacs
// adds up.
func TestClockOracle(t *testing.T) {
	runtest.InOrder(t)
	command := emacsCommand(t)
	dir := t.TempDir()
	var cases []agendaCase
	for i := range uint64(envNumber(t, "ORG_AGENDAS", 30)) {
		g := &agendaGenerator{Rand: rand.New(rand.NewPCG(i, 11))}
		c := agendaCase{Name: fmt.Sprint("clock-", i), Start: caseTime.AddDate(0, 0, g.IntN(20)-12).Format("2006-01-02"), Days: g.IntN(3) * 5}
		for n := range 8 {
			g.write(strings.Repeat("*", 1+g.IntN(3)) + fmt.Sprint(g.pick(" TODO", "", " COMMENT"), " entry ", n, g.pick("", "  :a:", "  :ARCHIVE:")))
			for range g.IntN(4) {
				g.clockLine()
			}
		}
		path := filepath.Join(dir, c.Name+".org")
		if err := atomicfile.WriteFile(path, []byte(g.out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		c.Files = []string{path}
		cases = append(cases, c)
	}
	in := runAgendaScript(t, command, "clock-run", cases)
	headlines := 0
	for _, c := range cases {
		var want struct{ Clocks [][2]int }
		if err := in.Decode(&want); err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(c.Files[0])
		if err != nil {
			t.Fatal(err)
		}
		f, err := orgfile.Parse(source, c.Files[0], orgfile.DefaultSettings(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var days *orgagenda.DayRange
		if start, _ := orgtime.Parse("<" + c.Start + ">"); c.Days > 0 {
			days = &orgagenda.DayRange{First: start.Start, Last: start.Start + orgtime.Day(c.Days) - 1}
		}
		var got [][2]int
		for _, r := range orgagenda.ReportClock(orgfile.NewView(f, nil), days) {
			if r.Total > 0 {
				got = append(got, [2]int{f.Line(int(f.Headlines[r.Headline].Begin)), r.Total})
			}
		}
		headlines += len(got)
		if fmt.Sprint(got) != fmt.Sprint(want.Clocks) {
			t.Errorf("%s from %s, %d days: %v, Emacs %v\n%s", c.Name, c.Start, c.Days, got, want.Clocks, source)
		}
	}
	t.Logf("%d headlines with recorded time", headlines)
}

func (g *agendaGenerator) clockLine() {
	start := caseTime.AddDate(0, 0, g.IntN(20)-15).Add(-time.Duration(g.IntN(1400)) * time.Minute)
	end := start.Add(time.Duration(g.IntN(3000)) * time.Minute)
	stamp := func(t time.Time) string { return t.Format("[2006-01-02 Mon 15:04]") }
	g.write(g.pick("", "  ") + g.pick("CLOCK: "+stamp(start)+"--"+stamp(end)+" =>  1:00", "CLOCK: "+stamp(start)+"--"+stamp(end), "CLOCK: "+stamp(start), "CLOCK: =>  2:30", "text CLOCK: "+stamp(start)+"--"+stamp(end)))
}

func runAgenda(t *testing.T, c agendaCase) (lines []string, text string, whole bool) {
	t.Helper()
	settings := orgfile.DefaultSettings()
	settings.Quirks = orgfile.Org95
	for name, value := range c.Vars {
		if err := orgvars.Set(&settings, name, value); err != nil {
			t.Fatal(err)
		}
	}
	whole = true
	var files []*orgagenda.Calendar
	for _, path := range c.Files {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := orgfile.Parse(source, path, settings, func(name string) ([]byte, bool) {
			b, err := os.ReadFile(name)
			return b, err == nil
		})
		if err != nil {
			t.Fatal(err)
		}
		dates := orgagenda.Scan(orgfile.NewView(f, nil))
		whole = whole && len(dates.Unsupported()) == 0
		files = append(files, dates)
	}
	start, _ := orgtime.Parse("<" + c.Start + ">")
	year, month, day := caseTime.Date()
	span := orgagenda.Span{First: start.Start, Days: c.Days, Today: orgtime.NewDay(year, month, day)}
	if weekday := settings.Agenda.StartWeekday; weekday >= 0 && (c.Days == 7 || c.Days == 14) {
		span.First -= orgtime.Day((int(start.Start.Date().Weekday()) - weekday + 7) % 7)
	}
	var entries []orgagenda.Entry
	for n, c := range files {
		for _, e := range orgagenda.List(c, span) {
			e.File = n
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, orgagenda.Compare)
	for _, e := range entries {
		if !whole && e.Kind == orgagenda.Diary {
			continue
		}
		tags := e.View.File.AllTags(e.Headline)
		lines = append(lines, fmt.Sprint(e.Day.Date().Format("2006-01-02"), " ", filepath.Base(e.View.File.Path), ":",
			e.View.File.Line(int(e.View.File.Headlines[e.Headline].Begin)), " ", e.Kind, " ", e.Prefix, "|", e.Time, "|", e.Text(), "|", tags, " ", e.Priority))
	}
	return lines, orgagenda.Format(entries, span, orgtime.Clock(60*caseTime.Hour()+caseTime.Minute())), whole
}

var (
	activeDate = regexp.MustCompile(`<([0-9]{4}-[0-9]{2}-[0-9]{2})[ >]`)
	tagsInText = regexp.MustCompile(`[ \t]+:[\pL\pN_@#%:]+:[ \t]*$`)
)

// emacsAgendaLine writes a line of agenda.el as runAgenda does.
func emacsAgendaLine(l []any) string {
	text := func(i int) string { s, _ := l[i].(string); return s }
	number := func(i int) int { n, _ := l[i].(float64); return int(n) }
	tags := []string{}
	if list, ok := l[7].([]any); ok {
		for _, tag := range list {
			tags = append(tags, fmt.Sprint(tag))
		}
	}
	shown := text(6)
	if len(tags) > 0 {
		shown = tagsInText.ReplaceAllString(shown, "")
	}
	clock := strings.TrimSpace(strings.TrimSuffix(text(5), "......"))
	return fmt.Sprint(orgtime.Day(number(0)-719163).Date().Format("2006-01-02"), " ", text(1), ":", number(2), " ", text(3), " ", text(4), "|", clock, "|", shown, "|", tags, " ", number(8))
}

// An agendaGenerator writes files of entries with dates around caseTime.
type agendaGenerator struct {
	*rand.Rand
	out strings.Builder
}

func (g *agendaGenerator) chance(percent int) bool { return g.IntN(100) < percent }

func (g *agendaGenerator) pick(words ...string) string { return words[g.IntN(len(words))] }

func (g *agendaGenerator) write(lines ...string) {
	for _, line := range lines {
		g.out.WriteString(line + "\n")
	}
}

func generateAgenda(t *testing.T, r *rand.Rand, dir, name string) agendaCase {
	t.Helper()
	c := agendaCase{Name: name, Vars: map[string]string{}}
	for i := range 1 + r.IntN(2) {
		g := &agendaGenerator{Rand: r}
		g.file()
		path := filepath.Join(dir, fmt.Sprintf("%s-%c.org", name, 'a'+i))
		if err := atomicfile.WriteFile(path, []byte(g.out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		c.Files = append(c.Files, path)
	}
	g := &agendaGenerator{Rand: r}
	c.Start = caseTime.AddDate(0, 0, r.IntN(40)-20).Format("2006-01-02")
	if g.chance(50) {
		c.Start = caseTime.Format("2006-01-02")
	}
	c.Days = []int{1, 1, 3, 7, 7, 14, 10}[r.IntN(7)]
	set := func(percent int, name string, values ...string) {
		if g.chance(percent) {
			c.Vars[name] = g.pick(values...)
		}
	}
	set(10, "org-agenda-skip-scheduled-if-done", "t")
	set(10, "org-agenda-skip-deadline-if-done", "t")
	set(10, "org-agenda-skip-timestamp-if-done", "t")
	set(10, "org-deadline-warning-days", "3", "30", "0", "-5")
	set(6, "org-agenda-start-on-weekday", "nil", "0", "6")
	set(6, "org-agenda-show-future-repeats", "nil")
	set(6, "org-scheduled-past-days", "10", "0")
	set(6, "org-deadline-past-days", "10", "0")
	set(6, "org-use-tag-inheritance", "nil")
	set(5, "org-priority-default", "65", "67")
	return c
}

func (g *agendaGenerator) file() {
	if g.chance(15) {
		g.write("#+CATEGORY: " + g.pick("work", "a longer category", "x"))
	}
	if g.chance(15) {
		g.write("#+FILETAGS: :file:")
	}
	if g.chance(15) {
		g.write("#+TODO: TODO NEXT | DONE CANCELLED")
	}
	if g.chance(10) {
		g.write("text above " + g.stamp("<", ">"))
	}
	level := 1
	for n := range 3 + g.IntN(14) {
		g.entry(level, n)
		level = max(1, min(4, level+g.IntN(4)-2))
	}
}

// stamp returns a date within some weeks, or an older one.
func (g *agendaGenerator) stamp(open, end string) string {
	days := g.IntN(50) - 25
	if g.chance(25) {
		days = g.IntN(800) - 700
	}
	if g.chance(8) {
		return open + g.pick("2025-10-31 Fri", "2024-02-29 Thu", "2025-12-31 Wed", "2025-08-30 Sat") + end
	}
	return open + caseTime.AddDate(0, 0, days).Format("2006-01-02 Mon") + end
}

func (g *agendaGenerator) clock() string {
	return g.pick("", "", "", " 09:30", " 9:05", " 14:00-15:30", " 10:00", " 23:00-25:00", " 08:15")
}

func (g *agendaGenerator) repeater() string {
	return g.pick("", "", "", " +1w", " ++2d", " .+1m", " +1y", " +1d", " .+3d/5d", " +36h", " +2m", " +0d", " ++5d")
}

func (g *agendaGenerator) warning() string {
	return g.pick("", "", "", " -3d", " -1w", " --2d", " -0d", " -1m", " -48h", " -20d")
}

func (g *agendaGenerator) entry(level, n int) {
	heading := strings.Repeat("*", level) + " "
	if g.chance(60) {
		heading += g.pick("TODO", "TODO", "DONE") + " "
	}
	if g.chance(20) {
		heading += "[#" + g.pick("A", "B", "C") + "] "
	}
	if g.chance(4) {
		heading += "COMMENT "
	}
	heading += fmt.Sprint(g.pick("alpha", "beta gamma", "naïve", "meet 10:30 there", "call 8am", "at 7:15-8:45 run", "日本語", "[[https://example.org][link]]", "x [1/2]"), " ", n)
	if g.chance(8) {
		heading += " " + g.stamp("<", g.clock()+">")
	}
	if g.chance(25) {
		heading += "  " + g.pick(":a:", ":b:c:", ":work:", ":a:ARCHIVE:")
	}
	g.write(heading)
	if g.chance(60) {
		var items []string
		if g.chance(50) {
			items = append(items, "DEADLINE: "+g.stamp("<", g.clock()+g.repeater()+g.warning()+">"))
		}
		if g.chance(60) {
			items = append(items, "SCHEDULED: "+g.stamp("<", g.clock()+g.repeater()+g.warning()+">"))
		}
		if g.chance(10) {
			items = append(items, g.pick("SCHEDULED", "DEADLINE")+": <%%(diary-float t 3 2)>")
		}
		if g.chance(10) {
			items = append(items, "CLOSED: "+g.stamp("[", " 10:00]"))
		}
		g.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		if len(items) > 0 {
			g.write(g.pick("", "  ") + strings.Join(items, " "))
		}
	}
	if g.chance(15) {
		g.write(":PROPERTIES:", g.pick(":CATEGORY: own", ":WHEN: "+g.stamp("<", ">"), ":Effort: 1h"), ":END:")
	}
	for range g.IntN(4) {
		g.body()
	}
}

func (g *agendaGenerator) body() {
	switch g.IntN(13) {
	case 0, 1, 2:
		g.write(g.pick("event ", "- ", "  at ") + g.stamp("<", g.clock()+g.repeater()+">"))
	case 3, 4:
		from := caseTime.AddDate(0, 0, g.IntN(30)-18)
		to := from.AddDate(0, 0, g.IntN(6))
		clocks := [][2]string{{"", ""}, {"", ""}, {" 10:00", " 16:00"}, {" 09:00", " 09:00"}, {" 10:00", ""}}[g.IntN(5)]
		g.write("<" + from.Format("2006-01-02 Mon") + clocks[0] + ">--<" + to.Format("2006-01-02 Mon") + clocks[1] + ">")
	case 5:
		g.write(g.pick("%%(org-anniversary 1980 1 9) %d%s birthday", "%%(diary-cyclic 10 1 1 2026) cycle %d", "%%(org-block 2026 1 5 2026 1 8) block 9:15", "%%(diary-float t 3 1)",
			"%%(org-class 2026 1 1 2026 1 31 1 3) class 10am-11am", "%%(diary-date 1 7 t) dated", "&%%(diary-anniversary 1 8 2026) none"))
	case 6:
		g.write("<" + g.pick("%%(diary-float t 3 1)", "%%(org-cyclic 3 2026 1 1)", "%%(diary-anniversary 1 10 1999)") + ">")
	case 7:
		g.write("#+begin_"+g.pick("src org", "example", "quote", "comment"), g.stamp("<", ">"), "#+end_"+g.pick("src", "example", "quote"))
	case 8:
		g.write(g.pick("# ", ": ", "#+CAPTIONS: ") + g.stamp("<", ">"))
	case 9:
		g.write("=" + g.stamp("<", ">=") + " and [[https://example.org][" + g.stamp("<", ">]]"))
	case 10:
		g.write("", g.stamp("DEADLINE: <", ">"))
	case 11:
		g.write("inactive " + g.stamp("[", " 10:00]"))
	case 12:
		g.write("| a | " + g.stamp("<", "> |"))
	}
}
