package logview

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// Draw draws the visible rows, at most h of at most w cells, and below them the
// line in which a person types.
func (v View) Draw(t theme.Theme, w, h int) []string {
	label, input, hint := "/ ", v.filter.TextInput, "text to filter by; lower case matches any case"
	switch {
	case v.finding:
		label, input, hint = "F ", v.find, "regular expression, such as code=(denied|invalid)"
	case !v.filter.Typing:
		return v.draw(t, w, h)
	}
	return append(widget.PadRows(v.draw(t, w, h-1), w, h-1), t.Key.Text(label)+input.Draw(t, w-len(label), true, hint))
}

// rowsIn is how many of h rows show the log.
func (v View) rowsIn(h int) int {
	if v.Typing() {
		h--
	}
	return max(1, h)
}

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
	if found := v.log.hitSummary(); found != "" {
		words = append(words, found)
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
		words = append(words, string(f.level.status())+" and up")
	}
	if v.left > 0 && !v.wrap {
		words = append(words, fmt.Sprintf("from column %d", v.left+1))
	}
	all := widget.Plural(v.log.ring.next-v.log.ring.first, "line")
	if n := uint64(v.log.len()); n != v.log.ring.next-v.log.ring.first {
		all = widget.Count(n) + " of " + all
	}
	return strings.Join(append(words, all), " · ")
}

// rows are the visible rows.
func (v View) rows(w, h int) []rowPosition {
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

func (v View) draw(t theme.Theme, w, h int) []string {
	if v.log.len() == 0 {
		return []string{t.Dim.Text(v.log.emptyText())}
	}
	out := make([]string, 0, h)
	for _, s := range v.rows(w, h) {
		out = append(out, v.drawRow(t, s, w))
	}
	return out
}

func (v *filteredLog) emptyText() string {
	if v.ring.next == v.ring.first {
		return "The log is empty."
	}
	return "No lines match the filter."
}

func (v View) drawRow(t theme.Theme, s rowPosition, w int) string {
	r := v.log.ring
	l := r.line(v.log.at(s.i))
	if l.level == remarkLevel {
		return t.Dim.Cut(string(r.text(l)), w)
	}
	n, lead := v.log.at(s.i), v.prefixWidth(w)
	selected := v.from != 0 && min(v.from, v.to) <= n && n <= max(v.from, v.to)
	if selected {
		t = t.Selected()
	}
	var text string
	if v.wrap {
		text = v.log.wrapped(n, w-lead)[s.row]
	} else {
		text = sliceCells(r.text(l), v.left, w-lead)
	}
	row := t.Text.Text(strings.Repeat(" ", lead)) + v.log.highlightFilter(t, text)
	if s.row == 0 {
		row = v.prefix(t, l, n, w) + v.log.highlightFilter(t, text)
	}
	if selected {
		return widget.FillRow(t, row, w)
	}
	return row
}

// componentWidth is the width of the column of components.
const componentWidth = 10

// prefixWidth is how wide the columns before the text are.
func (v View) prefixWidth(w int) int {
	n := 2
	if w >= widget.FramedWidth-4 {
		n = len("error ") + componentWidth + 1
	}
	if cells := v.timestampWidth(w); cells > 0 {
		n += cells + 1
	}
	return n
}

func (v View) prefix(t theme.Theme, l *ringLine, n uint64, w int) string {
	at, sign := n == v.log.search.at, " "
	switch {
	case n == v.from, n == v.to:
		sign = t.Match.Text("▸")
	case at:
		sign = t.Accent.Text("›")
	}
	var b strings.Builder
	stamp := t.Dim
	if at {
		stamp = t.Accent // the match that was gone to
	}
	if v.timestamps != noTimes {
		b.WriteString(stamp.Text(v.timestamp(l, w)))
		b.WriteString(sign)
	}
	word := string(l.level.status())
	if w < widget.FramedWidth-4 {
		b.WriteString(t.Level(l.level.status()).Text(strings.ToUpper(word[:1])))
		b.WriteByte(' ')
		return b.String()
	}
	b.WriteString(t.Level(l.level.status()).Fit(word, len("error ")))
	b.WriteString(t.Dim.Fit(v.log.ring.components[l.component], componentWidth))
	b.WriteByte(' ')
	return b.String()
}

// highlightFilter paints text, which is plain already, and in it what the
// filter found.
func (v *filteredLog) highlightFilter(t theme.Theme, text string) string {
	f := v.filter
	switch {
	case v.search.pattern != nil:
		return v.highlightHits(t, text)
	case f.text == "":
		return t.Text.Text(text)
	}
	var b strings.Builder
	for {
		i := widget.Index([]byte(text), f.text)
		if i < 0 {
			b.WriteString(t.Text.Text(text))
			return b.String()
		}
		b.WriteString(t.Text.Text(text[:i]))
		b.WriteString(t.Match.Text(text[i : i+len(f.text)]))
		text = text[i+len(f.text):]
	}
}

// height is how many rows the i-th line takes.
func (v View) height(i, w int) int {
	r := v.log.ring
	l := r.line(v.log.at(i))
	if !v.wrap || l.level == remarkLevel {
		return 1
	}
	if room := w - v.prefixWidth(w); int(l.size) > room {
		return len(v.log.wrapped(v.log.at(i), room))
	}
	return 1
}

// sliceCells is what is seen of plain text in w cells from cell left on. It looks
// at no more of the text than that takes, or a log of huge lines would be slow.
func sliceCells(text []byte, left, w int) string {
	const most = 8 // bytes a cell; where there are more, less is seen
	w = max(1, w)
	seen := text[:min(len(text), (left+w+1)*most)]
	if ascii(seen) {
		seen = seen[min(left, len(seen)):]
		if len(seen) > w {
			return string(seen[:w-1]) + "…"
		}
		return string(seen)
	}
	s := strings.ToValidUTF8(string(seen), "") // a rune may be cut at its end
	if left > 0 {
		s = ansi.TruncateLeft(s, left, "")
	}
	return ansi.Truncate(s, w, "…")
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
