package logview

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// Summary says what is shown of the log, and what is not.
func (v View) Summary() string {
	f := v.log.filter
	words := []string{"paused"}
	if v.follow {
		words[0] = "following"
	}
	if f.text != "" {
		words = append(words, "“"+f.text+"”")
	}
	if f.component != "" {
		words = append(words, "component "+f.component)
	}
	if f.client != "" {
		words = append(words, "client "+f.client)
	}
	if f.level == debugLevel {
		words = append(words, "all levels")
	} else {
		words = append(words, string(f.level.statusLevel())+" and up")
	}
	if v.left > 0 && !v.wrap {
		words = append(words, fmt.Sprintf("from column %d", v.left+1))
	}
	kept := int(v.log.ring.len()) - v.log.ring.remarks
	all := widget.CountWithNoun(kept, "line")
	if !v.olderDone && v.olderNext != "" {
		all = widget.FormatCount(kept) + "+ lines"
	}
	if n := v.log.len() - v.log.ring.remarks; n != kept { // no filter hides a remark
		all = widget.FormatCount(n) + " of " + all
	}
	return strings.Join(append(words, all), " · ")
}

// visibleRows are the visible rows.
func (v View) visibleRows(w, h int) []rowPosition {
	var rows []rowPosition
	for s := v.firstVisible(w, h); s.i < v.log.len() && len(rows) < h; {
		rows = append(rows, s)
		next := v.stepRows(s, 1, w)
		if next == s {
			break
		}
		s = next
	}
	return rows
}

// Draw draws the visible rows, at most h of at most w cells.
func (v View) Draw(t theme.Theme, w, h int) []string {
	if v.log.len() == 0 {
		return t.Dim.Wrap(v.emptyText(), w)
	}
	out := make([]string, 0, h)
	for _, s := range v.visibleRows(w, h) {
		out = append(out, v.drawRow(t, s, w))
	}
	return out
}

// emptyText says why no line is shown, and which key shows more.
func (v View) emptyText() string {
	f, hidden := v.log.filter, v.log.ring.len()
	if hidden == 0 {
		return "The log is empty."
	}
	var keys []string
	if f.text != "" {
		keys = append(keys, v.nav.Back.Help().Key+" clears “"+f.text+"”")
	}
	if part := cmp.Or(f.component, f.client); part != "" {
		keys = append(keys, v.keys.NextComponent.Help().Key+" goes on from "+part)
	}
	if f.level > debugLevel {
		keys = append(keys, v.keys.Level.Help().Key+" changes the level")
	}
	return "The filter hides all " + widget.CountWithNoun(int(hidden), "line") + ": " + strings.Join(keys, ", ") + "."
}

func (v View) drawRow(t theme.Theme, s rowPosition, w int) string {
	n := v.log.lineNumberAt(s.i)
	l := v.log.ring.line(n)
	if l.level == remarkLevel {
		return t.Dim.Cut(l.text, w)
	}
	lead := prefixWidth(w)
	var text string
	if v.wrap {
		text = v.log.wrapLine(n, w-lead)[s.row]
	} else {
		text = sliceCells(l.shownText(), v.left, w-lead)
	}
	if s.row > 0 {
		return theme.Spaces(lead) + highlight(t, text, v.log.filter.text)
	}
	return v.prefix(t, l, w) + highlight(t, text, v.log.filter.text)
}

// componentColumnWidth is the width of the column of components.
const componentColumnWidth = 10

// timeLayout is how the time of a line is written where there are w cells.
func timeLayout(w int) string {
	if w >= 100 {
		return "15:04:05.000"
	}
	return "15:04:05"
}

// prefixWidth is how wide the columns before the text are.
func prefixWidth(w int) int {
	n := len(timeLayout(w)) + 1
	if w >= widget.MinFramedWidth-4 {
		return n + len("error ") + componentColumnWidth + 1
	}
	return n + 2
}

func (v View) prefix(t theme.Theme, l *ringLine, w int) string {
	level := l.level.statusLevel()
	at, word, style := t.Dim.Text(l.time.In(v.zone).Format(timeLayout(w)))+" ", string(level), t.LogLevelStyle(level)
	if w < widget.MinFramedWidth-4 {
		return at + style.Text(strings.ToUpper(word[:1])) + " "
	}
	return at + style.Fit(word, len("error ")) + t.Dim.Fit(l.component, componentColumnWidth) + " "
}

// highlight paints text, which is harmless already, and in it what a filter
// found.
func highlight(t theme.Theme, text, filter string) string {
	var b strings.Builder
	for filter != "" {
		i := widget.PatternIndex(text, filter)
		if i < 0 {
			break
		}
		b.WriteString(t.Text.Text(text[:i]))
		b.WriteString(t.Match.Text(text[i : i+len(filter)]))
		text = text[i+len(filter):]
	}
	b.WriteString(t.Text.Text(text))
	return b.String()
}

// lineHeight is how many rows the i-th line takes.
func (v View) lineHeight(i, w int) int {
	l := v.log.ring.line(v.log.lineNumberAt(i))
	if !v.wrap || l.level == remarkLevel {
		return 1
	}
	if room := w - prefixWidth(w); len(l.shownText()) > room {
		return len(v.log.wrapLine(v.log.lineNumberAt(i), room))
	}
	return 1
}

// sliceCells is what is seen of plain text in w cells from cell left on. It looks
// at no more of the text than that takes, or a log of huge lines would be slow.
func sliceCells(text string, left, w int) string {
	const most = 8 // bytes a cell; where there are more, less is seen
	w = max(1, w)
	seen := text[:min(len(text), (left+w+1)*most)]
	if isASCII(seen) {
		seen = seen[min(left, len(seen)):]
		if len(seen) > w {
			return seen[:w-1] + "…"
		}
		return seen
	}
	s := strings.ToValidUTF8(seen, "") // a rune may be cut at its end
	if left > 0 {
		s = ansi.TruncateLeft(s, left, "")
	}
	return ansi.Truncate(s, w, "…")
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
