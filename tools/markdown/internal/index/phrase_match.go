package index

import (
	"cmp"
	"context"
	"slices"
)

// A placedPage says which part of all places is that of a page.
type placedPage struct{ page, from, to uint32 }

// A phraseMatch is where a phrase may begin, by the lists of those of its words that were
// read: in any order, but those that fewest pages have are best first.
type phraseMatch struct {
	pages  []placedPage
	raw    []byte  // the places of the first word that was read, as its list has them
	shift  int     // how many words of the phrase come before that
	starts []place // where the phrase may begin, after the second
	words  int     // that were read

	at             int // in pages
	narrowed       []placedPage
	narrowedStarts []place
	here, word     []place
}

// begin begins the list of one of the words, shift of which come before.
func (m *phraseMatch) begin(shift int) {
	if m.at = 0; m.words == 0 {
		m.shift = shift
	}
}

// add takes a page with the word.
func (m *phraseMatch) add(page uint32, places []byte, shift int) {
	if m.words == 0 {
		from := uint32(len(m.raw))
		m.raw = append(m.raw, places...)
		m.pages = append(m.pages, placedPage{page, from, uint32(len(m.raw))})
		return
	}
	if m.find(page) {
		m.word = readPlaces(m.word[:0], places)
		m.narrow(m.word, shift)
	}
}

// find goes to a page, and reports whether the phrase may be there.
func (m *phraseMatch) find(page uint32) bool {
	if m.at > 0 && m.pages[m.at-1].page >= page {
		m.at = 0 // the list of another segment
	}
	m.at = len(m.pages) - len(skipPages(m.pages[m.at:], page))
	return m.at < len(m.pages) && m.pages[m.at].page == page
}

// narrow keeps the beginnings on a page after which these places follow.
func (m *phraseMatch) narrow(places []place, shift int) {
	p := m.pages[m.at]
	if m.words == 1 {
		m.here = shiftPlaces(readPlaces(m.here[:0], m.raw[p.from:p.to]), m.shift)
	} else {
		m.here = append(m.here[:0], m.starts[p.from:p.to]...)
	}
	kept := keepPlaces(m.here, shiftPlaces(places, shift))
	if len(kept) > 0 {
		from := uint32(len(m.narrowedStarts))
		m.narrowedStarts = append(m.narrowedStarts, kept...)
		m.narrowed = append(m.narrowed, placedPage{p.page, from, uint32(len(m.narrowedStarts))})
	}
}

// end ends the list of a word.
func (m *phraseMatch) end() {
	if m.words++; m.words > 1 {
		m.pages, m.narrowed = m.narrowed, m.pages[:0]
		m.starts, m.narrowedStarts = m.narrowedStarts, m.starts[:0]
	}
	sortByPage(m.pages, func(p placedPage) uint32 { return p.page })
}

// settle reads what was not decoded of a phrase of one word.
func (m *phraseMatch) settle() {
	if m.words != 1 {
		return
	}
	for i, p := range m.pages {
		from := uint32(len(m.starts))
		m.starts = readPlaces(m.starts, m.raw[p.from:p.to])
		m.pages[i] = placedPage{p.page, from, uint32(len(m.starts))}
	}
	m.words++
}

// counts is how often pages have the whole phrase.
func (m *phraseMatch) counts() []pageCount {
	m.settle()
	list := make([]pageCount, 0, len(m.pages))
	for _, p := range m.pages {
		c := pageCount{page: p.page}
		for _, start := range m.starts[p.from:p.to] {
			c.count += start.weight()
		}
		list = append(list, c)
	}
	return list
}

// addPhrase narrows a match by a phrase in it, which was read.
func (m *phraseMatch) addPhrase(part *phraseMatch, shift int) {
	part.settle()
	m.begin(shift)
	for _, p := range part.pages {
		switch {
		case m.words == 0:
			m.here = shiftPlaces(append(m.here[:0], part.starts[p.from:p.to]...), shift)
			from := uint32(len(m.starts))
			m.starts = append(m.starts, m.here...)
			m.pages = append(m.pages, placedPage{p.page, from, uint32(len(m.starts))})
		case m.find(p.page):
			m.word = append(m.word[:0], part.starts[p.from:p.to]...)
			m.narrow(m.word, shift)
		}
	}
	if m.words == 0 {
		m.words = 2 // its beginnings are decoded
		return
	}
	m.end()
}

// shiftPlaces moves places to where a phrase begins.
func shiftPlaces(places []place, shift int) []place {
	kept := places[:0]
	for _, p := range places {
		if uint64(uint32(p)) >= uint64(shift) {
			kept = append(kept, p-place(shift))
		}
	}
	return kept
}

// keepPlaces keeps those of a that are in b; both are in order.
func keepPlaces(a, b []place) []place {
	kept := a[:0]
	for _, p := range a {
		for len(b) > 0 && b[0] < p {
			b = b[1:]
		}
		if len(b) > 0 && b[0] == p {
			kept = append(kept, p)
		}
	}
	return kept
}

// skipPages leaves out the pages before one, which are few or many.
func skipPages(list []placedPage, page uint32) []placedPage {
	step := 1
	for step < len(list) && list[step].page < page {
		step *= 2
	}
	list = list[step/2:]
	near := list[:min(len(list), step+1)]
	at, _ := slices.BinarySearchFunc(near, page, func(p placedPage, page uint32) int { return cmp.Compare(p.page, page) })
	return list[at:]
}

// readPhrase reads the lists of a phrase, the shortest first.
func (r *wordReader) readPhrase(ctx context.Context, words []string) (*phraseMatch, error) {
	order, err := r.shortestFirst(ctx, words)
	if err != nil {
		return nil, err
	}
	m := r.newMatch()
	for _, i := range order {
		m.begin(i)
		if err := r.scanWord(ctx, words[i], func(page uint32, places []byte) { m.add(page, places, i) }); err != nil {
			return nil, err
		}
		if m.end(); len(m.pages) == 0 {
			break
		}
	}
	return m, nil
}
