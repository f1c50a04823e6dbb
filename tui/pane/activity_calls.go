package pane

import (
	"cmp"
	"iter"
	"slices"
	"strings"
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
	passing []uint64 // the numbers of the calls that match; ascending
	sources []string // in the order of their first calls

	revision                 uint64 // counts what changes passing
	toolTotals, clientTotals cachedSummary[[]callTotal]
	newestFirst, failedFirst cachedSummary[[]uint64]
	callCount, newCount      cachedSummary[int]
	newSince                 time.Time // that newCount counts from

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

// A callTotal is what the calls of one tool or client come to.
type callTotal struct {
	name     string
	calls    int
	failures int
	worked   time.Duration
	answered int
}

// firstCallNumber leaves room for the calls that are read from the audit.
const firstCallNumber = 1 << 32

func newCallLog() *callLog {
	return &callLog{whole: firstCallNumber, next: firstCallNumber, more: true}
}

// call is the call with this number, which must be there.
func (r *callLog) call(n uint64) *status.Call {
	i, _ := slices.BinarySearchFunc(r.calls, n, func(c numberedCall, n uint64) int { return cmp.Compare(c.n, n) })
	return r.calls[i].Call
}

// matching are the calls that match, the oldest first.
func (r *callLog) matching() iter.Seq[*status.Call] {
	return func(yield func(*status.Call) bool) {
		i := 0
		for _, n := range r.passing {
			for r.calls[i].n != n {
				i++
			}
			if !yield(r.calls[i].Call) {
				return
			}
		}
	}
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
		r.passing = append(r.passing, n)
	}
	if len(r.calls) > maxCalls { // append copies the rest now and then
		r.calls = r.calls[1:]
		r.more, r.before, r.whole = true, r.calls[0].ID, max(r.whole, r.calls[0].n)
	}
	if len(r.passing) > 0 && r.passing[0] < r.calls[0].n {
		r.passing = r.passing[1:]
	}
}

func (r *callLog) addSourceName(name string) {
	if !slices.Contains(r.sources, name) && len(r.sources) < maxSourceNames {
		r.sources = append(r.sources, name)
	}
}

// setSearch selects other calls.
func (r *callLog) setSearch(s status.CallSearch) {
	if s == r.search {
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
	r.passing, r.more, r.reached, r.failed = nil, true, time.Time{}, nil
	r.revision++
	for i := range r.calls {
		if r.search.Matches(r.calls[i].Call) {
			r.passing = append(r.passing, r.calls[i].n)
		}
	}
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
	older, numbers := make([]numberedCall, len(found)), make([]uint64, len(found))
	for i, c := range slices.Backward(found) {
		at, n := len(found)-1-i, first-1-uint64(i)
		older[at], numbers[at] = numberedCall{n, &c}, n
		r.addSourceName(c.Source)
		r.newestRecorded = max(r.newestRecorded, c.ID)
	}
	r.calls, r.passing = append(older, r.calls...), append(numbers, r.passing...)
	if r.search == (status.CallSearch{}) && len(r.calls) > 0 {
		r.whole = r.calls[0].n
	}
}

// nextRecordedQuery asks for recorded calls where fewer than [readAheadCalls] stand after
// position; nil: nothing is to be read.
func (r *callLog) nextRecordedQuery(position int) Query {
	if !r.more || len(r.calls) >= maxCalls || len(r.passing)-position > readAheadCalls {
		return nil
	}
	return r.olderQuery()
}

func (r *callLog) olderQuery() Query { return RecordedCallsQuery{Search: r.search, Before: r.before} }

// orderedCallNumbers returns the numbers of the calls that match, the newest first; with
// failedFirst those that failed stand before the others. It must not be changed.
func (r *callLog) orderedCallNumbers(failedFirst bool) []uint64 {
	newest := r.newestFirst.getOrCompute(r, func() []uint64 {
		all := slices.Clone(r.passing)
		slices.Reverse(all)
		return all
	})
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
	return r.toolTotals.getOrCompute(r, func() []callTotal { return r.totalsBy(func(c *status.Call) string { return c.Tool }) })
}

// totalsByClient are the totals of the clients, the greatest first.
func (r *callLog) totalsByClient() []callTotal {
	return r.clientTotals.getOrCompute(r, func() []callTotal { return r.totalsBy(func(c *status.Call) string { return c.Client }) })
}

// matchingCallCount counts the calls that match, without the events between them.
func (r *callLog) matchingCallCount() int {
	return r.callCount.getOrCompute(r, func() (n int) {
		for c := range r.matching() {
			if c.Event == "" {
				n++
			}
		}
		return n
	})
}

// countSince counts the calls that match and began after t.
func (r *callLog) countSince(t time.Time) int {
	if !t.Equal(r.newSince) {
		r.newCount, r.newSince = cachedSummary[int]{}, t
	}
	return r.newCount.getOrCompute(r, func() (n int) {
		for c := range r.matching() {
			if c.Time.After(t) {
				n++
			}
		}
		return n
	})
}

// totalsBy are what the calls that match come to, by name; the greatest first.
func (r *callLog) totalsBy(name func(*status.Call) string) []callTotal {
	byName := map[string]*callTotal{}
	for c := range r.matching() {
		if c.Event != "" {
			continue
		}
		t := byName[name(c)]
		if t == nil {
			t = &callTotal{name: name(c)}
			byName[t.name] = t
		}
		t.add(c)
	}
	all := make([]callTotal, 0, len(byName))
	for _, t := range byName {
		all = append(all, *t)
	}
	slices.SortFunc(all, func(a, b callTotal) int {
		return cmp.Or(cmp.Compare(b.calls, a.calls), strings.Compare(a.name, b.name))
	})
	return all
}

func (t *callTotal) add(c *status.Call) {
	t.calls++
	t.worked += c.Worked()
	t.answered += c.ResponseBytes
	if c.Failed() {
		t.failures++
	}
}
