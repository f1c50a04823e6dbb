package pane

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// View implements [Pane].
func (p Logs) View(t theme.Theme, w, h int) string {
	s := Section{Title: "Logs", Note: p.note(), Rows: func(w, h int) []string {
		sign, field, hint := "", TextInput{}, ""
		switch p.mode {
		case reading:
			return p.draw(t, w, h)
		case filtering:
			sign, field, hint = "/ ", p.filter, "text that lines must have; small letters find capitals too"
		case finding:
			sign, field, hint = "F ", p.find, "expression to find, such as code=(denied|invalid)"
		case namingFile:
			sign, field, hint = "file ", p.file, "a new file for the whole log, such as ~/lectern.txt; empty: one of Lectern's own"
		}
		return append(PadRows(p.draw(t, w, h-1), w, h-1), t.Key.Text(sign)+field.Draw(t, w-len(sign), true, hint))
	}}
	return strings.Join(Stack(t, w, h, Framed(w, h), s), "\n")
}

// inside is the room for rows in a pane of w by h cells.
func (p Logs) inside(w, h int) (int, int) {
	if p.mode != reading {
		h--
	}
	if Framed(w, h) {
		return w - 4, max(1, h-2)
	}
	return w, max(1, h-1)
}

// note says what is shown of the log, and what is not.
func (p Logs) note() string {
	l := p.view.filter
	words := []string{"paused"}
	if p.follow {
		words[0] = "following"
	}
	if l.Text != "" {
		words = append(words, "“"+l.Text+"”")
	}
	if found := p.hitSummary(); found != "" {
		words = append(words, found)
	}
	if l.Part != "" {
		words = append(words, "part "+l.Part)
	}
	if l.Client != "" {
		words = append(words, "client "+l.Client)
	}
	if l.Level == debugLevel {
		words = append(words, "all levels")
	} else {
		words = append(words, string(l.Level.status())+" and up")
	}
	if p.left > 0 && !p.wrap {
		words = append(words, fmt.Sprintf("from column %d", p.left+1))
	}
	all := p.view.ring.next - p.view.ring.first
	if n := uint64(p.view.len()); n != all {
		return strings.Join(append(words, fmt.Sprintf("%s of %s", Count(n), Plural(all, "line"))), " · ")
	}
	return strings.Join(append(words, Plural(all, "line")), " · ")
}

// rows are the rows in sight.
func (p Logs) rows(w, h int) []rowPosition {
	var rows []rowPosition
	for s := p.firstVisible(w, h); s.i < p.view.len() && len(rows) < h; {
		rows = append(rows, s)
		next := p.stepRows(s, 1, w)
		if next == s {
			break
		}
		s = next
	}
	return rows
}

func (p Logs) draw(t theme.Theme, w, h int) []string {
	if p.view.len() == 0 {
		return []string{t.Dim.Text(p.emptyText())}
	}
	out := make([]string, 0, h)
	for _, s := range p.rows(w, h) {
		out = append(out, p.drawRow(t, s, w))
	}
	return out
}

func (p Logs) emptyText() string {
	if p.view.ring.next == p.view.ring.first {
		return "The log is empty."
	}
	return "No line passes the filter."
}

func (p Logs) drawRow(t theme.Theme, s rowPosition, w int) string {
	r := p.view.ring
	l := r.line(p.view.at(s.i))
	if l.level == remarkLevel {
		return t.Dim.Cut(string(r.text(l)), w)
	}
	n, lead := p.view.at(s.i), p.prefixWidth(w)
	selected := p.from != 0 && min(p.from, p.to) <= n && n <= max(p.from, p.to)
	if selected {
		t = t.Selected()
	}
	var text string
	if p.wrap {
		text = p.view.wrapped(n, w-lead)[s.row]
	} else {
		text = sliceCells(r.text(l), p.left, w-lead)
	}
	row := t.Text.Text(strings.Repeat(" ", lead)) + p.highlightFilter(t, text)
	if s.row == 0 {
		row = p.prefix(t, l, n, w) + p.highlightFilter(t, text)
	}
	if selected {
		return FillRow(t, row, w)
	}
	return row
}

// partCells is how wide the column of parts is.
const partCells = 10

// prefixWidth is how wide the columns before the text are.
func (p Logs) prefixWidth(w int) int {
	n := 2
	if w >= FramedWidth-4 {
		n = len("error ") + partCells + 1
	}
	if cells := p.timestampWidth(w); cells > 0 {
		n += cells + 1
	}
	return n
}

func (p Logs) prefix(t theme.Theme, l *ringLine, n uint64, w int) string {
	at, sign := n == p.view.search.at, " "
	switch {
	case n == p.from, n == p.to:
		sign = t.Match.Text("▸")
	case at:
		sign = t.Accent.Text("›")
	}
	var b strings.Builder
	stamp := t.Dim
	if at {
		stamp = t.Accent // the hit that was gone to
	}
	if p.timestamps != noTimes {
		b.WriteString(stamp.Text(p.timestamp(l, w)))
		b.WriteString(sign)
	}
	word := string(l.level.status())
	if w < FramedWidth-4 {
		b.WriteString(t.Level(l.level.status()).Text(strings.ToUpper(word[:1])))
		b.WriteByte(' ')
		return b.String()
	}
	b.WriteString(t.Level(l.level.status()).Fit(word, len("error ")))
	b.WriteString(t.Dim.Fit(p.view.ring.parts[l.part], partCells))
	b.WriteByte(' ')
	return b.String()
}

// highlightFilter paints text, which is plain already, and in it what the filter found.
func (p Logs) highlightFilter(t theme.Theme, text string) string {
	l := p.view.filter
	switch {
	case p.view.search.pattern != nil:
		return p.highlightHits(t, text)
	case l.Text == "":
		return t.Text.Text(text)
	}
	var b strings.Builder
	for {
		i := l.Find([]byte(text))
		if i < 0 {
			b.WriteString(t.Text.Text(text))
			return b.String()
		}
		b.WriteString(t.Text.Text(text[:i]))
		b.WriteString(t.Match.Text(text[i : i+len(l.Text)]))
		text = text[i+len(l.Text):]
	}
}

// height is how many rows the i-th line takes.
func (p Logs) height(i, w int) int {
	r := p.view.ring
	l := r.line(p.view.at(i))
	if !p.wrap || l.level == remarkLevel {
		return 1
	}
	if room := w - p.prefixWidth(w); int(l.size) > room {
		return len(p.view.wrapped(p.view.at(i), room))
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
