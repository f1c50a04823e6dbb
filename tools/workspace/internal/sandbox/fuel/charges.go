package fuel

// segment is a stretch of straight code: it runs from its first to its last
// instruction.
type segment struct {
	end   int   // in the body
	payer int   // the segment at whose start its instructions are charged
	cost  int64 // what is charged at its start
	check bool  // whether the fuel is looked at there

	insertions []insertion
}

// insertion is what is written at a place inside a segment: behind a
// memory.grow, before a bulk operation.
type insertion struct {
	pos   int
	write func()
}

// openBlock is a block, loop or if whose end was not read yet. The function is one.
type openBlock struct {
	payer   int  // of the code before it
	escapes bool // something in it can leave an outer block as well
}

// A segmenter divides a body into segments, and finds out which of them pays for
// each. Code behind a block runs as often as the code before it, unless something
// leaves the block by more than its end, so the code before it pays for both: the
// count is exact whenever the function returns.
type segmenter struct {
	segments []segment
	blocks   []openBlock
	calls    bool
}

func newSegmenter() *segmenter {
	const entering = 1
	return &segmenter{segments: []segment{{cost: entering}}, blocks: []openBlock{{}}}
}

// add takes the next instruction, which ends at end, and what is to be written
// around it.
func (s *segmenter) add(i instruction, end int, insertions []insertion) {
	current := &s.segments[len(s.segments)-1]
	s.segments[current.payer].cost += i.cost
	current.end = end
	current.insertions = append(current.insertions, insertions...)
	next := len(s.segments)
	switch i.op {
	case opBlock, opLoop, opIf:
		s.blocks = append(s.blocks, openBlock{payer: current.payer})
	case opBr, opBrIf, opBrTable:
		s.escape(int64(len(s.blocks)) - int64(i.label))
	case opReturn:
		s.escape(1)
	case opCall, opCallInd:
		s.calls = true
	case opEnd:
		closed := s.blocks[len(s.blocks)-1]
		if s.blocks = s.blocks[:len(s.blocks)-1]; !closed.escapes {
			next = closed.payer
		}
	}
	if i.endsSegment() {
		s.segments = append(s.segments, segment{end: end, payer: next, check: i.op == opLoop})
	}
}

// escape notes that a branch leaves the blocks from first on, of which the function
// is the block 0.
func (s *segmenter) escape(first int64) {
	for b := max(first, 0); b < int64(len(s.blocks)); b++ {
		s.blocks[b].escapes = true
	}
}

// finish returns the segments. Who calls nothing cannot recurse, so its entry need
// not look at the fuel.
func (s *segmenter) finish() []segment {
	s.segments[0].check = s.calls
	return s.segments
}
