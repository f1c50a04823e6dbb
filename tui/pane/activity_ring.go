package pane

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// ActivityCalls is how many calls [Activity] keeps.
const ActivityCalls = 10_000

// activityTotals bounds the names that totals are kept for; calls of later ones
// count as the last.
const activityTotals = 300

// calls keeps the newest calls, and which of them a sieve lets through. Like
// ring, every call has a number that it keeps: they begin at 1.
type callRing struct {
	calls       []status.Call // by number modulo its capacity, once it is full
	first, next uint64
	sieve       sieve
	all, bad    []uint64 // numbers that pass: all of them, and those that failed; ascending
	good        []uint64
	tools       map[string]*total
	clients     map[string]*total
	sources     []string // in the order of their first calls
}

// A sieve lets some calls through.
type sieve struct {
	source string // empty: all
	needle string // in a name or a code; without capitals the case does not matter
}

// A total is what the calls of one tool or client come to.
type total struct {
	name     string
	calls    int
	failures int
	took     time.Duration
	answered int
}

func newCallRing() *callRing {
	return &callRing{first: 1, next: 1, tools: map[string]*total{}, clients: map[string]*total{}}
}

func (r *callRing) at(n uint64) *status.Call { return &r.calls[(n-1)%ActivityCalls] }

func (r *callRing) add(c status.Call) {
	if len(r.calls) < ActivityCalls {
		r.calls = append(r.calls, c)
	} else {
		*r.at(r.next) = c
		r.first++
	}
	n := r.next
	r.next++
	r.sum(r.tools, c.Tool, c)
	r.sum(r.clients, c.Client, c)
	if !slices.Contains(r.sources, c.Source) && len(r.sources) < activityTotals {
		r.sources = append(r.sources, c.Source)
	}
	r.keep(n)
	r.all, r.bad, r.good = r.trim(r.all), r.trim(r.bad), r.trim(r.good)
}

// keep takes note of call n if it passes.
func (r *callRing) keep(n uint64) {
	c := r.at(n)
	if !r.sieve.lets(c) {
		return
	}
	r.all = append(r.all, n)
	if c.Failed() {
		r.bad = append(r.bad, n)
	} else {
		r.good = append(r.good, n)
	}
}

// trim drops the numbers of calls that are gone. Appending to what is left
// copies it now and then, which costs little for each.
func (r *callRing) trim(numbers []uint64) []uint64 {
	for len(numbers) > 0 && numbers[0] < r.first {
		numbers = numbers[1:]
	}
	return numbers
}

func (r *callRing) sum(totals map[string]*total, name string, c status.Call) {
	t := totals[name]
	if t == nil {
		if len(totals) >= activityTotals {
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

// look changes the sieve.
func (r *callRing) look(s sieve) {
	if s == r.sieve {
		return
	}
	r.sieve, r.all, r.bad, r.good = s, nil, nil, nil
	for n := r.first; n < r.next; n++ {
		r.keep(n)
	}
}

func (s sieve) lets(c *status.Call) bool {
	if s.source != "" && c.Source != s.source {
		return false
	}
	if s.needle == "" {
		return true
	}
	l := lens{needle: s.needle}
	for _, text := range []string{c.Tool, c.Client, c.Source, c.Effect, c.Code, c.Session} {
		if l.find([]byte(text)) >= 0 {
			return true
		}
	}
	return false
}

// An order is a way to count through the calls that pass: the newest first, or
// those that failed before the others.
type order struct {
	ring   *callRing
	errors bool
}

func (o order) len() int { return len(o.ring.all) }

// at returns the number of the i-th call.
func (o order) at(i int) uint64 {
	r := o.ring
	switch {
	case !o.errors:
		return r.all[len(r.all)-1-i]
	case i < len(r.bad):
		return r.bad[len(r.bad)-1-i]
	default:
		return r.good[len(r.good)-1-(i-len(r.bad))]
	}
}

// find returns where call n stands, or what stands nearest.
func (o order) find(n uint64) int {
	r := o.ring
	if o.len() == 0 {
		return 0
	}
	behind := func(numbers []uint64) int {
		i, _ := slices.BinarySearch(numbers, n)
		return clamp(len(numbers)-1-i, len(numbers))
	}
	if !o.errors {
		return behind(r.all)
	}
	if _, failed := slices.BinarySearch(r.bad, n); failed {
		return behind(r.bad)
	}
	return clamp(len(r.bad)+behind(r.good), o.len())
}

// most are totals, the greatest first.
func most(totals map[string]*total) []total {
	all := make([]total, 0, len(totals))
	for _, t := range totals {
		all = append(all, *t)
	}
	slices.SortFunc(all, func(a, b total) int {
		return cmp.Or(cmp.Compare(b.calls, a.calls), strings.Compare(a.name, b.name))
	})
	return all
}
