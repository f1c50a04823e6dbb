package index

import (
	"context"
)

// lists are the pages with each of the phrases that are scored. What they say of pages
// with all terms is complete; with all prefixes, or any, they are complete.
func (s *wordSearch) lists(ctx context.Context, how Match) ([][]pageCount, error) {
	switch {
	case how == NearWords:
		return s.spelledLists(ctx)
	case how == AllWords:
		return s.exactLists(ctx)
	}
	var err error
	if s.prefixes == nil {
		s.prefixes, err = s.prefixLists(ctx)
	}
	return s.prefixes, err
}

func (s *wordSearch) spelledLists(ctx context.Context) ([][]pageCount, error) {
	scored := s.q.scored()
	all := make([][]pageCount, len(scored))
	for i, phrase := range scored {
		if len(phrase) > 1 {
			m, err := s.readPhrase(ctx, phrase)
			if err != nil {
				return nil, err
			}
			all[i] = m.counts()
			continue
		}
		var err error
		if all[i], err = s.read(ctx, phrase[0], func(uint32, []byte) {}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// exactLists returns nothing as soon as no page can have all terms. Phrases are read
// first, and then words, those first that fewest pages have.
func (s *wordSearch) exactLists(ctx context.Context) ([][]pageCount, error) {
	r := exactReader{wordSearch: s, all: make([][]pageCount, len(s.q.Terms), len(s.q.Terms)+1), joined: s.newMatch()}
	var words []exactWord
	shift := 0
	for i, term := range s.q.Terms {
		if len(term) == 1 {
			words = append(words, exactWord{term[0], i, shift})
		} else if more, err := r.readTerm(ctx, i, shift); err != nil || !more {
			return nil, err
		}
		shift += len(term)
	}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.text
	}
	order, err := s.shortestFirst(ctx, texts)
	if err != nil {
		return nil, err
	}
	for _, k := range order {
		if more, err := r.readWord(ctx, words[k]); err != nil || !more {
			return nil, err
		}
	}
	if len(r.all) == 1 {
		return r.all, nil
	}
	return append(r.all, r.joined.counts()), nil
}

// An exactReader reads the lists of terms of which a page must have all. The phrase that
// they make is only looked for on pages that have all that was read before.
type exactReader struct {
	*wordSearch

	all    [][]pageCount
	joined *phraseMatch
	within *pageSet // nil: nothing was read
}

// An exactWord is a term of one word, and how many words of the query come before.
type exactWord struct {
	text         string
	term, before int
}

// readTerm reads a term of several words, and reports whether a page may have all terms.
func (r *exactReader) readTerm(ctx context.Context, term, shift int) (more bool, err error) {
	m, err := r.readPhrase(ctx, r.q.Terms[term])
	if err != nil {
		return false, err
	}
	list := m.counts()
	if len(r.all) > 1 {
		r.joined.addPhrase(m, shift)
	}
	return r.narrow(term, list), nil
}

func (r *exactReader) readWord(ctx context.Context, w exactWord) (more bool, err error) {
	r.joined.begin(w.before)
	list, err := r.read(ctx, w.text, func(page uint32, places []byte) {
		if len(r.all) > 1 && (r.within == nil || r.within.has(page)) {
			r.joined.add(page, places, w.before)
		}
	})
	r.joined.end()
	return err == nil && r.narrow(w.term, list), err
}

func (r *exactReader) narrow(term int, list []pageCount) bool {
	if r.all[term] = list; r.within == nil {
		r.within = &pageSet{pages: pagesOf(list)}
	} else {
		r.within = &pageSet{pages: intersect(r.within.pages, list)}
	}
	return len(r.within.pages) > 0
}

// prefixLists counts phrases whose last word begins as that of the query. Words that
// begin alike are read once for all phrases.
func (s *wordSearch) prefixLists(ctx context.Context) ([][]pageCount, error) {
	var highest int // id of a page
	if err := s.c.QueryRow(ctx, "SELECT coalesce(max(id), 0) FROM pages").Scan(&highest); err != nil {
		return nil, err
	}
	scored := s.q.scored()
	counts := make([]*prefixCount, len(scored))
	byPrefix := map[string][]*prefixCount{}
	for i, phrase := range scored {
		last := len(phrase) - 1
		counts[i] = &prefixCount{counts: make([]uint32, highest+1)}
		if last > 0 {
			m, err := s.readPhrase(ctx, phrase[:last])
			if err != nil {
				return nil, err
			}
			m.settle()
			m.at = 0
			if counts[i].phrase, counts[i].before = m, last; len(m.pages) == 0 {
				continue
			}
		}
		byPrefix[phrase[last]] = append(byPrefix[phrase[last]], counts[i])
	}
	for prefix, all := range byPrefix {
		if err := s.readPrefixes(ctx, prefix, all); err != nil {
			return nil, err
		}
	}
	lists := make([][]pageCount, len(counts))
	for i, c := range counts {
		lists[i] = c.list()
	}
	return lists, nil
}

// selected are the pages that a query finds by its lists, in order.
func (s *wordSearch) selected(how Match, lists [][]pageCount) []uint32 {
	if lists == nil {
		return nil
	}
	if how == AnyPrefix {
		return unite(lists[:len(s.q.Terms)]...)
	}
	var pages []uint32
	at := 0
	for i, words := range s.q.alternatives() {
		one := lists[at : at+len(words)]
		at += len(words)
		switch {
		case i == 0:
			pages = unite(one...)
		case len(one) == 1:
			pages = intersect(pages, one[0])
		default:
			pages = intersectPages(pages, unite(one...))
		}
	}
	return pages
}
