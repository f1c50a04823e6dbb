package index

import "strings"

// A postingBuffer gathers the words of pages in memory, with the pages that have each word
// and the places where it is.
type postingBuffer struct {
	lists map[string]*bufferedList
	size  int // bytes of memory, about
}

// bufferedListSize is about what a word takes besides its letters and its list.
const bufferedListSize = 120

// A bufferedList is the list of a word as [listReader] describes it, but for one thing: the
// places of a page end with a zero, because their length is not known when they begin. The
// last zero is missing.
type bufferedList struct {
	bytes  []byte
	page   uint32 // the last one
	column int
	place  int
}

func newPostingBuffer() *postingBuffer { return &postingBuffer{lists: map[string]*bufferedList{}} }

// add adds the words of a column of a page, each with a space after it. Pages come in the
// order of their ids, and the columns of each in theirs.
func (b *postingBuffer) add(page uint32, column int, words string) {
	for place := 0; words != ""; place++ {
		word, rest, _ := strings.Cut(words, " ")
		words = rest
		list := b.lists[word]
		if list == nil {
			list = new(bufferedList)
			b.lists[strings.Clone(word)] = list // the page's text is not kept for it
			b.size += bufferedListSize + len(word)
		}
		before := cap(list.bytes)
		list.add(page, column, place)
		b.size += cap(list.bytes) - before
	}
}

func (l *bufferedList) add(page uint32, column, place int) {
	if l.page != page {
		if l.page != 0 {
			l.bytes = append(l.bytes, 0)
		}
		l.bytes = appendNumber(l.bytes, uint64(page-l.page))
		l.page, l.column, l.place = page, 0, 0
	}
	if l.column != column {
		l.bytes = appendNumber(append(l.bytes, newColumn), uint64(column))
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
