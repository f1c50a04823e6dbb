package sandbox

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep a result may be nested. Some programs read 64 levels with those around it, and
// fail on more.
const maxDepth = 50

// isTooDeep reports whether a JSON text is nested more than maxDepth deep.
func isTooDeep(text string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{' || b == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	return false
}

// cutJSON returns the beginning of a JSON text as valid JSON of at most most
// bytes: what was begun is closed, and what cannot be shown in part, such as a
// number or a key without its value, is left out, as is what is nested too deep. text may end anywhere; up to
// there it must be valid. Where not even brackets have room, it returns null.
func cutJSON(text string, most int) string {
	c := jsonCutter{text: text, most: most}
	for c.next() {
	}
	if c.end == 0 {
		return "null"
	}
	var b strings.Builder
	b.WriteString(text[:c.end])
	b.WriteString(c.quote)
	for _, closing := range slices.Backward(c.open[:c.depth]) { // one that was closed since is still there
		b.WriteByte(closing)
	}
	return b.String()
}

// jsonCutter goes through a text and keeps the last place where it can end.
type jsonCutter struct {
	text string
	most int
	pos  int
	open []byte // what closes the brackets that are open at pos
	key  bool   // whether a string at pos is the name of a member

	end   int    // up to here the text can be kept,
	quote string // if this follows,
	depth int    // and this many brackets are closed
}

// mark says that the text can end before pos, which may be in a string.
// It returns false when there is no room.
func (c *jsonCutter) mark(pos int, quote string) bool {
	if pos+len(quote)+len(c.open) > c.most {
		return false
	}
	c.end, c.quote, c.depth = pos, quote, len(c.open)
	return true
}

// next goes over one token. It returns false at the end of what fits.
func (c *jsonCutter) next() bool {
	if c.pos >= len(c.text) {
		return false
	}
	switch b := c.text[c.pos]; b {
	case '{', '[':
		if len(c.open) == maxDepth {
			return false
		}
		c.open = append(c.open, b+2) // in ASCII each closing one stands two behind
		c.key = b == '{'
		c.pos++
		return c.mark(c.pos, "")
	case '}', ']':
		c.open = c.open[:len(c.open)-1]
		c.pos++
		return c.mark(c.pos, "")
	case ',':
		c.key = c.open[len(c.open)-1] == '}'
		c.pos++
		return true
	case ':':
		c.key = false
		c.pos++
		return true
	case ' ', '\t', '\n', '\r':
		c.pos++
		return true
	case '"':
		return c.nextString()
	default:
		n := strings.IndexAny(c.text[c.pos:], ",]} \t\n\r")
		if n < 0 {
			return false // it may go on behind the end
		}
		c.pos += n
		return c.mark(c.pos, "")
	}
}

// nextString goes over a string. One that is a value can end at any character.
func (c *jsonCutter) nextString() bool {
	for pos := c.pos + 1; pos < len(c.text); {
		var size int
		switch c.text[pos] {
		case '"':
			c.pos = pos + 1
			return c.key || c.mark(c.pos, "")
		case '\\':
			size = 2
			if strings.HasPrefix(c.text[pos+1:], "u") {
				size = 6
			}
		default:
			if !utf8.FullRuneInString(c.text[pos:]) {
				return false // the text ends within the character
			}
			_, size = utf8.DecodeRuneInString(c.text[pos:])
		}
		pos += size
		if !c.key && (pos > len(c.text) || !c.mark(pos, `"`)) {
			return false
		}
	}
	return false
}
