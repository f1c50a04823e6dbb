package logview

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/widget"
)

func logOf(n int, text func(i int) string) View {
	p := testView(5000, 1<<20)
	lines := make([]status.Line, n)
	for i := range lines {
		lines[i] = status.Line{Seq: uint64(i + 1), Level: status.Info, Component: "hub", Time: time.Unix(int64(i), 0), Text: text(i)}
	}
	return p.Append(lines)
}

// pressed presses keys in the usual view.
func pressed(p View, keys ...string) View { return press(p, 96, 22, keys...) }

func typed(p View, text string) View {
	for _, c := range text {
		p = pressed(p, string(c))
	}
	return p
}

func TestFind(t *testing.T) {
	p := logOf(1000, func(i int) string {
		return fmt.Sprintf("call number=%d code=%s", i, []string{"ok", "Denied", "ok"}[i%3])
	})
	p = pressed(p, "F")
	p = typed(p, "code=d.nied$")
	if got := p.Summary(); !strings.Contains(got, "333 matches") {
		t.Errorf("while typing the note is %q", got)
	}
	p = pressed(p, "enter")
	for i, want := range []struct{ key, says, line string }{
		{"", "333 of 333", "number=997 "},
		{"N", "332 of 333", "number=994 "},
		{"n", "333 of 333", "number=997 "},
		{"n", "1 of 333", "number=1 "},
		{"N", "333 of 333", "number=997 "},
	} {
		if want.key != "" {
			p = pressed(p, want.key)
		}
		seen := strings.Join(shown(p, 96, 22), "\n")
		if !strings.Contains(p.Summary(), want.says) || !strings.Contains(seen, want.line) {
			t.Errorf("%d: note %q, screen:\n%s", i, p.Summary(), seen)
		}
	}
	p = p.Append([]status.Line{{Seq: 1001, Level: status.Info, Component: "hub", Text: "code=denied"}})
	if !strings.Contains(p.Summary(), "of 334") {
		t.Errorf("a line that came is not searched: %q", p.Summary())
	}
	p = pressed(p, "esc")
	if p.log.search.pattern != nil {
		t.Error("esc does not clear the search")
	}
}

func TestFindSaysWhatIsWrong(t *testing.T) {
	p := logOf(10, func(int) string { return "x" })
	p = pressed(p, "F")
	p = typed(p, "a(b")
	if got := p.Summary(); !strings.Contains(got, "missing closing )") {
		t.Errorf("note %q", got)
	}
	p = pressed(p, "enter")
	if p.DisabledReason(tea.KeyPressMsg{Text: "n", Code: 'n'}) == "" {
		t.Error("n works without a search")
	}
	if p = typed(logOf(1, func(int) string { return "x" }), "F.*"); strings.Contains(p.Summary(), "match") {
		t.Errorf("an expression that is found in nothing at all: %q", p.Summary())
	}
}

// What the search notes is what a look at every kept line finds, however lines
// come and go and the filter changes.
func TestFindKeepsUp(t *testing.T) {
	p := testView(300, 8000)
	p.log.setSearch(newSearch("[37]$"))
	re := regexp.MustCompile("[37]$")
	for i := range 3000 {
		level := []status.Level{status.Debug, status.Info, status.Warn}[i%3]
		p = p.Append([]status.Line{{Seq: uint64(i + 1), Level: level, Component: "hub", Text: fmt.Sprintf("%*d", i%40, i)}})
		if i%500 == 250 {
			p = pressed(p, "v")
		}
		var want []uint64
		for j := range p.log.len() {
			if n := p.log.at(j); n >= p.log.ring.first && re.Match(p.log.ring.text(p.log.ring.line(n))) {
				want = append(want, n)
			}
		}
		if got := p.log.liveHits(); !slices.Equal(got, want) {
			t.Fatalf("after %d lines: %v, want %v", i+1, got, want)
		}
	}
}

// TestSelection copies from the mark to the cursor, in both directions and
// beyond what was visible, and only that.
func TestSelection(t *testing.T) {
	copied := func(p View) string {
		text, n := p.Selection(96, 22)
		lines := strings.Split(strings.TrimSpace(text), "\n")
		first, last := lines[0], lines[len(lines)-1]
		return widget.Plural(n, "line") + ": " + first[strings.Index(first, "line-"):] + " " + last[strings.Index(last, "line-"):]
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
		p = pressed(p, strings.Split(keys, "")...)
		if got := copied(p); got != want {
			t.Errorf("%q copied %s, want %s", keys, got, want)
		}
		if rows := p.rows(96, 22); p.from != 0 && (p.log.at(rows[0].i) > p.to || p.log.at(rows[len(rows)-1].i) < p.to) {
			t.Errorf("%q: the cursor is out of sight", keys)
		}
	}
	p := logOf(500, func(i int) string { return fmt.Sprintf("line-%d. %s", i, []string{"even", "odd"}[i%2]) })
	p = pressed(p, "m", "k", "k", "k", "/")
	p = pressed(typed(p, "even"), "enter")
	if got := copied(p); got != "2 lines: line-496. even line-498. even" {
		t.Errorf("what the filter hides is copied: %s", got)
	}
	p = pressed(p, "esc")
	if p.from != 0 || p.to != 0 {
		t.Error("esc keeps the selection")
	}
}

// A line that is selected stays what is selected when older ones go.
func TestSelectionIsEvicted(t *testing.T) {
	p := testView(100, 1<<16)
	p = p.Append(numbered(0, 100))
	p = press(p, 96, 22, "m", "k", "k")
	p = p.Append(numbered(100, 198))
	if text, n := p.Selection(96, 22); n != 2 || !strings.Contains(text, "line 99") {
		t.Errorf("after lines have gone it copies %q", text)
	}
	p = p.Append(numbered(198, 300))
	if text, n := p.Selection(96, 22); n != 0 {
		t.Errorf("when all are gone it copies %q", text)
	}
	p = press(p, 96, 22, "k")
	if p.to < p.log.ring.first {
		t.Error("the cursor is on a line that is gone")
	}
}

func BenchmarkFind(b *testing.B) {
	p := logOf(5000, func(i int) string {
		return fmt.Sprintf("call session=s%d tool=read_page duration=1.%dms code=ok", i, i)
	})
	for b.Loop() {
		p.log.setSearch(newSearch("code=(denied|invalid)"))
	}
}
