package index

import "strings"

// A postingBuffer gathers words in memory, with the pages that have each of them and the
// places where it is.
type postingBuffer struct {
	lists map[string]*bufferedList
	size  int // bytes of memory, about
}

// listSize is about what a word takes besides its letters and its list.
const listSize = 120

// A bufferedList is the list of a word as [listReader] describes it, but for one thing: the
// places of a page end with a zero, because their length is not known when they begin. The
// last zero is missing.
type bufferedList struct {
	bytes  []byte
	page   uint32 // the last one
	place  uint32 // the last one in the column
	column uint8
}

func newPostingBuffer() *postingBuffer { return &postingBuffer{lists: map[string]*bufferedList{}} }

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
	list := b.lists[word]
	if list == nil {
		list = new(bufferedList)
		b.lists[strings.Clone(word)] = list // the page's text is not kept for it
		b.size += listSize + len(word)
	}
	before := cap(list.bytes)
	list.add(page, column, place)
	b.size += cap(list.bytes) - before
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
