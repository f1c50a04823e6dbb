package prose

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// A rowBuilder fills rows of w cells with words. A row may be broken at spaces,
// beside a wide character, and where a word is longer than a row.
type rowBuilder struct {
	w    int
	rows []Row

	row         Row
	used        int
	word        Row // not placed yet: more of it may come in another kind
	wordWidth   int
	spaceBefore bool // a space stands before the word
}

// wrap breaks spans into rows of at most w cells. A newline in a span ends a
// row. There is at least one row.
func wrap(spans []Span, w int) []Row {
	c := &rowBuilder{w: max(w, 1)}
	for _, s := range spans {
		for i, line := range strings.Split(s.Text, "\n") {
			if i > 0 {
				c.flushWord()
				c.endRow()
			}
			c.add(theme.Sanitize(strings.ReplaceAll(line, "\t", "    ")), s.Kind)
		}
	}
	c.flushWord()
	c.endRow()
	return c.rows
}

func (c *rowBuilder) add(text string, kind SpanKind) {
	for text != "" {
		if n := asciiWordPrefixLen(text); n > 0 {
			c.word, c.wordWidth = append(c.word, Span{text[:n], kind}), c.wordWidth+n
			text = text[n:]
			continue
		}
		if text[0] == ' ' {
			c.flushWord()
			c.spaceBefore, text = true, text[1:]
			continue
		}
		cluster, cells := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		text = text[len(cluster):]
		cluster = limitClusterBytes(cluster)
		if cells > 1 {
			c.flushWord()
		}
		c.word, c.wordWidth = append(c.word, Span{cluster, kind}), c.wordWidth+cells
		if cells > 1 {
			c.flushWord()
		}
	}
}

// asciiWordPrefixLen is how many bytes at the beginning of text are printable ASCII
// without a space, and the rune after them none that could join the last.
func asciiWordPrefixLen(text string) int { return asciiPrefixLen(text, '!') }

// asciiTextPrefixLen is asciiWordPrefixLen with its spaces.
func asciiTextPrefixLen(text string) int { return asciiPrefixLen(text, ' ') }

// maxASCIIPrefixBytes bounds what is looked at in one go, for a line may be as long as
// a page.
const maxASCIIPrefixBytes = 256

func asciiPrefixLen(text string, from byte) int {
	n := 0
	for n < min(len(text), maxASCIIPrefixBytes) && text[n] >= from && text[n] < 0x7f {
		n++
	}
	if n < len(text) && text[n] >= utf8.RuneSelf && n > 0 {
		n-- // the last may carry an accent that follows
	}
	return n
}

// limitClusterBytes bounds the accents on one letter, which take bytes and no cells.
func limitClusterBytes(cluster string) string {
	const most = 20
	if len(cluster) <= most {
		return cluster
	}
	n := most
	for !utf8.RuneStart(cluster[n]) {
		n--
	}
	return cluster[:n]
}

// flushWord puts the word into the row, or into the next.
func (c *rowBuilder) flushWord() {
	if len(c.word) == 0 {
		return
	}
	gap := 0
	if c.spaceBefore && c.used > 0 {
		gap = 1
	}
	if c.used > 0 && c.used+gap+c.wordWidth > c.w {
		c.endRow()
		gap = 0
	}
	if gap == 1 {
		space := Span{" ", Body}
		if last := c.row[len(c.row)-1].Kind; last == c.word[0].Kind {
			space.Kind = last
		}
		c.appendSpan(space, 1)
	}
	for _, s := range c.word {
		c.addPiece(s)
	}
	c.word, c.wordWidth, c.spaceBefore = c.word[:0], 0, false
}

// addPiece puts a piece of a word into the row, and what is too long into the
// next ones.
func (c *rowBuilder) addPiece(s Span) {
	cells := theme.Width(s.Text)
	if c.used+cells <= c.w {
		c.appendSpan(s, cells)
		return
	}
	for text := s.Text; text != ""; {
		cluster, cells := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		if c.used > 0 && c.used+cells > c.w {
			c.endRow()
		}
		c.appendSpan(Span{cluster, s.Kind}, cells)
		text = text[len(cluster):]
	}
}

// appendSpan takes no character that has no cell of its own: there may be a
// page full of them in one row.
func (c *rowBuilder) appendSpan(s Span, cells int) {
	if cells == 0 {
		return
	}
	c.used += cells
	if last := len(c.row) - 1; last >= 0 && c.row[last].Kind == s.Kind {
		c.row[last].Text += s.Text
		return
	}
	c.row = append(c.row, s)
}

func (c *rowBuilder) endRow() {
	c.rows, c.row, c.used, c.spaceBefore = append(c.rows, c.row), nil, 0, false
}

// width is how many cells a row takes.
func (r Row) width() int {
	n := 0
	for _, s := range r {
		n += theme.Width(s.Text)
	}
	return n
}
