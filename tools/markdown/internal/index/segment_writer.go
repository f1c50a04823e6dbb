package index

import (
	"bytes"
	"encoding/binary"
)

// A segmentWriter writes the words of a new segment, with their lists, into leaves of the
// form that [leafScan] reads. FTS5 must go on with it, so leaves end where FTS5 would end
// them.
type segmentWriter struct {
	segment  uint64
	leafSize int
	out      *segmentTables
	skips    leafSkips

	number   uint64 // of the leaf, from 1
	leaf     []byte // four bytes of header, and what it has
	offsets  []byte // where words begin on it
	last     int    // the last of these
	hasWord  bool   // a word begins on it
	hasPage  bool   // a word or a page begins on it
	wordless int    // leaves after that on which the last word begins, without one of their own

	word    []byte // the last key
	page    uint64 // the last of its list
	entry   []byte // from which key on words are on the leaf with the number entryOf
	entryOf uint64
}

func newSegmentWriter(segment uint64, leafSize int, out *segmentTables) *segmentWriter {
	return &segmentWriter{
		segment: segment, leafSize: leafSize, out: out, skips: leafSkips{segment: segment, blockSize: leafSize},
		number: 1, leaf: make([]byte, leafHeader, leafSize+leafHeader), entryOf: 1,
	}
}

const (
	// leafHeader is where the first page begins that has none of its words before it, and
	// where words end: two bytes each.
	leafHeader = 4
	// manyLeaves is for how many leaves without a word FTS5 keeps a list of them.
	manyLeaves = 4
)

// beginWord begins the list of a word. Words come in their order.
func (w *segmentWriter) beginWord(word string) error {
	key := wordKey(word)
	if w.used()+len(key)+2 >= w.leafSize && len(w.leaf) > leafHeader {
		if err := w.endLeaf(); err != nil {
			return err
		}
	}
	w.offsets = appendNumber(w.offsets, uint64(len(w.leaf)-w.last))
	w.last = len(w.leaf)
	shared := sharedPrefix(w.word, key)
	if !w.hasWord {
		if w.number > 1 {
			if err := w.endEntry(); err != nil {
				return err
			}
			w.entry, w.entryOf = append(w.entry[:0], key[:shared+1]...), w.number
		}
		shared = 0
	} else {
		w.leaf = appendNumber(w.leaf, uint64(shared))
	}
	w.leaf = append(appendNumber(w.leaf, uint64(len(key)-shared)), key[shared:]...)
	w.word = append(w.word[:0], key...)
	w.hasWord, w.hasPage, w.page = true, true, 0
	w.skips.begin(w.number)
	return nil
}

// used is how much of a leaf is used.
func (w *segmentWriter) used() int { return len(w.leaf) + len(w.offsets) }

func sharedPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// addPage adds a page to the list of the word. Pages come in their order.
func (w *segmentWriter) addPage(page uint64, places []byte) error {
	if w.hasPage {
		w.leaf = appendNumber(w.leaf, page-w.page)
	} else {
		binary.BigEndian.PutUint16(w.leaf, uint16(len(w.leaf)))
		w.leaf = appendNumber(w.leaf, page)
		w.hasPage = true
		w.skips.add(w.number, page)
	}
	w.page = page
	var size [4]byte
	head := appendNumber(size[:0], uint64(len(places))*2)
	if w.used()+len(head)+len(places) <= w.leafSize {
		w.leaf = append(append(w.leaf, head...), places...)
		return nil
	}
	for rest := bytes.Join([][]byte{head, places}, nil); len(rest) > 0; {
		n := len(rest)
		if room := w.leafSize - w.used(); n > room {
			n = numbersWithin(rest, room)
		}
		w.leaf = append(w.leaf, rest[:n]...)
		rest = rest[n:]
		if w.used() >= w.leafSize {
			if err := w.endLeaf(); err != nil {
				return err
			}
		}
	}
	return nil
}

// numbersWithin is how many bytes the numbers take that fit into some, but at least one
// number.
func numbersWithin(b []byte, room int) int {
	_, size := readNumber(b, 0)
	for {
		_, next := readNumber(b, size)
		if next > room {
			return size
		}
		size = next
	}
}

func (w *segmentWriter) endLeaf() error {
	binary.BigEndian.PutUint16(w.leaf[2:], uint16(len(w.leaf)))
	if w.hasWord {
		w.leaf = append(w.leaf, w.offsets...)
	} else {
		w.wordless++
		if !w.hasPage {
			w.skips.addEmpty()
		}
	}
	err := w.out.putBlock(blockID(w.segment, w.number), w.leaf)
	w.leaf = append(w.leaf[:0], make([]byte, leafHeader)...)
	w.offsets, w.last = w.offsets[:0], 0
	w.hasWord, w.hasPage = false, false
	w.number++
	return err
}

// endEntry ends what is on the leaf with the last entry.
func (w *segmentWriter) endEntry() error {
	long := w.wordless >= manyLeaves && w.skips.begun()
	w.wordless = 0
	w.skips.end(long)
	return w.out.putEntry(w.entry, w.entryOf, long)
}

// end ends the segment, and returns the number of its last leaf: 0, if there are no words.
func (w *segmentWriter) end() (last uint64, err error) {
	if len(w.leaf) > leafHeader {
		if err := w.endLeaf(); err != nil {
			return 0, err
		}
	}
	if w.number > 1 {
		err = w.endEntry()
	}
	for _, level := range w.skips.levels {
		for _, block := range level.done {
			if err == nil {
				err = w.out.putBlock(block.id, block.bytes)
			}
		}
	}
	return w.number - 1, err
}
