package index

// A listReader reads the list of a word: the pages that have it, in order, each with the
// places where it is.
type listReader struct {
	// visit takes a page. The places change when it has returned.
	visit   func(page uint32, places []byte)
	removed []uint32 // pages that are left out, in order

	page    uint64
	left    int    // bytes of places that come with the next leaf
	partial []byte // those that came before
	skipped int    // removed pages before this one
}

// begin begins a list.
func (r *listReader) begin() { r.page, r.left, r.skipped = 0, 0, 0 }

// end reports whether the list is complete.
func (r *listReader) end() bool { return r.left == 0 }

// read reads what one leaf has of the list. The first page on it is written as it is,
// and each other one as what it is more than the one before.
func (r *listReader) read(part []byte) bool {
	at := 0
	if r.left > 0 {
		at = min(r.left, len(part))
		r.partial = append(r.partial, part[:at]...)
		if r.left -= at; r.left > 0 {
			return true
		}
		r.take(r.partial)
	}
	for before := uint64(0); at < len(part); before = r.page {
		more, next := readNumber(part, at)
		twice, next := readNumber(part, next) // the bytes of places, and a mark that is not used here
		r.page = before + more
		if next > len(part) || r.page == 0 || r.page > maxPageID || twice&1 != 0 || twice > maxPageID {
			return false
		}
		at = next
		size := int(twice / 2)
		if size > len(part)-at {
			r.partial = append(r.partial[:0], part[at:]...)
			r.left = size - len(r.partial)
			return true
		}
		r.take(part[at : at+size])
		at += size
	}
	return true
}

// maxPageID bounds the ids of pages: they are counted up from 1.
const maxPageID = 1<<32 - 1

func (r *listReader) take(places []byte) {
	page := uint32(r.page)
	for r.skipped < len(r.removed) && r.removed[r.skipped] < page {
		r.skipped++
	}
	if r.skipped == len(r.removed) || r.removed[r.skipped] != page {
		r.visit(page, places)
	}
}

// newColumn stands before the number of a column in places. Each other number is two
// more than the distance from the last place in the column.
const newColumn = 1

// weigh counts places, weighted by the column that they are in: title, tags or text.
func weigh(places []byte) (sum uint32) {
	column := 0
	for at := 0; at < len(places); at++ {
		if places[at] == newColumn && at+1 < len(places) {
			at++
			column = int(places[at])
			if column == len(weights)-1 { // the last one, in which most places are
				var n uint32
				for _, b := range places[at+1:] {
					n += uint32((b ^ 0x80) >> 7)
				}
				return sum + n*uint32(weights[column])
			}
			continue
		}
		for at < len(places) && places[at] >= 0x80 {
			at++
		}
		if column < len(weights) {
			sum += uint32(weights[column])
		}
	}
	return sum
}

// A place is where a word is on a page: the column times 2^32, and how many words of it
// come before.
type place uint64

func (p place) weight() uint32 {
	if column := p >> 32; column < place(len(weights)) {
		return uint32(weights[column])
	}
	return 0
}

// readPlaces adds places to a list.
func readPlaces(list []place, places []byte) []place {
	var at place
	for r := (blockReader{rest: places}); len(r.rest) > 0 && !r.failed; {
		switch n := r.next(); n {
		case 0:
		case newColumn:
			at = place(r.next()) << 32
		default:
			at += place(n - 2)
			list = append(list, at)
		}
	}
	return list
}
