package logview

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// TestRing compares the ring with a list that forgets nothing.
func TestRing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, size := range []struct{ lines, bytes int }{{5, 1000}, {1000, 100}, {50, 777}, {1, 16}} {
		r := newRing(size.lines, size.bytes)
		all := []string{""}
		for n := uint64(1); n < 5000; n++ {
			text := strings.Repeat(string(rune('a'+n%26)), rnd.IntN(min(40, size.bytes/4+1)))
			if got := r.add(ringLine{time: time.Unix(int64(n), 0), level: infoLevel, component: "hub", text: text}); got != firstLineNumber+n-1 {
				t.Fatalf("line %d has number %d", n, got)
			}
			all = append(all, text)
			kept := 0
			for i := r.first - firstLineNumber + 1; i < r.next-firstLineNumber+1; i++ {
				l := r.line(firstLineNumber + i - 1)
				if got := l.text; got != all[i] || l.time.Unix() != int64(i) {
					t.Fatalf("%+v: line %d is %q, want %q", size, i, got, all[i])
				}
				kept += len(all[i])
			}
			if r.next != firstLineNumber+n || r.next-r.first > uint64(size.lines) || kept > size.bytes || r.first > firstLineNumber+n-1 {
				t.Fatalf("%+v: after %d lines it keeps %d to %d, %d bytes", size, n, r.first, r.next, kept)
			}
		}
	}
}

func TestRingCutsHugeLines(t *testing.T) {
	r := newRing(10, 1<<20)
	n := r.add(ringLine{text: strings.Repeat("会", 1<<20)})
	if text := r.line(n).text; len(text) > maxLineBytes || !strings.HasSuffix(text, "会…") {
		t.Errorf("%d bytes, ending %q", len(text), text[len(text)-8:])
	}
}

func TestRingBoundsParts(t *testing.T) {
	r := newRing(10, 1000)
	for i := range maxComponents * 2 {
		r.add(ringLine{component: fmt.Sprint(i)})
	}
	if len(r.components) != maxComponents {
		t.Errorf("%d parts", len(r.components))
	}
}

// TestView compares the index, which grows and narrows, with a look at all.
func TestView(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	v := &filteredLog{ring: newRing(200, 4000)}
	words := []string{"open", "Open", "page", "vault", "session", "ope", "p"}
	for i := range 4000 {
		n := v.ring.add(ringLine{level: level(rnd.IntN(5)), component: words[rnd.IntN(3)], text: words[rnd.IntN(len(words))] + words[rnd.IntN(len(words))]})
		v.addLine(n)
		if i%37 == 0 {
			needle := append(words, "", "", "o", "op", "pag")[rnd.IntN(len(words)+5)]
			v.setFilter(filter{level: level(rnd.IntN(4)), component: append(words[:3:3], "", "")[rnd.IntN(5)], text: needle})
		}
		var want []uint64
		for n := v.ring.first; n < v.ring.next; n++ {
			if v.filter.matches(v.ring, n) {
				want = append(want, n)
			}
		}
		if d := cmp.Diff(want, append([]uint64(nil), v.numbers[v.head:]...)); d != "" {
			t.Fatalf("after %d lines, filter %+v:\n%s", i, v.filter, d)
		}
	}
}

// testView is a View that keeps so many lines and bytes.
func testView(lines, size int) View {
	return newView(widget.DefaultNavKeys(), DefaultLogKeys(), time.UTC, lines, size)
}

// shown is what p draws in h rows of w cells, without the time of the tests.
func shown(p View, w, h int) []string {
	rows := widget.PadRows(p.Draw(theme.Theme{}, w, h), w, h)
	for i := range rows {
		rows[i] = strings.TrimPrefix(strings.TrimRight(ansi.Strip(rows[i]), " "), "00:00:00 ")
	}
	return rows
}

// press presses keys in a view of w by h cells.
func press(p View, w, h int, keys ...string) View {
	for _, k := range keys {
		msg := tea.KeyPressMsg{Text: k, Code: []rune(k)[0]}
		switch k {
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "esc":
			msg = tea.KeyPressMsg{Code: tea.KeyEscape}
		}
		p, _ = p.HandleKey(msg, w, h)
	}
	return p
}

func numbered(from, to int) []status.Line {
	var lines []status.Line
	for i := from; i < to; i++ {
		lines = append(lines, status.Line{Seq: uint64(i + 1), Component: "hub", Text: fmt.Sprintf("line %d", i)})
	}
	return lines
}

// TestEvictionDoesNotMoveTheView: what is visible stays as long as it is kept,
// wherever the lines before it go.
func TestEvictionDoesNotMoveTheView(t *testing.T) {
	p := testView(100, 1<<16)
	p = p.Append(numbered(0, 100))
	p = press(p, 49, 5, "k", "k", "k")
	want := []string{"I line 92", "I line 93", "I line 94", "I line 95", "I line 96"}
	for i := 100; i < 190; i++ {
		if d := cmp.Diff(want, shown(p, 49, 5)); d != "" {
			t.Fatalf("after line %d:\n%s", i, d)
		}
		p = p.Append(numbered(i, i+1))
	}
	p = p.Append(numbered(190, 250))
	if got := shown(p, 49, 5)[0]; got != "I line 150" {
		t.Errorf("when all in sight is gone it shows %q first, want the oldest", got)
	}
}

func TestGapsAreSaid(t *testing.T) {
	p := testView(100, 1<<16)
	p = p.Append([]status.Line{{Seq: 1, Text: "one"}, {Seq: 14, Text: "two", Missed: 12}, {Seq: 15, Text: "three"}, {Seq: 1, Text: "anew"}})
	want := []string{"I one", "… 12 lines dropped …", "I two", "I three", "… the hub restarted …", "I anew", ""}
	if d := cmp.Diff(want, shown(p, 49, 7)); d != "" {
		t.Error(d)
	}
	p = press(p, 49, 7, "/", "o", "n")
	if got := shown(p, 49, 7)[:2]; got[1] != "… 12 lines dropped …" {
		t.Errorf("a filter hides the gap: %q", got)
	}
}

func TestWrapAndSideways(t *testing.T) {
	p := testView(100, 1<<16)
	p = p.Append([]status.Line{{Seq: 1, Text: "0123456789会議会議会議会議会議会議会議会議会議!"}})
	if d := cmp.Diff([]string{"I 0123456789会議会議会議会議会議会議会…", ""}, shown(p, 49, 2)); d != "" {
		t.Error(d)
	}
	moved := press(p, 49, 2, "l")
	if got := shown(moved, 49, 2)[0]; got != "I 89会議会議会議会議会議会議会議会議会…" {
		t.Errorf("scrolled: %q", got)
	}
	moved = moved.Append(numbered(5, 6))
	if moved.left != sidewaysScrollCells {
		t.Error("a new line takes the view back to the left")
	}
	p = press(p, 49, 3, "w")
	if d := cmp.Diff([]string{"I 0123456789会議会議会議会議会議会議会議", "           会議会議!", "I line 5"}, shown(p, 49, 3)); d != "" {
		t.Error(d)
	}
	p = press(p, 49, 2, "g", "j")
	if d := cmp.Diff([]string{"           会議会議!", "I line 5"}, shown(p, 49, 2)); d != "" {
		t.Error(d)
	}
}

// TestScrolling walks through wrapped lines row by row, there and back.
func TestScrolling(t *testing.T) {
	p := testView(100, 1<<16)
	var lines []status.Line
	for i := range 40 {
		lines = append(lines, status.Line{Seq: uint64(i + 1), Text: strings.Repeat(string(rune('a'+i%26)), 1+i*7%90)})
	}
	p = press(p.Append(lines), 40, 8, "w")
	var down []string
	for p = press(p, 40, 8, "g"); !p.follow; p = press(p, 40, 8, "j") {
		down = append(down, shown(p, 40, 8)[0])
	}
	var up []string
	p = press(p, 40, 8, " ")
	for range down {
		up = append(up, shown(p, 40, 8)[0])
		p = press(p, 40, 8, "k")
	}
	for i := range up {
		if up[i] != down[len(down)-1-i] {
			t.Fatalf("row %d from the end: %q on the way up, %q on the way down", i, up[i], down[len(down)-1-i])
		}
	}
}

// A person who has found something by a filter sees what stands around it when
// the filter is cleared, and copies what is visible.
func TestPlaceOutlivesTheFilter(t *testing.T) {
	p := testView(1000, 1<<20).Append(numbered(0, 500))
	p = pressed(p, "/", "l", "i", "n", "e", " ", "2", "5", "0", "enter", "k", "esc")
	text, n := p.VisibleText(96, 22)
	if lines := strings.Split(text, "\n"); n != 22 || !strings.HasSuffix(lines[0], " line 250") || !strings.HasSuffix(lines[21], " line 271") {
		t.Errorf("%d lines are visible:\n%s", n, text)
	}
}

// BenchmarkLogs draws a frame over 1,000,000 lines that went through: with the
// usual ring, and with one that keeps them all.
func BenchmarkLogs(b *testing.B) {
	for _, c := range []struct {
		name         string
		lines, bytes int
		keys         []string
	}{
		{"kept=20000", MaxLogLines, maxLogBytes, nil},
		{"kept=20000/wrap", MaxLogLines, maxLogBytes, []string{"w"}},
		{"kept=20000/filter", MaxLogLines, maxLogBytes, []string{"/", "p", "a", "g", "e"}},
		{"kept=1000000", 1_000_000, 160 << 20, nil},
	} {
		p := testView(c.lines, c.bytes)
		line := status.Line{Level: status.Info, Component: "welcome", Text: "call done tool=markdown_read_page session=12 page=日本語/会議 duration_ms=2 bytes=1840 and a little more"}
		batch := make([]status.Line, 1000)
		for i := range 1000 {
			for j := range batch {
				line.Seq = uint64(i*1000 + j + 1)
				batch[j] = line
			}
			p = p.Append(batch)
		}
		p = press(p, 136, 41, c.keys...)
		th := theme.New(theme.Mode{Dark: true})
		b.Run("frame/"+c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = p.Draw(th, 136, 41)
			}
		})
		b.Run("append+frame/"+c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				line.Seq++
				p = p.Append([]status.Line{line})
				_ = p.Draw(th, 136, 41)
			}
		})
		b.Run("refilter/"+c.name, func(b *testing.B) {
			for b.Loop() {
				p.log.setFilter(filter{text: "xyz"})
				p.log.setFilter(filter{})
			}
		})
	}
}

// What is hidden by a filter while the log is paused leaves no empty room: the last
// page is full as long as there are lines for it.
func TestFilterWhilePausedFillsThePage(t *testing.T) {
	p := testView(1000, 1<<20)
	p = p.Append(numbered(0, 400))
	p = press(p, 49, 10, "f") // paused at the end
	p = press(p, 49, 10, "/", "9")
	if got := shown(p, 49, 10); got[9] == "" || got[9] != "I line 399" {
		t.Errorf("hits on the page:\n%s", strings.Join(got, "\n"))
	}
	p = press(p, 49, 10, "enter", "k", "esc")
	if got := shown(p, 49, 10); got[0] == "" || got[9] == "" {
		t.Errorf("without the filter:\n%s", strings.Join(got, "\n"))
	}
}

// Lines from before are put before the others, whatever is on the screen stays, and
// days are told apart. What a person looks at is not pushed out by new lines.
func TestOlderLines(t *testing.T) {
	p := testView(40, 1<<16)
	at := func(i int) time.Time { return time.Date(2026, 11, 21, 0, 0, i*60, 0, time.UTC) }
	line := func(i int) status.Line {
		return status.Line{Time: at(i), Component: "hub", Text: fmt.Sprintf("line %d", i)}
	}
	live := func(from, to int) (all []status.Line) {
		for i := from; i < to; i++ {
			l := line(i)
			l.Seq = uint64(i + 1000)
			all = append(all, l)
		}
		return all
	}
	older := func(from, to int) (all []status.Line) {
		for i := from; i < to; i++ {
			all = append(all, line(i))
		}
		return all
	}
	p = p.Append(live(0, 30))
	p = press(p, 49, 5, "k", "g")
	before, until, wanted := p.OlderReadPosition(5)
	if before != "" || !until.Equal(at(0)) || !wanted {
		t.Fatalf("wants what is before %q, %v: %v", before, until, wanted)
	}
	want := shown(p, 49, 5)
	p = p.Prepend(older(-30, 0), "place")
	if d := cmp.Diff(want, shown(p, 49, 5)); d != "" {
		t.Errorf("the view has moved:\n%s", d)
	}
	p = press(p, 49, 5, "k", "k")
	if got := shown(p, 49, 5); got[0] != "I line -1" && got[0] != "23:59:00 I line -1" || !strings.Contains(got[1], "Saturday 21 November 2026") {
		t.Errorf("before it:\n%s", strings.Join(got, "\n"))
	}
	p = p.Append(live(30, 90))
	p = press(p, 49, 5, "g")
	if got := shown(p, 49, 2); !strings.HasSuffix(got[0], "line -30") {
		t.Errorf("new lines have pushed out what is looked at: %q", got)
	}
	if before, _, _ := p.OlderReadPosition(5); before != "place" {
		t.Errorf("goes on from %q", before)
	}
	p = p.Prepend(older(-31, -30), "")
	if _, _, wanted := p.OlderReadPosition(5); wanted || p.log.ring.len() != 122 {
		t.Errorf("%d lines, wants more: %v", p.log.ring.len(), wanted)
	}
	p = press(p, 49, 5, "G")
	for i := 90; i < 1000; i++ {
		p = p.Append(live(i, i+1))
	}
	if n := len(p.log.ring.lines); n > 400 {
		t.Errorf("while it follows it keeps %d lines", n)
	}
	if _, until, _ := p.OlderReadPosition(1 << 30); until.Before(at(90)) {
		t.Errorf("what was pushed out is read again from %v", until)
	}
}

// What stands between the lines, such as the day, is no line that was found.
func TestRemarksAreNotCounted(t *testing.T) {
	v := New(widget.DefaultNavKeys(), DefaultLogKeys(), time.UTC)
	day := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	v = v.Append([]status.Line{
		{Seq: 1, Time: day, Level: status.Info, Text: "one"}, {Seq: 2, Time: day.AddDate(0, 0, 1), Level: status.Warn, Text: "two"},
	})
	if got := v.Summary(); !strings.HasSuffix(got, " 2 lines") {
		t.Errorf("of two lines on two days: %q", got)
	}
	v.log.setFilter(filter{level: failLevel})
	if got := v.Summary(); !strings.HasSuffix(got, " 0 of 2 lines") {
		t.Errorf("of none: %q", got)
	}
}
