package pane

import (
	"slices"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// maxCachedChanges is how many Changes are kept; `lectern changes` has the rest.
const maxCachedChanges = 2000

// maxCachedDiffs is how many diffs are kept.
const maxCachedDiffs = 30

// A changeCache is what the pane has read of the journal. It is a value.
type changeCache struct {
	changes    []status.Change // by session: that of the newest Change first; in each newest first
	more       bool            // there are older ones
	last       string          // the Before of the oldest that was read
	err        error
	refresh    int // how often it became old
	loaded     int // the turn that was read; behind turn: it is old
	olderError string
	diffs      map[string]widget.TextView // replaced, never changed
}

func newChangeCache() changeCache { return changeCache{refresh: 1} }

func (b changeCache) len() int               { return len(b.changes) }
func (b changeCache) at(i int) status.Change { return b.changes[i] }
func (b changeCache) find(id string) int {
	return slices.IndexFunc(b.changes, func(c status.Change) bool { return c.ID == id })
}

func (b changeCache) startsSession(i int) bool {
	return i == 0 || b.changes[i-1].Session != b.changes[i].Session
}

func (b changeCache) get(id string) (status.Change, bool) {
	if i := b.find(id); i >= 0 {
		return b.changes[i], true
	}
	return status.Change{}, false
}

// wantedQuery is what the cache would like to read while c is selected: the newest
// first, then the diff of c, then older ones when c is near the end.
func (b changeCache) wantedQuery(c changeSelection) Query {
	if b.loaded != b.refresh {
		return ChangesQuery{Refresh: b.refresh}
	}
	if c.pending || c.id == "" {
		return nil
	}
	if _, known := b.diffs[c.id]; !known {
		return DiffQuery{c.id}
	}
	if b.more && b.olderError == "" && b.len() < maxCachedChanges && b.find(c.id) >= b.len()-5 {
		return ChangesQuery{Before: b.last, Refresh: b.refresh}
	}
	return nil
}

func (b changeCache) takeResult(f Result) changeCache {
	switch w := f.Query.(type) {
	case ChangesQuery:
		return b.addPage(w, f)
	case DiffQuery:
		l := widget.NewTextView()
		switch diff := f.Changes.Diffs[w.Change]; {
		case f.Err != nil:
			l = l.Add(widget.RiskLine, "Cannot load the diff: "+f.Err.Error())
		case diff == "":
			l = l.Add(widget.DimLine, "There is no diff for this change.")
		default:
			l = l.Add(widget.DiffLine, diff)
		}
		diffs := map[string]widget.TextView{w.Change: l}
		for id, l := range b.diffs {
			if len(diffs) < maxCachedDiffs && id != w.Change {
				diffs[id] = l
			}
		}
		b.diffs = diffs
	}
	return b
}

// addPage takes a page of Changes. The newest replace all that was read.
func (b changeCache) addPage(w ChangesQuery, f Result) changeCache {
	all := f.Changes.Changes
	if w.Before == "" {
		b.loaded, b.err, b.olderError = w.Refresh, f.Err, ""
	} else {
		b.olderError = ""
		if f.Err != nil {
			b.olderError = "cannot load older changes: " + f.Err.Error()
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
	b.changes = groupBySession(all)
	return b
}

// groupBySession sorts newest first within sessions, that of the newest Change
// first.
func groupBySession(all []status.Change) []status.Change {
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
func (b changeCache) diff(id string) widget.TextView {
	if l, ok := b.diffs[id]; ok {
		return l
	}
	return widget.NewTextView().Add(widget.DimLine, "Loading the diff …")
}
