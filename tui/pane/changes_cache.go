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
	changes    []status.Change // newest first
	count      int             // of them, a move as one
	sessions   []string        // in their order on the screen
	runs       []foldedChange  // the rows: what changes_folded.go makes of changes
	rowByID    map[string]int  // of each Change: its own row, or the one that it is folded into
	indexByID  map[string]int  // of each Change in changes
	unfolded   map[string]bool // by foldGroupID; replaced, never changed
	filter     widget.FilterInput
	more       bool   // there are older ones
	last       string // the Before of the oldest that was read
	err        error
	refresh    int // how often it became old
	loaded     int // the turn that was read; behind turn: it is old
	olderError string
	diffs      recentValues[widget.TextView]
}

func newChangeCache() changeCache { return changeCache{refresh: 1} }

func (b changeCache) rowCount() int            { return len(b.runs) }
func (b changeCache) rowAt(i int) foldedChange { return b.runs[i] }

// rowIndex is the row of a Change: its own, or the one that it is folded into; -1: none.
func (b changeCache) rowIndex(id string) int {
	if i, ok := b.rowByID[id]; ok {
		return i
	}
	return -1
}

func (b changeCache) startsSession(i int) bool {
	return i == 0 || b.runs[i-1].Session != b.runs[i].Session
}

func (b changeCache) get(id string) (status.Change, bool) {
	if i, ok := b.indexByID[id]; ok {
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
	older := b.more && b.olderError == "" && len(b.changes) < maxCachedChanges
	few := b.filter.Value() != "" && b.rowCount() < minFilteredRows // of what was read so far
	if c.pending || c.id == "" {
		if older && few {
			return ChangesQuery{Before: b.last, Refresh: b.refresh}
		}
		return nil
	}
	if _, known := b.diffs.get(c.id); !known {
		return DiffQuery{Change: c.id}
	}
	row := b.rowIndex(c.id)
	if older && (few || row >= b.rowCount()-5) {
		return ChangesQuery{Before: b.last, Refresh: b.refresh}
	}
	if row >= 0 {
		return b.nextRowQuery(row)
	}
	return nil
}

// maxReadAheadBytes is how large a change may be whose diff is read before it is selected.
const maxReadAheadBytes = 64 << 10

// nextRowQuery asks for the diff of a row beside the selected one, so that a key shows it at
// once; nil: they are known.
func (b changeCache) nextRowQuery(selected int) Query {
	for _, i := range []int{selected + 1, selected - 1, selected + 2, selected - 2} {
		if i < 0 || i >= b.rowCount() || b.runs[i].Before+b.runs[i].After > maxReadAheadBytes {
			continue
		}
		if _, known := b.diffs.get(b.runs[i].ID); !known {
			return DiffQuery{Change: b.runs[i].ID, Prefetch: true}
		}
	}
	return nil
}

// minFilteredRows is how many rows a filter is to find before older changes are read no
// further by themselves.
const minFilteredRows = 20

func (b changeCache) takeResult(f Result) changeCache {
	switch w := f.Query.(type) {
	case ChangesQuery:
		return b.addChangesBatch(w, f)
	case DiffQuery:
		l := widget.NewTextView()
		switch diff := f.Changes.Diffs[w.Change]; {
		case f.Err != nil:
			l = l.AppendText(widget.RiskLine, "Cannot load the diff: "+f.Err.Error())
		case diff == "":
			l = l.AppendText(widget.DimLine, "There is no diff for this change.")
		default:
			l = l.AppendText(widget.DiffLine, diff)
		}
		b.diffs = b.diffs.put(w.Change, l, maxCachedDiffs)
	}
	return b
}

// addChangesBatch takes a page of Changes. The newest replace all that was read.
func (b changeCache) addChangesBatch(w ChangesQuery, f Result) changeCache {
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
	b.changes = all
	return b.arrangeRows()
}

// diff is the difference that one Change made.
func (b changeCache) diff(id string) widget.TextView {
	if l, ok := b.diffs.get(id); ok {
		return l
	}
	return widget.NewTextView().AppendText(widget.DimLine, "Loading the diff …")
}
