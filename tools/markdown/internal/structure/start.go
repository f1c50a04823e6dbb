package structure

import "strings"

// What a place in a line is.
type placeKind int

const (
	isText      placeKind = iota // it begins no block, or a paragraph
	isContainer                  // a block that holds others begins
	isLeaf                       // the rest of the line belongs to a block
)

// startBlock opens what begins at the next character. The first blocks hold the place;
// paragraph: so does the paragraph that is open.
func (s *scanner) startBlock(depth int, paragraph bool) (Line, placeKind) {
	n := len(s.open)
	inText := n > 0 && s.open[n-1].kind.isParagraph() // which goes on if nothing begins here
	rest := strings.TrimRight(s.line[s.next:], " \t")
	if s.indent >= 4 && !s.startsBullet() {
		if inText {
			return Line{}, isText
		}
		s.next = s.at // its blanks belong to it
		return s.addLeaf(depth, openBlock{kind: IndentedBlock}, Line{Code: true}), isLeaf
	}
	if l, kind := s.startMarked(depth, rest, inText); kind != isText {
		return l, kind
	}
	if level := underline(rest); level > 0 && paragraph && s.open[n-1].kind == ParagraphBlock {
		return s.underlined(level), isLeaf
	}
	if isRule(rest) {
		l := s.addLeaf(depth, openBlock{kind: RuleBlock}, Line{})
		s.closeText()
		return l, isLeaf
	}
	if s.startItem(depth, paragraph, rest) {
		return Line{}, isContainer
	}
	return Line{}, isText
}

// startMarked opens what begins with a character of its own: a quote, a heading, a fence,
// HTML, a comment or a formula.
func (s *scanner) startMarked(depth int, rest string, inText bool) (Line, placeKind) {
	switch rest[0] {
	case '>':
		if len(s.open) < maxDepth {
			s.closeTo(depth)
			s.add(openBlock{kind: QuoteBlock})
			s.readQuote()
			return Line{}, isContainer
		}
	case '#':
		if level, _ := atxHeading(rest); level > 0 {
			s.closeTo(depth)
			l := s.addLeaf(depth, openBlock{kind: HeadingBlock}, Line{level: s.sectionLevel(level, s.line)})
			s.closeText()
			return l, isLeaf
		}
	case '`', '~':
		if fence := fenceOf(rest); fence != "" {
			return s.addLeaf(depth, openBlock{kind: FenceBlock, end: fence}, Line{Code: true}), isLeaf
		}
	case '<', '%', '$':
		if b := s.startOfText(rest, inText); b.kind != 0 {
			l := s.addLeaf(depth, b, Line{Raw: true})
			if b.kind == HTMLBlock && endsText(rest, b.end) {
				s.closeText()
			}
			return l, isLeaf
		}
	}
	return Line{}, isText
}

// addLeaf opens a block that holds the rest of the line, and returns what the line is.
func (s *scanner) addLeaf(depth int, b openBlock, l Line) Line {
	s.closeTo(depth)
	s.add(b)
	s.extend(len(s.open))
	return l
}

// underlined makes a heading of the open paragraph.
func (s *scanner) underlined(level int) Line {
	n := len(s.open) - 1
	s.extend(n + 1)
	b := s.open[n]
	if s.record {
		s.blocks[b.block].Kind = HeadingBlock
	}
	mark := strings.ReplaceAll(s.line, "-", "=") // one dash is not an item here
	l := Line{level: s.sectionLevel(level, mark), above: s.index - b.first}
	first, _, _ := strings.Cut(s.text[b.start:], "\n")
	if s.sectionLevel(level, first) == 0 {
		l.level = 0
	}
	s.closeText()
	return l
}

// sectionLevel is the level of a heading if it begins a section: it stands in no quote,
// and only a few blanks are before it.
func (s *scanner) sectionLevel(level int, line string) int8 {
	for _, b := range s.open {
		if b.kind == QuoteBlock {
			return 0
		}
	}
	blanks := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	if _, bullet := cutBullet(line); s.graph && bullet > 0 && s.next == bullet {
		return int8(level)
	}
	if itemMarker(line[len(blanks):]) > 0 || column(blanks) > 3 {
		return 0
	}
	return int8(level)
}

// startItem opens an item of a list, and the list unless it goes on.
func (s *scanner) startItem(depth int, paragraph bool, rest string) bool {
	size := itemMarker(rest)
	if size == 0 || len(s.open)+1 >= maxDepth {
		return false
	}
	marker := rest[size-1]
	if paragraph && (size == len(rest) && s.open[len(s.open)-1].kind == ParagraphBlock || size > 1 && rest[:size-1] != "1") {
		return false // a dash or a number in its text
	}
	s.closeTo(depth)
	if n := len(s.open); n > 0 && s.open[n-1].kind == ListBlock && s.open[n-1].marker != marker {
		s.closeTo(n - 1)
	}
	if n := len(s.open); n == 0 || s.open[n-1].kind != ListBlock {
		s.add(openBlock{kind: ListBlock, marker: marker})
	}
	s.add(openBlock{kind: ItemBlock, marker: marker, indent: s.indent + size})
	s.readTo(s.next + size)
	item := &s.open[len(s.open)-1]
	if filled := s.findNext(); !filled || s.indent > 4 {
		item.indent++
		s.read(1)
	} else {
		item.indent += s.indent
		s.read(s.indent)
	}
	return true
}

// spans are what comments and display maths of several lines begin and end with.
var spans = []struct {
	mark string
	kind Kind
}{{"%%", CommentBlock}, {"$$", MathBlock}}

// startOfText is the block of HTML, the comment or the maths that a line begins; its
// kind is 0 if it begins none. A comment or maths needs an end.
func (s *scanner) startOfText(rest string, inText bool) openBlock {
	if rest[0] == '<' {
		if end, ok := startOfHTML(rest, inText); ok {
			return openBlock{kind: HTMLBlock, end: end}
		}
		return openBlock{}
	}
	for _, span := range spans {
		inner, ok := strings.CutPrefix(rest, span.mark)
		if ok && !strings.Contains(inner, span.mark) && !strings.HasPrefix(inner, span.mark[:1]) &&
			strings.Contains(s.text[s.start+len(s.line):], span.mark) {
			return openBlock{kind: span.kind, end: span.mark}
		}
	}
	return openBlock{}
}
