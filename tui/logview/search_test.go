package pane

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

func logOf(n int, text func(i int) string) Logs {
	p := newLogs(DefaultKeys(), time.UTC, 5000, 1<<20)
	lines := make([]status.Line, n)
	for i := range lines {
		lines[i] = status.Line{Seq: uint64(i + 1), Level: status.Info, Component: "hub", Time: time.Unix(int64(i), 0), Text: text(i)}
	}
	return p.AppendLines(lines).(Logs)
}

func pressed(p Logs, keys ...string) (Logs, Intent) {
	var last Intent
	for _, k := range keys {
		msg := tea.KeyPressMsg{Text: k}
		switch k {
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "esc":
			msg = tea.KeyPressMsg{Code: tea.KeyEscape}
		default:
			msg.Code = []rune(k)[0]
		}
		next, want := p.Key(Press{msg, 100, 24})
		p, last = next.(Logs), want
	}
	return p, last
}

func typed(p Logs, text string) Logs {
	for _, c := range text {
		p, _ = pressed(p, string(c))
	}
	return p
}

func TestFind(t *testing.T) {
	p := logOf(1000, func(i int) string {
		return fmt.Sprintf("call number=%d code=%s", i, []string{"ok", "Denied", "ok"}[i%3])
	})
	p, _ = pressed(p, "F")
	p = typed(p, "code=d.nied$")
	if got := p.note(); !strings.Contains(got, "333 hits") {
		t.Errorf("while typing the note is %q", got)
	}
	p, _ = pressed(p, "enter")
	for i, want := range []struct{ key, says, line string }{
		{"", "333 of 333", "number=997 "},
		{"N", "332 of 333", "number=994 "},
		{"n", "333 of 333", "number=997 "},
		{"n", "1 of 333", "number=1 "},
		{"N", "333 of 333", "number=997 "},
	} {
		if want.key != "" {
			p, _ = pressed(p, want.key)
		}
		seen := ansi.Strip(p.View(theme.New(theme.Mode{}), 100, 24))
		if !strings.Contains(p.note(), want.says) || !strings.Contains(seen, want.line) {
			t.Errorf("%d: note %q, screen:\n%s", i, p.note(), seen)
		}
	}
	p = p.AppendLines([]status.Line{{Seq: 1001, Level: status.Info, Component: "hub", Text: "code=denied"}}).(Logs)
	if !strings.Contains(p.note(), "of 334") {
		t.Errorf("a line that came is not searched: %q", p.note())
	}
	p, _ = pressed(p, "esc")
	if p.view.search.pattern != nil {
		t.Error("esc does not drop the search")
	}
}

func TestFindSaysWhatIsWrong(t *testing.T) {
	p := logOf(10, func(int) string { return "x" })
	p, _ = pressed(p, "F")
	p = typed(p, "a(b")
	if got := p.note(); !strings.Contains(got, "missing closing )") {
		t.Errorf("note %q", got)
	}
	p, _ = pressed(p, "enter")
	_, want := pressed(p, "n")
	if _, says := want.(ShowMessage); !says {
		t.Errorf("n without a search: %v", want)
	}
	if p = typed(logOf(1, func(int) string { return "x" }), "F.*"); strings.Contains(p.note(), "hit") {
		t.Errorf("an expression that is found in nothing at all: %q", p.note())
	}
}

// What the search notes is what a look at every kept line finds, however lines
// come and go and the lens changes.
func TestFindKeepsUp(t *testing.T) {
	p := newLogs(DefaultKeys(), time.UTC, 300, 8000)
	p.view.setSearch(newSearch("[37]$"))
	re := regexp.MustCompile("[37]$")
	for i := range 3000 {
		level := []status.Level{status.Debug, status.Info, status.Warn}[i%3]
		p = p.AppendLines([]status.Line{{Seq: uint64(i + 1), Level: level, Component: "hub", Text: fmt.Sprintf("%*d", i%40, i)}}).(Logs)
		if i%500 == 250 {
			p, _ = pressed(p, "v")
		}
		var want []uint64
		for j := range p.view.len() {
			if n := p.view.at(j); n >= p.view.ring.first && re.Match(p.view.ring.text(p.view.ring.line(n))) {
				want = append(want, n)
			}
		}
		if got := p.view.liveHits(); !slices.Equal(got, want) {
			t.Fatalf("after %d lines: %v, want %v", i+1, got, want)
		}
	}
}

// TestSelection copies from the mark to the cursor, in both directions and
// beyond what was in sight, and only that.
func TestSelection(t *testing.T) {
	copied := func(p Logs) string {
		_, want := pressed(p, "c")
		c, ok := want.(Copy)
		if !ok {
			t.Fatalf("answered %#v, want Copy", want)
		}
		lines := strings.Split(strings.TrimSpace(c.Text), "\n")
		first, last := lines[0], lines[len(lines)-1]
		return c.What + ": " + first[strings.Index(first, "line-"):] + " " + last[strings.Index(last, "line-"):]
	}
	for keys, want := range map[string]string{
		"m":       "1 line: line-499. line-499.",
		"mkkkkk":  "6 lines: line-494. line-499.",
		"mkkmkkk": "4 lines: line-494. line-497.",
		"mg":      "500 lines: line-0. line-499.",
		"gmjj":    "3 lines: line-0. line-2.",
		"gmG":     "500 lines: line-0. line-499.",
		"gmk":     "1 line: line-0. line-0.",
		"gm":      "1 line: line-0. line-0.",
		"":        "22 lines: line-478. line-499.",
	} {
		p := logOf(500, func(i int) string { return fmt.Sprintf("line-%d.", i) })
		p, _ = pressed(p, strings.Split(keys, "")...)
		if got := copied(p); got != want {
			t.Errorf("%q copied %s, want %s", keys, got, want)
		}
		if rows := p.rows(p.inside(100, 24)); p.from != 0 && (p.view.at(rows[0].i) > p.to || p.view.at(rows[len(rows)-1].i) < p.to) {
			t.Errorf("%q: the cursor is out of sight", keys)
		}
	}
	p := logOf(500, func(i int) string { return fmt.Sprintf("line-%d. %s", i, []string{"even", "odd"}[i%2]) })
	p, _ = pressed(p, "m", "k", "k", "k", "/")
	p, _ = pressed(typed(p, "even"), "enter")
	if got := copied(p); got != "2 lines: line-496. even line-498. even" {
		t.Errorf("what the filter hides is copied: %s", got)
	}
	p, _ = pressed(p, "esc")
	if p.from != 0 || p.to != 0 {
		t.Error("esc keeps the selection")
	}
}

// A line that is selected stays what is selected when older ones go.
func TestSelectionIsEvicted(t *testing.T) {
	p := newLogs(DefaultKeys(), time.UTC, 100, 1<<16)
	p = p.AppendLines(numbered(0, 100)).(Logs)
	p = press(p, 100, 24, "m", "k", "k")
	p = p.AppendLines(numbered(100, 198)).(Logs)
	_, want := pressed(p, "c")
	if c, ok := want.(Copy); !ok || c.What != "2 lines" || !strings.Contains(c.Text, "line 99") {
		t.Errorf("after lines have gone it copies %+v", want)
	}
	p = p.AppendLines(numbered(198, 300)).(Logs)
	if _, want := pressed(p, "c"); want != (ShowMessage{"There is no line to copy."}) {
		t.Errorf("when all are gone it copies %+v", want)
	}
	p = press(p, 100, 24, "k")
	if p.to < p.view.ring.first {
		t.Error("the cursor is on a line that is gone")
	}
}

func BenchmarkFind(b *testing.B) {
	p := logOf(5000, func(i int) string {
		return fmt.Sprintf("call session=s%d tool=read_page duration=1.%dms code=ok", i, i)
	})
	for b.Loop() {
		p.view.setSearch(newSearch("code=(denied|invalid)"))
	}
}
