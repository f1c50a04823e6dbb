package audit

import (
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
	Since, Until                 time.Time // by when the call began; Until itself is excluded
	Before                       int64     // an ID: only calls that began before that one
	Limit                        int       // 0: 100; at most 1,000
}

// A Page is the newest calls that a Filter selects, newest first.
type Page struct {
	Calls []Record `json:"calls"`
	More  bool     `json:"more"` // there are older ones: the next page is Before the last ID
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
func (r *Reader) Calls(ctx context.Context, f Filter) (Page, error) {
	query, args := f.query()
	calls, err := sqlstore.Select(ctx, r.store.Reader(), scanRecord, query, args...)
	if err != nil {
		return Page{}, fmt.Errorf("read audit: %w", err)
	}
	limit := f.limit()
	if len(calls) > limit {
		return Page{calls[:limit], true}, nil
	}
	return Page{calls, false}, nil
}

func (f Filter) limit() int {
	if f.Limit == 0 {
		return 100
	}
	return min(f.Limit, 1000)
}

// query asks for one call more than the limit, to know whether there is one.
func (f Filter) query() (query string, args []any) {
	var where []string
	and := func(condition string, arg any) {
		where, args = append(where, condition), append(args, arg)
	}
	for column, value := range map[string]string{
		"client": f.Client, "source": f.Source, "tool": f.Tool, "effect": f.Effect, "outcome": string(f.Outcome),
	} {
		if value != "" {
			and(column+" = ?", value)
		}
	}
	if f.Target != "" {
		and("id IN (SELECT call FROM call_targets WHERE name = ?)", boundTarget(f.Target))
	}
	if !f.Since.IsZero() {
		and("id >= ?", firstID(f.Since))
	}
	if !f.Until.IsZero() {
		and("id < ?", firstID(f.Until))
	}
	if f.Before != 0 {
		and("id < ?", f.Before)
	}
	query = "SELECT " + columns + " FROM calls"
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	return query + " ORDER BY id DESC LIMIT ?", append(args, f.limit()+1)
}
