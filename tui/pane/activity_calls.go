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

// A callLog keeps the newest calls, and which of them a filter lets through.
// Every call has a number that it keeps: they begin at 1.
type callLog struct {
	calls       []status.Call // by number modulo its capacity, once it is full
	first, next uint64
	filter      callFilter
	passing     []uint64 // the numbers of the calls that pass; ascending
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

func newCallLog() *callLog {
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
	if r.filter.matches(r.call(n)) {
		r.passing = append(r.passing, n)
	}
	if len(r.passing) > 0 && r.passing[0] < r.first { // append copies the rest now and then
		r.passing = r.passing[1:]
	}
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
	r.filter, r.passing = s, nil
	for n := r.first; n < r.next; n++ {
		if s.matches(r.call(n)) {
			r.passing = append(r.passing, n)
		}
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

// order returns the numbers of the calls that pass, the newest first; with
// failedFirst those that failed stand before the others.
func (r *callLog) order(failedFirst bool) []uint64 {
	order, succeeded := make([]uint64, 0, len(r.passing)), []uint64(nil)
	for _, n := range slices.Backward(r.passing) {
		if failedFirst && !r.call(n).Failed() {
			succeeded = append(succeeded, n)
		} else {
			order = append(order, n)
		}
	}
	return append(order, succeeded...)
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
