package pane

import (
	"slices"

	"github.com/lectern-mcp/lectern/status"
)

// bookMost is how many Changes are kept; `lectern changes` has the rest.
const bookMost = 2000

// bookDiffs is how many diffs are kept.
const bookDiffs = 30

// A book is what the pane has read of the journal. It is a value.
type book struct {
	changes []status.Change // by session: that of the newest Change first; in each newest first
	more    bool            // there are older ones
	last    string          // the ID of the oldest that was read
	err     error
	turn    int // how often it became old
	known   int // the turn that was read; behind turn: it is old
	older   string
	diffs   map[string]leaf // replaced, never changed
}

func newBook() book { return book{turn: 1} }

func (b book) len() int               { return len(b.changes) }
func (b book) at(i int) status.Change { return b.changes[i] }
func (b book) find(id string) int {
	return slices.IndexFunc(b.changes, func(c status.Change) bool { return c.ID == id })
}
func (b book) begins(i int) bool { return i == 0 || b.changes[i-1].Session != b.changes[i].Session }
func (b book) get(id string) (status.Change, bool) {
	if i := b.find(id); i >= 0 {
		return b.changes[i], true
	}
	return status.Change{}, false
}

// wants is what the book would like to read while c is selected: the newest
// first, then the diff of c, then older ones when c is near the end.
func (b book) wants(c choice) Want {
	if b.known != b.turn {
		return ChangesBefore{Turn: b.turn}
	}
	if c.waits || c.id == "" {
		return nil
	}
	if _, known := b.diffs[c.id]; !known {
		return DiffOf{c.id}
	}
	if b.more && b.older == "" && b.len() < bookMost && b.find(c.id) >= b.len()-5 {
		return ChangesBefore{ID: b.last, Turn: b.turn}
	}
	return nil
}

func (b book) learn(f Fact) book {
	switch w := f.Want.(type) {
	case ChangesBefore:
		return b.page(w, f)
	case DiffOf:
		l := newLeaf()
		switch diff := f.Changes.Diffs[w.Change]; {
		case f.Err != nil:
			l = l.with(leafRisk, "The difference is not known: "+f.Err.Error())
		case diff == "":
			l = l.with(leafDim, "There is no difference to show.")
		default:
			l = l.with(leafDiff, diff)
		}
		diffs := map[string]leaf{w.Change: l}
		for id, l := range b.diffs {
			if len(diffs) < bookDiffs && id != w.Change {
				diffs[id] = l
			}
		}
		b.diffs = diffs
	}
	return b
}

// page takes a page of Changes. The newest replace all that was read.
func (b book) page(w ChangesBefore, f Fact) book {
	all := f.Changes.Changes
	if w.ID == "" {
		b.known, b.err, b.older = w.Turn, f.Err, ""
	} else {
		b.older = ""
		if f.Err != nil {
			b.older = "older ones: " + f.Err.Error()
			return b
		}
		all = slices.Concat(b.changes, all)
	}
	if f.Err != nil {
		return b
	}
	b.more = f.Changes.More
	if n := len(f.Changes.Changes); n > 0 {
		b.last = f.Changes.Changes[n-1].ID
	} else {
		b.more = false
	}
	b.changes = bySession(all)
	return b
}

// bySession sorts newest first within sessions, that of the newest Change first.
func bySession(all []status.Change) []status.Change {
	rank := map[string]int{}
	for _, c := range all {
		if _, ok := rank[c.Session]; !ok {
			rank[c.Session] = len(rank)
		}
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b status.Change) int { return rank[a.Session] - rank[b.Session] })
	return sorted
}

// diff is the difference that one Change made.
func (b book) diff(id string) leaf {
	if l, ok := b.diffs[id]; ok {
		return l
	}
	return newLeaf().with(leafDim, "Reading the difference …")
}
