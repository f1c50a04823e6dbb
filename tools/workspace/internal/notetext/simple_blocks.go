package notetext

import "strings"

// A textBlock is a heading, or the text of a paragraph or of an item of a list.
type textBlock struct {
	level      int // of a heading; 0: it is none
	start, end int // of a heading's line or of the text
}

// simpleBlocks finds the blocks of Markdown each of whose lines tells by itself what it is:
// headings, paragraphs and lists of one level, without code, HTML and Markdown's links. It
// reports false for any other: CommonMark takes ten times as long, and reads these the same.
func simpleBlocks(body string) (blocks []textBlock, ok bool) {
	if strings.Contains(body, "](") {
		return nil, false
	}
	goesOn := false // the next line of text belongs to the last block
	for at := 0; at < len(body); {
		line, _, _ := strings.Cut(body[at:], "\n")
		end := at + len(line)
		switch kind, level := classifyLine(line); kind {
		case blankLine:
			goesOn = false
		case headingLine:
			blocks, goesOn = append(blocks, textBlock{level, at, end}), false
		case itemLine:
			blocks, goesOn = append(blocks, textBlock{0, at + len("- "), end}), true
		case textLine:
			if !goesOn {
				blocks, goesOn = append(blocks, textBlock{start: at}), true
			}
			blocks[len(blocks)-1].end = end
		default:
			return nil, false
		}
		at = end + 1
	}
	return blocks, true
}

type lineKind int

const (
	otherLine lineKind = iota // only CommonMark knows
	blankLine
	headingLine
	itemLine
	textLine
)

// classifyLine is what a line is, wherever it stands among others that are not otherLine.
func classifyLine(line string) (kind lineKind, level int) {
	for i := range len(line) {
		if c := line[i]; c < ' ' || c == '`' || c == '<' {
			return otherLine, 0
		}
	}
	switch rest := strings.TrimLeft(line, "#"); {
	case strings.TrimLeft(line, " ") == "":
		return blankLine, 0
	case line[0] == '#':
		level = len(line) - len(rest)
		switch {
		case rest == "":
			return otherLine, 0
		case rest[0] != ' ':
			return textLine, 0 // a tag
		case level > 6 || strings.HasSuffix(strings.TrimRight(line, " "), "#") || strings.TrimSpace(rest) == "":
			return otherLine, 0
		}
		return headingLine, level
	case strings.HasPrefix(line, "- "), strings.HasPrefix(line, "* "):
		item := line[len("- "):]
		if strings.HasPrefix(item, "[ ] ") || strings.HasPrefix(item, "[x] ") || beginsText(item) {
			return itemLine, 0
		}
	case beginsText(line):
		return textLine, 0
	}
	return otherLine, 0
}

// beginsText reports whether a line that begins like this is text, and the beginning of nothing
// else.
func beginsText(line string) bool {
	if line == "" {
		return false
	}
	switch c := line[0]; {
	case isLetter(c), c >= 0x80, strings.IndexByte("(\"'!@$%&/;,.?{", c) >= 0:
		return true
	case c == '[':
		return strings.HasPrefix(line, "[[")
	case c == '*', c == '_': // what is emphasized, but no line across the page
		return len(line) > 1 && line[1] != ' ' && strings.IndexFunc(line, func(r rune) bool { return r < 0x80 && isLetter(byte(r)) }) >= 0
	case isDigit(c):
		i := 1
		for i < len(line) && isDigit(line[i]) {
			i++
		}
		return i == len(line) || line[i] != '.' && line[i] != ')'
	}
	return false
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// addSimple reads everything from blocks of source, which begins at body in the whole text.
func (t *Text) addSimple(blocks []textBlock, source string, body int) {
	var list []heading
	for _, b := range blocks {
		text := source[b.start:b.end]
		if b.level > 0 {
			text = strings.Trim(text[b.level:], " ")
			list = append(list, heading{b.level, b.start, min(b.end+1, len(source)), strings.TrimSpace(text)})
		}
		t.addPlain(text)
	}
	t.addSections(list, source, body)
}
