package prose

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// A column fills rows of w cells with words. A row may be broken at spaces,
// beside a wide character, and where a word is longer than a row.
type column struct {
	w    int
	rows []Row

	row   Row
	used  int
	word  Row // not placed yet: more of it may come in another ink
	wordW int
	gap   bool // a space stands before the word
}

// wrap breaks spans into rows of at most w cells. A newline in a span ends a
// row. There is at least one row.
func wrap(spans []Span, w int) []Row {
	c := &column{w: max(w, 1)}
	for _, s := range spans {
		for i, line := range strings.Split(s.Text, "\n") {
			if i > 0 {
				c.place()
				c.end()
			}
			c.add(theme.Plain(strings.ReplaceAll(line, "\t", "    ")), s.Ink)
		}
	}
	c.place()
	c.end()
	return c.rows
}

func (c *column) add(text string, ink Ink) {
	for text != "" {
		if n := asciiWord(text); n > 0 {
			c.word, c.wordW = append(c.word, Span{text[:n], ink}), c.wordW+n
			text = text[n:]
			continue
		}
		if text[0] == ' ' {
			c.place()
			c.gap, text = true, text[1:]
			continue
		}
		cluster, cells := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		text = text[len(cluster):]
		cluster = brief(cluster)
		if cells > 1 {
			c.place()
		}
		c.word, c.wordW = append(c.word, Span{cluster, ink}), c.wordW+cells
		if cells > 1 {
			c.place()
		}
	}
}

// asciiWord is how many bytes at the beginning of text are printable ASCII
// without a space, and the rune after them none that could join the last.
func asciiWord(text string) int { return run(text, '!') }

// asciiRun is asciiWord with its spaces.
func asciiRun(text string) int { return run(text, ' ') }

// longestRun bounds what is looked at in one go, for a line may be as long as
// a page.
const longestRun = 256

func run(text string, from byte) int {
	n := 0
	for n < min(len(text), longestRun) && text[n] >= from && text[n] < 0x7f {
		n++
	}
	if n < len(text) && text[n] >= utf8.RuneSelf && n > 0 {
		n-- // the last may carry an accent that follows
	}
	return n
}

// brief bounds the accents on one letter, which take bytes and no cells.
func brief(cluster string) string {
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

// place puts the word into the row, or into the next.
func (c *column) place() {
	if len(c.word) == 0 {
		return
	}
	gap := 0
	if c.gap && c.used > 0 {
		gap = 1
	}
	if c.used > 0 && c.used+gap+c.wordW > c.w {
		c.end()
		gap = 0
	}
	if gap == 1 {
		space := Span{" ", Body}
		if last := c.row[len(c.row)-1].Ink; last == c.word[0].Ink {
			space.Ink = last
		}
		c.put(space, 1)
	}
	for _, s := range c.word {
		c.fit(s)
	}
	c.word, c.wordW, c.gap = c.word[:0], 0, false
}

// fit puts a piece of a word into the row, and what is too long into the next
// ones.
func (c *column) fit(s Span) {
	cells := theme.Width(s.Text)
	if c.used+cells <= c.w {
		c.put(s, cells)
		return
	}
	for text := s.Text; text != ""; {
		cluster, cells := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		if c.used > 0 && c.used+cells > c.w {
			c.end()
		}
		c.put(Span{cluster, s.Ink}, cells)
		text = text[len(cluster):]
	}
}

// put takes no character that has no cell of its own: there may be a page full
// of them in one row.
func (c *column) put(s Span, cells int) {
	if cells == 0 {
		return
	}
	c.used += cells
	if last := len(c.row) - 1; last >= 0 && c.row[last].Ink == s.Ink {
		c.row[last].Text += s.Text
		return
	}
	c.row = append(c.row, s)
}

func (c *column) end() {
	c.rows, c.row, c.used, c.gap = append(c.rows, c.row), nil, 0, false
}

// width is how many cells a row takes.
func (r Row) width() int {
	n := 0
	for _, s := range r {
		n += theme.Width(s.Text)
	}
	return n
}
