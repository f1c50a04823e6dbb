package audit

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// A Filter selects the calls that match every field that is set.
type Filter struct {
	Client, Source, Tool, Effect string
	Target                       string // one that the call touched, in full
	Outcome                      Outcome
	Events                       bool      // events, too; an Outcome selects them by itself
	Since, Until                 time.Time // by when the call began; Until itself is excluded
	Before                       int64     // an ID: only calls that began before that one
	Limit                        int       // 0: 100; at most 1,000
	Search                       Search

	oldest   int64 // an ID: only calls that did not begin before that one
	searched int   // 0: [MaxSearched]
	rare     int   // 0: [maxRare]
}

// A Search selects the calls of which every condition holds.
type Search []Condition

// A Condition holds if Field has Text in it, whatever the case of ASCII letters, or if it is
// one of other conditions, as Op says.
type Condition struct {
	Op Op
	Of []Condition // of All and Any; of Not one
	// "client", "source", "tool" or "targets"; "effect" and "outcome", which are the Text in full;
	// "changes": it changed something; "since" and "until", which are a Time; empty: any field but these last four.
	Field, Text string
	Time        time.Time
}

// An Op says what holds; empty: what the Field has.
type Op string

// How conditions are joined.
const (
	All Op = "all"
	Any Op = "any"
	Not Op = "not"
)

// mentions reports whether one of the conditions, or one in them, asks for an outcome.
func (s Search) mentions(o Outcome) bool {
	return slices.ContainsFunc(s, func(c Condition) bool { return c.Field == "outcome" && c.Text == string(o) || Search(c.Of).mentions(o) })
}

// MaxSearched is how many calls one page comes of at most, if each condition of its
// Filter holds for very many calls: fewer, where each call is compared with several
// texts. What few calls have is found in all of the trail at once.
const MaxSearched = 50_000

// A Page is the newest calls that a Filter selects, newest first.
type Page struct {
	Calls []Record `json:"calls"`
	More  bool     `json:"more"`                  // there may be older ones: the next page is Before Next
	Next  int64    `json:"next,omitempty,string"` // 0: there are none
}

// Reached is the time back to which the page has all that its Filter selects, if
// there may be more.
func (p Page) Reached() time.Time {
	if p.Next == 0 {
		return time.Time{}
	}
	return idTime(p.Next)
}

// A Reader reads a trail, whether or not a process writes to it.
type Reader struct{ store *sqlstore.Store }

// OpenReader opens the trail in this file. The error is [fs.ErrNotExist] if
// there is none.
func OpenReader(ctx context.Context, file string, now func() time.Time) (*Reader, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("read audit: %w", err)
	}
	store, err := openStore(ctx, file, now)
	if err != nil {
		return nil, err
	}
	return &Reader{store}, nil
}

// Close closes the file.
func (r *Reader) Close() error { return r.store.Close() }

// Calls returns the newest calls that f selects.
func (r *Reader) Calls(ctx context.Context, f Filter) (page Page, err error) {
	if texts := f.texts(); len(texts) > 0 || len(f.Search) > 0 {
		page, err = r.search(ctx, f, texts)
	} else {
		page, err = r.page(ctx, f, f.bounds())
	}
	if err != nil {
		return Page{}, fmt.Errorf("read audit: %w", err)
	}
	return page, nil
}

// page reads one call more than the limit, to know whether there is one. It walks
// the calls by their IDs, whatever the conditions are: they stand together on the
// disk, and those of an index do not.
func (r *Reader) page(ctx context.Context, f Filter, where conditions) (Page, error) {
	text, args := where.sql()
	query := "SELECT " + columns + " FROM calls NOT INDEXED" + text + " ORDER BY id DESC LIMIT ?"
	calls, err := sqlstore.Select(ctx, r.store.Reader(), scanRecord, query, append(args, f.limit()+1)...)
	if err != nil {
		return Page{}, err
	}
	return f.cut(calls), nil
}

// cut makes a page of what was asked for: one call more than the limit.
func (f Filter) cut(calls []Record) Page {
	if limit := f.limit(); len(calls) > limit {
		return Page{calls[:limit], true, calls[limit-1].ID}
	}
	return Page{Calls: calls}
}

func (f Filter) limit() int {
	if f.Limit == 0 {
		return 100
	}
	return min(f.Limit, 1000)
}

// A condition is part of a WHERE clause with its arguments.
type condition struct {
	sql  string
	args []any
}

type conditions []condition

func (all *conditions) add(sql string, args ...any) { *all = append(*all, condition{sql, args}) }

func (all conditions) sql() (where string, args []any) {
	for i, c := range all {
		if i == 0 {
			where = " WHERE "
		} else {
			where += " AND "
		}
		where += c.sql
		args = append(args, c.args...)
	}
	return where, args
}

// bounds are the conditions that every filter has: which calls are looked at.
func (f Filter) bounds() conditions { return append(f.kindBounds(), f.idBounds()...) }

// kindBounds are those that leave out events.
func (f Filter) kindBounds() (all conditions) {
	if f.Outcome == "" && !f.Events && !f.Search.mentions(Event) {
		all.add("outcome <> ?", string(Event))
	}
	return all
}

// idBounds are those that an index of any field knows: at most one from below and one
// from above, because SQLite walks by one of each.
func (f Filter) idBounds() (all conditions) {
	oldest, before := f.oldest, f.Before
	if !f.Since.IsZero() {
		oldest = max(oldest, firstID(f.Since))
	}
	if !f.Until.IsZero() && (before == 0 || firstID(f.Until) < before) {
		before = firstID(f.Until)
	}
	if oldest != 0 {
		all.add("id >= ?", oldest)
	}
	if before != 0 {
		all.add("id < ?", before)
	}
	return all
}
