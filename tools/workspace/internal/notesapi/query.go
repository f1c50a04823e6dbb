package notesapi

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

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
	compare := func(a, b *fields) int { return compareNotes(a, b, order) }
	var last *fields
	if after != "" {
		r, err := c.draft.RecordOf(c.ctx, c.workspace, after)
		if err != nil {
			return nil, err
		}
		last = newFields(r)
	}
	var best []*fields
	keep := func() {
		slices.SortFunc(best, compare)
		best = best[:min(limit, len(best))]
	}
	err = c.draft.Each(c.ctx, c.workspace, s, func(r notestore.Record) bool {
		n := newFields(r)
		if f.fits(n) && (last == nil || compare(n, last) > 0) {
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

// compareNotes orders by the fields, then by id. Numbers stand before texts, and what
// a note does not have stands last.
func compareNotes(a, b *fields, order []sortKey) int {
	for _, k := range order {
		x, y := a.value(k.field), b.value(k.field)
		o, comparable := compareValues(x, y)
		if !comparable {
			o = cmp.Compare(kindRank(x), kindRank(y))
		} else if k.descending {
			o = -o
		}
		if o != 0 {
			return o
		}
	}
	return strings.Compare(a.record.ID, b.record.ID)
}

func kindRank(v any) int {
	switch v.(type) {
	case float64, int64:
		return 0
	case string:
		return 1
	case nil:
		return 3
	}
	return 2
}
