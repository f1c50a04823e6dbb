package index

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
)

// A postingBuffer gathers words in memory, with the pages that have each of them and the
// places where it is. Most of the time of that is waiting for memory, so what is needed of
// a word stands together in one place: it takes half the time of a map of lists.
type postingBuffer struct {
	seed  maphash.Seed
	slots []postingSlot // a power of two of them, of which at most half are used
	lists []bufferedList
	size  int // bytes of memory, about
}

// A postingSlot is where a word is by its hash, or one of the slots after it.
type postingSlot struct {
	hash uint32
	list uint32 // one more than its place among the lists; 0: the slot is free
}

const (
	inlineWord   = 20  // bytes of a word that stand beside its list
	listSize     = 100 // bytes of a word in memory besides its list, about
	firstSlots   = 1 << 10
	slotsPerList = 2
)

// A bufferedList is the list of a word as [listReader] describes it, but for one thing: the
// places of a page end with a zero, because their length is not known when they begin. The
// last zero is missing.
type bufferedList struct {
	word   [inlineWord]byte
	length uint8 // of the word
	column uint8
	page   uint32  // the last one
	place  uint32  // the last one in the column
	long   *string // the word, if it is longer
	bytes  []byte
}

func (l *bufferedList) is(word string) bool {
	if l.long != nil {
		return *l.long == word
	}
	return string(l.word[:l.length]) == word
}

func (l *bufferedList) text() string {
	if l.long != nil {
		return *l.long
	}
	return string(l.word[:l.length])
}

func newPostingBuffer() *postingBuffer {
	return &postingBuffer{seed: maphash.MakeSeed(), slots: make([]postingSlot, firstSlots)}
}

// addWords adds the words of a column of a page, each with a space after it. Pages come in
// the order of their ids.
func (b *postingBuffer) addWords(page uint32, column uint8, words string) {
	for place := uint32(0); words != ""; place++ {
		word, rest, _ := strings.Cut(words, " ")
		words = rest
		b.add(page, column, place, word)
	}
}

// add adds a place of a word.
func (b *postingBuffer) add(page uint32, column uint8, place uint32, word string) {
	list := b.list(word)
	before := cap(list.bytes)
	list.add(page, column, place)
	b.size += cap(list.bytes) - before
}

// list is the list of a word, until the next one is asked for.
func (b *postingBuffer) list(word string) *bufferedList {
	hash := uint32(maphash.String(b.seed, word))
	slot := b.find(hash, word)
	if slot.list > 0 {
		return &b.lists[slot.list-1]
	}
	var list bufferedList
	if list.length = uint8(min(len(word), inlineWord)); len(word) > inlineWord {
		long := strings.Clone(word) // the page's text is not kept for it
		list.long = &long
	}
	copy(list.word[:], word)
	b.lists = append(b.lists, list)
	b.size += listSize + len(word)
	*slot = postingSlot{hash, uint32(len(b.lists))}
	if len(b.lists)*slotsPerList > len(b.slots) {
		b.grow()
	}
	return &b.lists[len(b.lists)-1]
}

// find is the slot of a word, or that which it gets.
func (b *postingBuffer) find(hash uint32, word string) *postingSlot {
	for at := int(hash); ; at++ {
		slot := &b.slots[at&(len(b.slots)-1)]
		if slot.list == 0 || slot.hash == hash && b.lists[slot.list-1].is(word) {
			return slot
		}
	}
}

func (b *postingBuffer) grow() {
	old := b.slots
	b.slots = make([]postingSlot, 2*len(old))
	for _, slot := range old {
		if slot.list == 0 {
			continue
		}
		at := int(slot.hash)
		for b.slots[at&(len(b.slots)-1)].list > 0 {
			at++
		}
		b.slots[at&(len(b.slots)-1)] = slot
	}
}

// sorted are the lists in the order of their words. The buffer is of no use then.
func (b *postingBuffer) sorted() []bufferedList {
	slices.SortFunc(b.lists, func(x, y bufferedList) int { return cmp.Compare(x.text(), y.text()) })
	return b.lists
}

func (l *bufferedList) add(page uint32, column uint8, place uint32) {
	if l.page != page {
		if l.page != 0 {
			l.bytes = append(l.bytes, 0)
		}
		l.bytes = appendNumber(l.bytes, uint64(page-l.page))
		l.page, l.column, l.place = page, 0, 0
	}
	if l.column != column {
		l.bytes = append(l.bytes, newColumn, column)
		l.column, l.place = column, 0
	}
	l.bytes = appendNumber(l.bytes, uint64(place-l.place)+2)
	l.place = place
}

// eachPage calls visit with every page of a list that ends with a zero, and its places.
func eachPage(list []byte, visit func(page uint64, places []byte) error) error {
	page := uint64(0)
	for at := 0; at < len(list); {
		more, from := readNumber(list, at)
		page += more
		for at = from; at < len(list) && list[at] != 0; at++ {
			for at < len(list) && list[at] >= 0x80 { // a number, which may have bytes that are zero
				at++
			}
		}
		if at >= len(list) {
			return errWordsDamaged
		}
		if err := visit(page, list[from:at]); err != nil {
			return err
		}
		at++
	}
	return nil
}
