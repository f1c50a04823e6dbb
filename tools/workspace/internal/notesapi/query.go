package notesapi

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

// A queryBody is what POST …/query takes. A cursor in the address counts more.
type queryBody struct {
	Filter json.RawMessage `json:"filter"`
	Sort   json.RawMessage `json:"sort"` // a field or a list of them, each with - before it for the greatest first
	Limit  *int            `json:"limit"`
	Cursor string          `json:"cursor"`
}

func runQuery(c *call) (any, error) {
	var b queryBody
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	limit, cursor, err := c.page()
	if err != nil {
		return nil, err
	}
	if b.Limit != nil {
		if limit, err = c.checkLimit(*b.Limit); err != nil {
			return nil, err
		}
	}
	b.Cursor = cmp.Or(cursor, b.Cursor)
	f, err := parseFilter(b.Filter)
	if err != nil {
		return nil, err
	}
	order, err := parseSort(b.Sort)
	if err != nil {
		return nil, err
	}
	s := notestore.Selection{Class: f.class, Contains: f.contains}
	rows := rowList{call: c, limit: limit}
	if order == nil {
		s.After = b.Cursor
		return rows.finish(c.draft.Each(c.ctx, c.workspace, s, func(r notestore.Record) bool {
			return !f.fits(newFields(r)) || rows.add(newNoteRow(r), r.Revision)
		}))
	}
	list, err := c.sorted(s, f, order, b.Cursor, limit)
	for _, r := range list {
		if !rows.add(newNoteRow(r), r.Revision) {
			break
		}
	}
	return rows.finish(err)
}

// A sortKey is a field to sort by.
type sortKey struct {
	field      string
	descending bool
}

func parseSort(raw json.RawMessage) (order []sortKey, err error) {
	var names []string
	if len(raw) > 0 && string(raw) != "null" {
		var one string
		if err := json.Unmarshal(raw, &one); err == nil {
			names = []string{one}
		} else if err := json.Unmarshal(raw, &names); err != nil {
			return nil, badRequest("sort must be a field or a list of fields, each with - before it for the greatest first")
		}
	}
	for _, name := range names {
		field, descending := strings.CutPrefix(name, "-")
		if err := checkField(field); err != nil {
			return nil, err
		}
		order = append(order, sortKey{field, descending})
	}
	return order, nil
}

// sorted are the first limit notes that fit, in an order, after one of them.
func (c *call) sorted(s notestore.Selection, f filter, order []sortKey, after string, limit int) (list []notestore.Record, err error) {
	compare := func(a, b *sortedNote) int { return compareNotes(a, b, order) }
	var last *sortedNote
	if after != "" {
		r, err := c.draft.RecordOf(c.ctx, c.workspace, after)
		if err != nil {
			return nil, err
		}
		last = newSortedNote(newFields(r), order)
	}
	var best []*sortedNote
	var worst *sortedNote // what stands behind it is not listed; nil: not known
	keep := func() {
		slices.SortFunc(best, compare)
		if len(best) >= limit {
			best, worst = best[:limit], best[limit-1]
		}
	}
	err = c.draft.Each(c.ctx, c.workspace, s, func(r notestore.Record) bool {
		fields := newFields(r)
		if !f.fits(fields) {
			return true
		}
		n := newSortedNote(fields, order)
		if (last == nil || compare(n, last) > 0) && (worst == nil || compare(n, worst) < 0) {
			best = append(best, n)
		}
		if len(best) > 2*limit+100 {
			keep()
		}
		return true
	})
	keep()
	for _, n := range best {
		list = append(list, n.record)
	}
	return list, err
}

// A sortedNote is a note with its values of the fields of an order.
type sortedNote struct {
	*fields
	values []sortValue
}

func newSortedNote(f *fields, order []sortKey) *sortedNote {
	n := &sortedNote{f, make([]sortValue, len(order))}
	for i, k := range order {
		n.values[i] = newSortValue(f.value(k.field))
	}
	return n
}

// A sortValue is a value that is compared often. Numbers stand before texts, and what a note
// does not have stands last.
type sortValue struct {
	rank   int // 0: a number, 1: a text, 2: something else, 3: nothing
	number float64
	text   string
	time   time.Time
	isTime bool
}

func newSortValue(v any) (s sortValue) {
	switch v := v.(type) {
	case float64:
		s.number = v
	case string:
		s.rank, s.text = 1, v
		s.time, s.isTime = parseTime(v)
	case nil:
		s.rank = 3
	default:
		s.rank = 2
	}
	return s
}

// compare is compareValues.
func (s *sortValue) compare(other *sortValue) int {
	switch {
	case s.rank == 0:
		return cmp.Compare(s.number, other.number)
	case s.isTime && other.isTime:
		return s.time.Compare(other.time)
	}
	return strings.Compare(s.text, other.text)
}

// compareNotes orders by the fields, then by id.
func compareNotes(a, b *sortedNote, order []sortKey) int {
	for i, k := range order {
		x, y := &a.values[i], &b.values[i]
		o := cmp.Compare(x.rank, y.rank)
		if o == 0 {
			if o = x.compare(y); k.descending {
				o = -o
			}
		}
		if o != 0 {
			return o
		}
	}
	return strings.Compare(a.record.ID, b.record.ID)
}
