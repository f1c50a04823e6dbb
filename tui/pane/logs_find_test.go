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
		lines[i] = status.Line{Seq: uint64(i + 1), Level: status.Info, Part: "hub", Time: time.Unix(int64(i), 0), Text: text(i)}
	}
	return p.Read(lines).(Logs)
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
	p = p.Read([]status.Line{{Seq: 1001, Level: status.Info, Part: "hub", Text: "code=denied"}}).(Logs)
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
	if _, says := want.(Say); !says {
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
	p.view.seek(newSearch("[37]$"))
	re := regexp.MustCompile("[37]$")
	for i := range 3000 {
		level := []status.Level{status.Debug, status.Info, status.Warn}[i%3]
		p = p.Read([]status.Line{{Seq: uint64(i + 1), Level: level, Part: "hub", Text: fmt.Sprintf("%*d", i%40, i)}}).(Logs)
		if i%500 == 250 {
			p, _ = pressed(p, "v")
		}
		var want []uint64
		for j := range p.view.len() {
			if n := p.view.at(j); n >= p.view.ring.first && re.Match(p.view.ring.text(p.view.ring.line(n))) {
				want = append(want, n)
			}
		}
		if got := p.view.found(); !slices.Equal(got, want) {
			t.Fatalf("after %d lines: %v, want %v", i+1, got, want)
		}
	}
}

func TestMarkAndCopy(t *testing.T) {
	p := logOf(500, func(i int) string { return fmt.Sprintf("line-%d.", i) })
	p, _ = pressed(p, "m", "k", "k", "k", "k", "k")
	_, want := pressed(p, "c")
	c, ok := want.(Copy)
	if !ok || !strings.Contains(c.Text, "line-473.") || !strings.Contains(c.Text, "line-478.") || strings.Contains(c.Text, "line-499.") {
		t.Errorf("copied %s", c.Text)
	}
	p, _ = pressed(p, "g")
	_, want = pressed(p, "c")
	if c := want.(Copy); c.What != "479 lines" || !strings.HasPrefix(c.Text[strings.Index(c.Text, "line-"):], "line-0.") {
		t.Errorf("copied %s: %.80s", c.What, c.Text)
	}
	p, _ = pressed(p, "esc")
	_, want = pressed(p, "c")
	if c := want.(Copy); strings.Contains(c.Text, "line-100.") {
		t.Errorf("without a mark copied %s", c.What)
	}
}

func BenchmarkFind(b *testing.B) {
	p := logOf(5000, func(i int) string {
		return fmt.Sprintf("call session=s%d tool=read_page duration=1.%dms code=ok", i, i)
	})
	for b.Loop() {
		p.view.seek(newSearch("code=(denied|invalid)"))
	}
}
