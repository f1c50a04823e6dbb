package structure

import "strings"

// A BlockID is the name of a block, ^name, by which links call it. It stands at the end
// of a paragraph, a heading, the first paragraph of an item or a row of a table, or on a
// line of its own below what it names.
type BlockID struct {
	Name string
	Line int
	Of   Block // what it names
	// Start and End are the offsets of the id with the blanks or lines that divide it
	// from the text of what it names.
	Start, End int
}

// IDs are the ids of a page, in order.
func (p Page) IDs() []BlockID {
	r := idReader{Page: p, before: map[int]int{}, apart: make([]bool, len(p.Blocks)), holds: make([]int, len(p.Blocks))}
	for i, b := range p.Blocks {
		if r.apart[i] = r.isApart(b); b.Parent >= 0 && !r.apart[i] {
			r.holds[b.Parent]++
		}
	}
	for i, b := range p.Blocks {
		if r.apart[i] {
			r.readApart(i)
			continue
		}
		r.before[b.Parent] = i
		switch b.Kind {
		case ParagraphBlock:
			r.readEnd(b.Last, b, r.holder(i))
		case HeadingBlock:
			r.readEnd(max(b.First, b.Last-1), b, r.holder(i)) // which may be underlined
		case MathBlock:
			if b.Closed {
				r.readEnd(b.Last, b, b)
			}
		case TableBlock:
			r.readRows(b)
		default:
		}
	}
	return r.found
}

// WithoutID is a text without the id at its end.
func WithoutID(text string) string {
	name, size := splitID(text)
	if name == "" || size == 0 {
		return text
	}
	return text[:size]
}

// splitID is the id at the end of a line, if it has one, and the length of what stands
// before it.
func splitID(line string) (name string, size int) {
	line = strings.TrimRight(line, " \t\r")
	before, name, found := cutLast(line, "^")
	if text := strings.TrimRight(before, " \t"); found && isID(name) && (before == "" || text != before) {
		return name, len(text)
	}
	return "", len(line)
}

// startsWithID reports whether a line is nothing but an id.
func startsWithID(line string) bool {
	name, size := splitID(line)
	return name != "" && size == 0
}

func cutLast(s, sep string) (before, after string, found bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}

func isID(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return name != ""
}

// An idReader finds ids.
type idReader struct {
	Page
	found  []BlockID
	apart  []bool      // which blocks are nothing but ids
	holds  []int       // how many others each block holds
	before map[int]int // the block in each that was read last
}

// line is where a line of a block begins, behind the marks of what holds it, and its text.
func (p Page) line(b Block, n int) (start int, text string) {
	l := p.Lines[n]
	if start = l.Start; n == b.First {
		start = b.Start
	} else {
		text = p.Text[l.Start:l.End]
		start += len(text) - len(strings.TrimLeft(text, " \t>"))
	}
	return start, p.Text[start:l.End]
}

func (r *idReader) add(name string, n int, of Block, start int) {
	l := r.Lines[n]
	end := l.Start + len(strings.TrimRight(r.Text[l.Start:l.End], " \t\r"))
	r.found = append(r.found, BlockID{Name: name, Line: l.Number, Of: of, Start: start, End: end})
}

// isApart reports whether every line of a block is an id.
func (r *idReader) isApart(b Block) bool {
	if b.Kind != ParagraphBlock {
		return false
	}
	for n := b.First; n <= b.Last; n++ {
		_, text := r.line(b, n)
		if !startsWithID(text) {
			return false
		}
	}
	return true
}

// readApart reads ids on lines of their own, which name the block above them. Those at the
// beginning of an item name that.
func (r *idReader) readApart(i int) {
	b := r.Blocks[i]
	of, start := b, b.Start
	above, found := r.before[b.Parent]
	switch {
	case found && r.Blocks[above].Kind == ParagraphBlock:
		of, start = r.holder(above), r.Blocks[above].End
	case found:
		of, start = r.Blocks[above], r.Blocks[above].End
	case b.Parent >= 0:
		of = r.Blocks[b.Parent]
	}
	for n := b.First; n <= b.Last; n++ {
		_, text := r.line(b, n)
		name, _ := splitID(text)
		r.add(name, n, of, start)
	}
}

// readEnd reads the id at the end of a line, which is the last one of a block.
func (r *idReader) readEnd(n int, b, of Block) {
	start, text := r.line(b, n)
	name, size := splitID(text)
	if name == "" {
		return
	}
	if size > 0 {
		r.add(name, n, of, start+size)
		return
	}
	if !strings.Contains(r.Text[r.Lines[n].Start:start], ">") { // below a quote: it names all of that
		for i := b.Parent; i >= 0; i = r.Blocks[i].Parent {
			if r.Blocks[i].Kind == QuoteBlock {
				of = r.Blocks[i]
			}
		}
	}
	r.add(name, n, of, r.endOfLine(b, n-1))
}

// endOfLine is where the text of a line of a block ends.
func (p Page) endOfLine(b Block, n int) int {
	start, text := p.line(b, n)
	return start + len(strings.TrimRight(text, " \t\r"))
}

// readRows reads the ids of a table's rows, and those in lines below them, which name the
// table.
func (r *idReader) readRows(b Block) {
	last := b.Last
	for ; last > b.First+1; last-- {
		if _, text := r.line(b, last); !startsWithID(text) {
			break
		}
	}
	for n := b.First + 2; n <= b.Last; n++ {
		start, text := r.line(b, n)
		name, size := splitID(text)
		switch {
		case name == "":
		case n > last:
			r.add(name, n, b, r.endOfLine(b, last))
		default:
			row := Block{Kind: RowBlock, Parent: b.Parent, Start: start, End: r.Lines[n].End, First: n, Last: n}
			r.add(name, n, row, start+size)
		}
	}
}

// holder is the item that a block begins, or the quote that holds nothing else, or the
// block itself.
func (r *idReader) holder(i int) Block {
	b := r.Blocks[i]
	if b.Parent < 0 {
		return b
	}
	of := r.Blocks[b.Parent]
	if of.Kind == ItemBlock && b.Parent == i-1 || of.Kind == QuoteBlock && r.holds[b.Parent] == 1 {
		return of
	}
	return b
}
