package index

import "slices"

// leafSkips say of a long list which page is the first on each of its leaves, so that FTS5
// finds a page without reading all leaves before it. They are a tree of blocks, and
// written when the list ends, if it goes over many leaves.
type leafSkips struct {
	segment   uint64
	blockSize int
	levels    []skipLevel // from the leaves up
}

// A skipLevel is the last block of a level, which is not full, and those of long lists.
type skipLevel struct {
	number uint64
	block  []byte // empty: it has not begun
	first  uint64 // page that it has
	last   uint64
	done   []skipBlock // in the order of their ids
}

type skipBlock struct {
	id    int64
	bytes []byte
}

// Bits of the id of a block, above the number.
const (
	skipBlockBit  = 36
	skipLevelBits = 31
)

// begin begins the list of a word, on a leaf.
func (s *leafSkips) begin(leaf uint64) {
	if len(s.levels) == 0 {
		s.levels = make([]skipLevel, 1)
	}
	s.levels[0].number = leaf
}

// begun reports whether there is a leaf that begins with a page.
func (s *leafSkips) begun() bool { return len(s.levels) > 0 && len(s.levels[0].block) > 0 }

// add adds a leaf that begins with a page of the list.
func (s *leafSkips) add(leaf, page uint64) {
	child := leaf
	for i := 0; ; i++ {
		full := len(s.levels[i].block) >= s.blockSize
		if full {
			s.endBlock(i)
		}
		l := &s.levels[i]
		if len(l.block) > 0 {
			l.block = appendNumber(l.block, page-l.last)
		} else {
			flag := byte(0)
			if full { // it has one above
				flag = 1
			}
			l.block = appendNumber(appendNumber(append(l.block, flag), child), page)
			l.first = page
		}
		if l.last = page; !full {
			return
		}
		child = l.number
	}
}

// endBlock ends a block that is full. That of the level above, which has the first page of
// each, begins with it.
func (s *leafSkips) endBlock(level int) {
	if level+1 == len(s.levels) {
		s.levels = append(s.levels, skipLevel{})
	}
	l, above := &s.levels[level], &s.levels[level+1]
	l.block[0] = 1
	s.put(level)
	if len(above.block) == 0 {
		above.number, above.first, above.last = l.number, l.first, l.first
		above.block = appendNumber(appendNumber(append(above.block, 0), l.number), l.first)
	}
	l.block = l.block[:0]
	l.number++
}

// addEmpty adds a leaf on which no page begins.
func (s *leafSkips) addEmpty() {
	if s.begun() {
		s.levels[0].block = append(s.levels[0].block, 0)
	}
}

func (s *leafSkips) put(level int) {
	l := &s.levels[level]
	id := blockID(s.segment, 1<<skipBlockBit|uint64(level)<<skipLevelBits|l.number)
	l.done = append(l.done, skipBlock{id, slices.Clone(l.block)})
}

// end ends the list, and keeps what it has if it is long.
func (s *leafSkips) end(long bool) {
	for i := range s.levels {
		if len(s.levels[i].block) == 0 {
			return
		}
		if long {
			s.put(i)
		}
		s.levels[i].block = s.levels[i].block[:0]
	}
}
