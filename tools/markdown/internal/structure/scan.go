package structure

import "strings"

// maxDepth is how many blocks may hold each other; what is deeper is text.
const maxDepth = 100

// A scanner opens and closes blocks line by line, as CommonMark describes it.
type scanner struct {
	text   string
	record bool // blocks are kept
	graph  bool // of Logseq
	blocks []Block
	open   []openBlock // outermost first
	index  int         // of the line
	start  int         // offset of the line
	line   string      // without its end
	at     int         // how much of the line is read
	column int         // where that ends; a tab reaches to the next multiple of four
	next   int         // offset of the first character that is not read and no blank
	indent int         // the columns before it
	quotes int         // how many of the open blocks have marks of quotes on the line
	words  int         // offset of the last line of the open paragraph, behind such marks
}

// An openBlock may go on with the next line.
type openBlock struct {
	kind   Kind
	block  int    // its index, if blocks are kept
	first  int    // index of its first line
	start  int    // offset of that
	filled bool   // something stands in it
	marker byte   // of a list and its items: the bullet, or what ends the number
	indent int    // of an item: how far its content is indented in what holds the list
	end    string // what ends a fence, a comment or HTML; empty, of HTML: a blank line
}

// scan reads a line.
func (s *scanner) scan(line string) (l Line) {
	s.line, s.at, s.column, s.quotes = strings.TrimRight(line, "\r"), 0, 0, 0
	depth := s.match()
	if n := len(s.open); depth == n && n > 0 && s.open[n-1].kind.holdsText() {
		l = s.holdText()
	} else {
		l = s.readBlocks(depth)
	}
	return l
}

// match reads what the open blocks want at the beginning of the line, and returns how
// many of them go on.
func (s *scanner) match() (depth int) {
	for ; depth < len(s.open); depth++ {
		b := &s.open[depth]
		blank := !s.findNext()
		goesOn := true
		switch b.kind {
		case QuoteBlock:
			if goesOn = !blank && s.indent < 4 && s.line[s.next] == '>'; goesOn {
				s.readQuote()
				s.quotes = depth + 1
			}
		case ItemBlock:
			if blank {
				goesOn = b.filled
			} else if goesOn = s.indent >= b.indent; goesOn {
				s.read(b.indent)
			}
		case IndentedBlock:
			goesOn = blank || s.indent >= 4 && !s.startsBullet()
		case ParagraphBlock, TableBlock:
			goesOn = !blank
		case HTMLBlock:
			goesOn = !blank || b.end != ""
		default: // a list, or a text with an end
		}
		if !goesOn {
			break
		}
	}
	return depth
}

// findNext finds the first character that is no blank, and reports whether there is one.
func (s *scanner) findNext() bool {
	s.next, s.indent = s.at, 0
	for s.next < len(s.line) {
		switch s.line[s.next] {
		case ' ':
			s.indent++
		case '\t':
			s.indent += 4 - (s.column+s.indent)%4
		default:
			return true
		}
		s.next++
	}
	return false
}

// startsBullet reports whether the next character is the bullet of a block of Logseq.
func (s *scanner) startsBullet() bool { return s.graph && itemMarker(s.line[s.next:]) == 1 }

// read reads some columns of blanks, which may be a part of a tab.
func (s *scanner) read(columns int) {
	for columns > 0 && s.at < len(s.line) {
		if s.line[s.at] != '\t' {
			s.at, s.column, columns = s.at+1, s.column+1, columns-1
			continue
		}
		wide := 4 - s.column%4
		if wide <= columns {
			s.at++
		}
		s.column, columns = s.column+min(wide, columns), columns-wide
	}
}

// readTo reads up to an offset of characters that are no tabs, and the blanks before them.
func (s *scanner) readTo(offset int) {
	s.column += s.indent + offset - s.next
	s.at = offset
}

// readQuote reads the mark of a quote with the blank that belongs to it.
func (s *scanner) readQuote() {
	s.readTo(s.next + 1)
	if s.at < len(s.line) && (s.line[s.at] == ' ' || s.line[s.at] == '\t') {
		s.read(1)
	}
}

// holdText reads a line of code, HTML, a comment or maths.
func (s *scanner) holdText() Line {
	b := s.open[len(s.open)-1]
	rest := ""
	if s.findNext() {
		rest = s.line[s.next:]
	}
	if b.kind == IndentedBlock {
		if rest == "" {
			s.extend(s.quotes)
			return Line{}
		}
		s.extend(len(s.open))
		return Line{Code: true}
	}
	s.extend(len(s.open))
	if b.kind == FenceBlock && s.indent < 4 && strings.HasPrefix(rest, b.end) && strings.Trim(rest, b.end[:1]+" \t") == "" ||
		b.kind != FenceBlock && endsText(rest, b.end) {
		s.closeText()
	}
	return Line{Code: b.kind == FenceBlock, Raw: b.kind != FenceBlock}
}

// closeText closes the innermost block by a line that belongs to it.
func (s *scanner) closeText() {
	n := len(s.open) - 1
	if s.record {
		s.blocks[s.open[n].block].Closed = true
	}
	s.open = s.open[:n]
}

// readBlocks reads the rest of a line of which the first open blocks hold the beginning.
func (s *scanner) readBlocks(depth int) Line {
	paragraph := depth > 0 && s.open[depth-1].kind.isParagraph()
	if paragraph {
		depth--
	}
	opened := false
	for s.findNext() {
		l, does := s.startBlock(depth, paragraph)
		switch does { //nolint:exhaustive // a container goes on
		case isLeaf:
			return l
		case isText:
			s.addText(depth)
			return Line{}
		}
		depth, paragraph, opened = len(s.open), false, true
	}
	s.closeTo(depth) // the rest is blank
	if opened {
		s.quotes = depth
	}
	s.extend(s.quotes)
	return Line{}
}

// addText adds the rest of a line to the open paragraph, maybe without the marks of what
// holds that, or opens one.
func (s *scanner) addText(depth int) {
	if n := len(s.open); n > 0 && s.open[n-1].kind.isParagraph() {
		s.extend(n)
		s.findTable()
	} else {
		s.closeTo(depth)
		s.add(openBlock{kind: ParagraphBlock})
		s.extend(len(s.open))
	}
	s.words = s.start + s.next
}

// closeTo closes all blocks but the outermost.
func (s *scanner) closeTo(depth int) { s.open = s.open[:depth] }

// add opens a block at the next character.
func (s *scanner) add(b openBlock) {
	n := len(s.open)
	if n > 0 && s.open[n-1].kind == ListBlock && b.kind != ItemBlock {
		n--
		s.open = s.open[:n]
	}
	parent := -1
	if n > 0 {
		s.open[n-1].filled, parent = true, s.open[n-1].block
	}
	b.first, b.start, b.block = s.index, s.start, len(s.blocks)
	if s.record {
		s.blocks = append(s.blocks, Block{Kind: b.kind, Parent: parent, Start: s.start + s.next, First: s.index})
	}
	s.open = append(s.open, b)
}

// extend makes the line the last one of the outermost blocks.
func (s *scanner) extend(depth int) {
	if !s.record {
		return
	}
	for _, b := range s.open[:depth] {
		s.blocks[b.block].End, s.blocks[b.block].Last = s.start+len(s.line), s.index
	}
}
