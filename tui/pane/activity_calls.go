package pane

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// maxCalls is how many calls [Activity] keeps.
const maxCalls = 10_000

// maxTotals bounds the names that totals are kept for; calls of later ones
// count as the last.
const maxTotals = 300

// calls keeps the newest calls, and which of them a filter lets through. Like
// ring, every call has a number that it keeps: they begin at 1.
type callLog struct {
	calls       []status.Call // by number modulo its capacity, once it is full
	first, next uint64
	filter      callFilter
	all, failed []uint64 // numbers that pass: all of them, and those that failed; ascending
	succeeded   []uint64
	tools       map[string]*total
	clients     map[string]*total
	sources     []string // in the order of their first calls
}

// A callFilter lets some calls through.
type callFilter struct {
	source string // empty: all
	text   string // in a name or a code, by the rules of widget.Index
}

// A total is what the calls of one tool or client come to.
type total struct {
	name     string
	calls    int
	failures int
	took     time.Duration
	answered int
}

func newCallRing() *callLog {
	return &callLog{first: 1, next: 1, tools: map[string]*total{}, clients: map[string]*total{}}
}

func (r *callLog) call(n uint64) *status.Call { return &r.calls[(n-1)%maxCalls] }

func (r *callLog) add(c status.Call) {
	if len(r.calls) < maxCalls {
		r.calls = append(r.calls, c)
	} else {
		*r.call(r.next) = c
		r.first++
	}
	n := r.next
	r.next++
	r.addToTotal(r.tools, c.Tool, c)
	r.addToTotal(r.clients, c.Client, c)
	if !slices.Contains(r.sources, c.Source) && len(r.sources) < maxTotals {
		r.sources = append(r.sources, c.Source)
	}
	r.index(n)
	r.all, r.failed, r.succeeded = r.trim(r.all), r.trim(r.failed), r.trim(r.succeeded)
}

// index takes note of call n if it passes.
func (r *callLog) index(n uint64) {
	c := r.call(n)
	if !r.filter.matches(c) {
		return
	}
	r.all = append(r.all, n)
	if c.Failed() {
		r.failed = append(r.failed, n)
	} else {
		r.succeeded = append(r.succeeded, n)
	}
}

// trim drops the numbers of calls that are gone. Appending to what is left
// copies it now and then, which costs little for each.
func (r *callLog) trim(numbers []uint64) []uint64 {
	for len(numbers) > 0 && numbers[0] < r.first {
		numbers = numbers[1:]
	}
	return numbers
}

func (r *callLog) addToTotal(totals map[string]*total, name string, c status.Call) {
	t := totals[name]
	if t == nil {
		if len(totals) >= maxTotals {
			name = "others"
		}
		if t = totals[name]; t == nil {
			t = &total{name: name}
			totals[name] = t
		}
	}
	t.calls++
	t.took += c.Duration
	t.answered += c.ResponseBytes
	if c.Failed() {
		t.failures++
	}
}

// setFilter changes the filter.
func (r *callLog) setFilter(s callFilter) {
	if s == r.filter {
		return
	}
	r.filter, r.all, r.failed, r.succeeded = s, nil, nil, nil
	for n := r.first; n < r.next; n++ {
		r.index(n)
	}
}

func (f callFilter) matches(c *status.Call) bool {
	if f.source != "" && c.Source != f.source {
		return false
	}
	if f.text == "" {
		return true
	}
	for _, field := range []string{c.Tool, c.Client, c.Source, c.Effect, c.Code, c.Session} {
		if widget.Matches(field, f.text) {
			return true
		}
	}
	return false
}

// An callOrder is a way to count through the calls that pass: the newest first,
// or those that failed before the others.
type callOrder struct {
	ring   *callLog
	errors bool
}

func (o callOrder) len() int { return len(o.ring.all) }

// at returns the number of the i-th call.
func (o callOrder) at(i int) uint64 {
	r := o.ring
	switch {
	case !o.errors:
		return r.all[len(r.all)-1-i]
	case i < len(r.failed):
		return r.failed[len(r.failed)-1-i]
	default:
		return r.succeeded[len(r.succeeded)-1-(i-len(r.failed))]
	}
}

// find returns where call n stands, or what stands nearest.
func (o callOrder) find(n uint64) int {
	r := o.ring
	if o.len() == 0 {
		return 0
	}
	behind := func(numbers []uint64) int {
		i, _ := slices.BinarySearch(numbers, n)
		return widget.Clamp(len(numbers)-1-i, len(numbers))
	}
	if !o.errors {
		return behind(r.all)
	}
	if _, failed := slices.BinarySearch(r.failed, n); failed {
		return behind(r.failed)
	}
	return widget.Clamp(len(r.failed)+behind(r.succeeded), o.len())
}

// sortedTotals are totals, the greatest first.
func sortedTotals(totals map[string]*total) []total {
	all := make([]total, 0, len(totals))
	for _, t := range totals {
		all = append(all, *t)
	}
	slices.SortFunc(all, func(a, b total) int {
		return cmp.Or(cmp.Compare(b.calls, a.calls), strings.Compare(a.name, b.name))
	})
	return all
}
