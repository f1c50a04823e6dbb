package audit

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
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
	Search

	searched int // 0: [MaxSearched]
}

// A Search selects the calls that have these texts in their fields, whatever the
// case of ASCII letters. It has no index: one page comes of at most the
// [MaxSearched] newest calls.
type Search struct {
	ClientPart, SourcePart, ToolPart, TargetPart string
	Changed                                      bool     // it changed something
	Words                                        []string // each in the client, source, tool, effect, code, message, session or a target
}

// MaxSearched is how many calls one page of a Search comes of.
const MaxSearched = 50_000

// A Page is the newest calls that a Filter selects, newest first.
type Page struct {
	Calls []Record `json:"calls"`
	More  bool     `json:"more"`                  // there may be older ones: the next page is Before Next
	Next  int64    `json:"next,omitempty,string"` // 0: there are none
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
	query, args := f.query()
	calls, err := sqlstore.Select(ctx, r.store.Reader(), scanRecord, query, args...)
	if err != nil {
		return Page{}, fmt.Errorf("read audit: %w", err)
	}
	if limit := f.limit(); len(calls) > limit {
		return Page{calls[:limit], true, calls[limit-1].ID}, nil
	}
	page.Calls = calls
	if !f.Search.isEmpty() {
		page.Next, err = r.lastSearched(ctx, f)
		page.More = page.Next != 0
	}
	return page, err
}

// lastSearched is the ID of the oldest call that a page came of; 0: there are none
// before it.
func (r *Reader) lastSearched(ctx context.Context, f Filter) (int64, error) {
	where, args := f.conditions().sql()
	scan := func(row sqlstore.Row) (id int64, err error) { return id, row.Scan(&id) }
	ids, err := sqlstore.Select(ctx, r.store.Reader(), scan, "SELECT id FROM calls"+where+" ORDER BY id DESC LIMIT 1 OFFSET ?",
		append(args, f.window()-1)...)
	if err != nil {
		return 0, fmt.Errorf("read audit: %w", err)
	}
	return append(ids, 0)[0], nil
}

func (f Filter) limit() int {
	if f.Limit == 0 {
		return 100
	}
	return min(f.Limit, 1000)
}

// window is how many calls a page of a Search comes of.
func (f Filter) window() int { return cmp.Or(f.searched, MaxSearched) }

// query asks for one call more than the limit, to know whether there is one.
func (f Filter) query() (query string, args []any) {
	where, args := f.conditions().sql()
	if f.Search.isEmpty() {
		return "SELECT " + columns + " FROM calls" + where + " ORDER BY id DESC LIMIT ?", append(args, f.limit()+1)
	}
	query = "SELECT " + columns + " FROM calls" + where + " ORDER BY id DESC LIMIT ?"
	matching, more := f.Search.conditions().sql()
	query = "SELECT " + columns + " FROM (" + query + ")" + matching + " ORDER BY id DESC LIMIT ?"
	return query, append(append(append(args, f.window()), more...), f.limit()+1)
}

// A condition is part of a WHERE clause with its one argument.
type condition struct {
	sql string
	arg any
}

type conditions []condition

func (all conditions) sql() (where string, args []any) {
	for i, c := range all {
		if i == 0 {
			where = " WHERE "
		} else {
			where += " AND "
		}
		where += c.sql
		for range strings.Count(c.sql, "?") {
			args = append(args, c.arg)
		}
	}
	return where, args
}

// conditions are those that an index knows.
func (f Filter) conditions() (all conditions) {
	for column, value := range map[string]string{
		"client": f.Client, "source": f.Source, "tool": f.Tool, "effect": f.Effect, "outcome": string(f.Outcome),
	} {
		if value != "" {
			all = append(all, condition{column + " = ?", value})
		}
	}
	if f.Outcome == "" && !f.Events {
		all = append(all, condition{"outcome <> ?", string(Event)})
	}
	if f.Target != "" {
		all = append(all, condition{"id IN (SELECT call FROM call_targets WHERE name = ?)", boundTarget(f.Target)})
	}
	if !f.Since.IsZero() {
		all = append(all, condition{"id >= ?", firstID(f.Since)})
	}
	if !f.Until.IsZero() {
		all = append(all, condition{"id < ?", firstID(f.Until)})
	}
	if f.Before != 0 {
		all = append(all, condition{"id < ?", f.Before})
	}
	return all
}

func (s Search) isEmpty() bool {
	return s.ClientPart+s.SourcePart+s.ToolPart+s.TargetPart == "" && !s.Changed && len(s.Words) == 0
}

func (s Search) conditions() (all conditions) {
	for column, part := range map[string]string{"client": s.ClientPart, "source": s.SourcePart, "tool": s.ToolPart, "targets": s.TargetPart} {
		if part != "" {
			all = append(all, condition{column + has, pattern(part)})
		}
	}
	if s.Changed {
		all = append(all, condition{"changes <> ?", ""})
	}
	for _, word := range s.Words {
		fields := []string{"tool", "client", "source", "targets", "code", "message", "effect", "session"}
		all = append(all, condition{"(" + strings.Join(fields, has+" OR ") + has + ")", pattern(word)})
	}
	return all
}

const has = ` LIKE ? ESCAPE '!'`

// pattern matches a text that has part in it.
func pattern(part string) string {
	return "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(part) + "%"
}
