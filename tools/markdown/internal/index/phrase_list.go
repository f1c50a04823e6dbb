package index

import (
	"bytes"
	"cmp"
	"context"
	"slices"
)

// A phraseStart says where a phrase goes on: which places on which pages its next word
// must have.
type phraseStart struct {
	pages []placedPage // with parts of next
	next  []place
}

// follow finds the places after the words of a phrase, one after the other, by the lists
// of the words.
func follow(lists []*wordList) phraseStart {
	var s phraseStart
	rest := make([][]placedPage, len(lists))
	for i, l := range lists {
		rest[i] = l.placed
	}
	var here, word []place
	for len(rest[0]) > 0 {
		page := rest[0][0].page
		for i := range rest {
			if rest[i] = skipPages(rest[i], page); len(rest[i]) == 0 {
				return s
			}
			page = rest[i][0].page
		}
		if page != rest[0][0].page {
			rest[0] = skipPages(rest[0], page)
			continue
		}
		for i := range rest {
			p := rest[i][0]
			if word = readPlaces(word[:0], lists[i].places[p.from:p.to]); i == 0 {
				here = append(here[:0], word...)
			} else {
				here = keepPlaces(here, word)
			}
			for k := range here {
				here[k]++
			}
		}
		if len(here) > 0 {
			from := uint32(len(s.next)) //nolint:gosec // as of a word
			s.next = append(s.next, here...)
			s.pages = append(s.pages, placedPage{page, from, uint32(len(s.next))}) //nolint:gosec // as of a word
		}
		rest[0] = rest[0][1:]
	}
	return s
}

// skipPages leaves out the pages before one.
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

// counts is how often pages have the whole phrase.
func (s phraseStart) counts() []pageCount {
	list := make([]pageCount, 0, len(s.pages))
	for _, p := range s.pages {
		c := pageCount{page: p.page}
		for _, next := range s.next[p.from:p.to] {
			c.count += next.weight()
		}
		list = append(list, c)
	}
	return list
}

// readAll reads the lists of words of which a page must have all, with the places on the
// pages that do: the shortest first.
func (r *wordReader) readAll(ctx context.Context, words []string) ([]*wordList, error) {
	lists := make([]*wordList, len(words))
	order, err := r.shortestFirst(ctx, words)
	if err != nil {
		return nil, err
	}
	var within *pageSet
	for _, i := range order {
		if first := slices.Index(words[:i], words[i]); first >= 0 && lists[first] != nil {
			lists[i] = lists[first]
			continue
		}
		if lists[i], err = r.read(ctx, words[i], within); err != nil {
			return nil, err
		}
		if within == nil {
			within = &pageSet{pages: pagesOf(lists[i].counts)}
		} else {
			within = &pageSet{pages: intersect(within.pages, lists[i].counts)}
		}
	}
	return lists, nil
}

// shortestFirst orders words by the length of their lists.
func (r *wordReader) shortestFirst(ctx context.Context, words []string) ([]int, error) {
	order, leaves := make([]int, len(words)), make([]uint64, len(words))
	for i, word := range words {
		var err error
		if leaves[i], err = r.leaves(ctx, word); err != nil {
			return nil, err
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(leaves[a], leaves[b]) })
	return order, nil
}

// A prefixCount counts words that begin in some way: all of them, or those at the end of
// a phrase.
type prefixCount struct {
	counts []uint32 // by page
	phrase *phraseStart

	at    int // in the pages of phrase
	found []place
}

func (p *prefixCount) add(page uint32, places []byte) {
	if p.phrase == nil {
		p.count(page, weigh(places))
		return
	}
	pages := p.phrase.pages
	if p.at > 0 && pages[p.at-1].page >= page {
		p.at = 0 // another list
	}
	p.at = len(pages) - len(skipPages(pages[p.at:], page))
	if p.at == len(pages) || pages[p.at].page != page {
		return
	}
	p.found = keepPlaces(readPlaces(p.found[:0], places), p.phrase.next[pages[p.at].from:pages[p.at].to])
	for _, at := range p.found {
		p.count(page, at.weight())
	}
}

func (p *prefixCount) count(page, n uint32) {
	p.counts[page] += n
}

// list is what was counted.
func (p *prefixCount) list() []pageCount {
	pages := 0
	for _, n := range p.counts {
		if n > 0 {
			pages++
		}
	}
	list := make([]pageCount, 0, pages)
	for page, n := range p.counts {
		if n > 0 {
			list = append(list, pageCount{uint32(page), n}) //nolint:gosec // it was one
		}
	}
	return list
}

// readPrefixes reads the words that begin in some way, for all that counts them.
func (r *wordReader) readPrefixes(ctx context.Context, prefix string, all []*prefixCount) error {
	key := []byte(prefix)
	damaged := false
	err := r.scan(ctx, prefix, func(word []byte) wordChoice {
		switch {
		case bytes.HasPrefix(word, key):
			return readWord
		case bytes.Compare(word, key) < 0:
			return skipWord
		}
		return endScan
	}, func(page uint32, places []byte) {
		for _, p := range all {
			if int(page) >= len(p.counts) {
				damaged = true
				return
			}
			p.add(page, places)
		}
	})
	if err == nil && damaged {
		err = errWordsDamaged
	}
	return err
}
