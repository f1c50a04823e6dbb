package index

import (
	"bytes"
	"context"
)

// A prefixCount counts words that begin in some way: all of them, or those at the end of
// a phrase.
type prefixCount struct {
	counts []uint32     // by page
	phrase *phraseMatch // the words before; nil: there are none
	before int          // how many they are

	found []place
}

func (p *prefixCount) add(page uint32, places []byte) {
	if p.phrase == nil {
		p.count(page, weigh(places))
		return
	}
	if !p.phrase.find(page) {
		return
	}
	at := p.phrase.pages[p.phrase.at]
	p.found = keepPlaces(shiftPlaces(readPlaces(p.found[:0], places), p.before), p.phrase.starts[at.from:at.to])
	for _, start := range p.found {
		p.count(page, start.weight())
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
			list = append(list, pageCount{uint32(page), n})
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
