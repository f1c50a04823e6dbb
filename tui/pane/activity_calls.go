package pane

import (
	"cmp"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// maxCalls is how many calls [Activity] keeps.
const maxCalls = 10_000

// readAheadCalls is how many calls before the selected one are read from the audit.
const readAheadCalls = 200

// maxSourceNames bounds the names of sources that are kept.
const maxSourceNames = 300

// A callLog keeps calls, and which of them a search selects: those that ended
// since the panel began to follow and those that the hub remembered then, and
// before them what was read from the audit. Every call has a number that it
// keeps, ascending.
type callLog struct {
	calls   []numberedCall
	whole   uint64 // the first call from which on none is left out; those before match the search
	next    uint64
	search  status.CallSearch
	passing newestFirst // the numbers of the calls that match
	counts  callCounts  // of those
	sources []string    // in the order of their first calls

	revision                 uint64 // counts what changes passing
	toolTotals, clientTotals cachedSummary[[]callTotal]
	failedFirst              cachedSummary[[]uint64]
	rows                     drawnRows

	newestRecorded int64     // the ID of the newest call that was read from the audit; 0: none was
	before         int64     // the ID of the oldest; 0: none was
	more           bool      // there may be recorded calls before it
	reached        time.Time // back to this time all that match were read, if there may be more; zero: not known
	failed         error     // why they cannot be read
}

// A numberedCall points to its call, because lists of them are copied when they grow.
type numberedCall struct {
	n uint64
	*status.Call
}

// A summary is what all calls that match come to. It is kept until other calls match,
// because panes are drawn far more often.
type cachedSummary[T any] struct {
	value    T
	revision uint64 // of the calls, plus one; 0: never made
}

// getOrCompute returns the summary of r, which compute makes.
func (s *cachedSummary[T]) getOrCompute(r *callLog, compute func() T) T {
	if s.revision != r.revision+1 {
		s.value, s.revision = compute(), r.revision+1
	}
	return s.value
}

// firstCallNumber leaves room for the calls that are read from the audit.
const firstCallNumber = 1 << 32

func newCallLog() *callLog {
	return &callLog{whole: firstCallNumber, next: firstCallNumber, more: true, counts: newCallCounts(time.Time{})}
}

// call is the call with this number, which must be there.
func (r *callLog) call(n uint64) *status.Call {
	i, _ := slices.BinarySearchFunc(r.calls, n, func(c numberedCall, n uint64) int { return cmp.Compare(c.n, n) })
	return r.calls[i].Call
}

// add adds a call that has just ended.
func (r *callLog) add(c status.Call) {
	if c.ID != 0 && c.ID <= r.newestRecorded { // it, or calls before it, were read from the audit
		r.dropRecorded()
	}
	n := r.next
	r.next++
	r.revision++
	r.calls = append(r.calls, numberedCall{n, &c})
	r.addSourceName(c.Source)
	if r.search.Matches(&c) {
		r.passing.addNewer(n)
		r.counts.add(&c, 1)
	}
	if len(r.calls) > maxCalls { // append copies the rest now and then
		oldest := r.calls[0]
		if all := r.passing.all(); len(all) > 0 && all[len(all)-1] == oldest.n {
			r.passing.dropOldest()
			r.counts.add(oldest.Call, -1)
		}
		r.calls = r.calls[1:]
		r.more, r.before, r.whole = true, r.calls[0].ID, max(r.whole, r.calls[0].n)
	}
}

func (r *callLog) addSourceName(name string) {
	if !slices.Contains(r.sources, name) && len(r.sources) < maxSourceNames {
		r.sources = append(r.sources, name)
	}
}

// setSearch selects other calls.
func (r *callLog) setSearch(s status.CallSearch) {
	if s.Equal(r.search) {
		return
	}
	r.calls = slices.DeleteFunc(r.calls, func(c numberedCall) bool { return c.n < r.whole })
	r.search, r.before = s, 0
	if len(r.calls) > 0 {
		r.before = r.calls[0].ID
	}
	r.rematchCalls()
}

// dropRecorded drops what was read from the audit.
func (r *callLog) dropRecorded() {
	r.calls = slices.DeleteFunc(r.calls, func(c numberedCall) bool { return c.Seq == 0 })
	r.newestRecorded, r.before, r.whole = 0, 0, r.next
	if len(r.calls) > 0 {
		r.whole = r.calls[0].n
	}
	r.rematchCalls()
}

// rematchCalls selects among the calls that are there, and has older ones read.
func (r *callLog) rematchCalls() {
	r.passing, r.more, r.reached, r.failed = newestFirst{}, true, time.Time{}, nil
	r.rows = drawnRows{} // others get the numbers of the recorded ones
	r.revision++
	for i := range r.calls {
		if r.search.Matches(r.calls[i].Call) {
			r.passing.addNewer(r.calls[i].n)
		}
	}
	r.recount()
}

// addRecorded adds what was read from the audit, which is older than all that is
// there.
func (r *callLog) addRecorded(page status.RecordedCalls, err error) {
	r.more, r.reached, r.failed = err == nil && page.Next != 0, page.Reached, err
	r.revision++
	if r.more {
		r.before = page.Next
	}
	known := map[int64]bool{}
	for i := range r.calls {
		known[r.calls[i].ID] = true
	}
	found := slices.DeleteFunc(page.Calls, func(c status.Call) bool { return known[c.ID] })
	first := r.next
	if len(r.calls) > 0 {
		first = r.calls[0].n
	}
	older := make([]numberedCall, len(found))
	for i, c := range found {
		n := first - 1 - uint64(i)
		older[len(found)-1-i] = numberedCall{n, &c}
		r.passing.addOlder(n)
		r.counts.add(&c, 1)
		r.newestRecorded = max(r.newestRecorded, c.ID)
	}
	for i := range older {
		r.addSourceName(older[i].Source)
	}
	r.calls = append(older, r.calls...)
	if r.search == (status.CallSearch{}) && len(r.calls) > 0 {
		r.whole = r.calls[0].n
	}
}

// nextRecordedQuery asks for recorded calls where fewer than [readAheadCalls] stand after
// position; nil: nothing is to be read.
func (r *callLog) nextRecordedQuery(position int) Query {
	if !r.more || len(r.calls) >= maxCalls || len(r.passing.all())-position > readAheadCalls {
		return nil
	}
	return r.olderQuery()
}

func (r *callLog) olderQuery() Query { return RecordedCallsQuery{Search: r.search, Before: r.before} }

// orderedCallNumbers returns the numbers of the calls that match, the newest first; with
// failedFirst those that failed stand before the others. It must not be changed.
func (r *callLog) orderedCallNumbers(failedFirst bool) []uint64 {
	newest := r.passing.all()
	if !failedFirst {
		return newest
	}
	return r.failedFirst.getOrCompute(r, func() []uint64 {
		failed := slices.DeleteFunc(slices.Clone(newest), func(n uint64) bool { return !r.call(n).Failed() })
		for _, n := range newest {
			if !r.call(n).Failed() {
				failed = append(failed, n)
			}
		}
		return failed
	})
}

// totalsByTool are the totals of the tools, the greatest first.
func (r *callLog) totalsByTool() []callTotal {
	return r.toolTotals.getOrCompute(r, r.counts.byTool.greatestFirst)
}

// totalsByClient are the totals of the clients, the greatest first.
func (r *callLog) totalsByClient() []callTotal {
	return r.clientTotals.getOrCompute(r, r.counts.byClient.greatestFirst)
}

// countSince counts the calls and events that match and began after t.
func (r *callLog) countSince(t time.Time) int {
	if !t.Equal(r.counts.since) {
		r.counts.since = t
		r.recount()
	}
	return r.counts.newer
}

// recount counts the calls that match again.
func (r *callLog) recount() {
	r.counts = newCallCounts(r.counts.since)
	for _, n := range r.passing.all() {
		r.counts.add(r.call(n), 1)
	}
}
