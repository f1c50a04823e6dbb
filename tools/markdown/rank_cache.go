package markdown

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
)

// A rankCache keeps what searches by words have found in one state of the vault, and
// runs equal ones that come together once: to rank the pages that have a common word
// takes as long as there are such pages, and to describe those that are shown takes
// reading them. Its zero value is empty.
type rankCache struct {
	mu       sync.Mutex
	rankings map[string]*ranking
}

// A ranking is an answer of [index.Index.Search], or what is shown of it. Its fields are
// read after done, and not changed then.
type ranking struct {
	done    chan struct{}
	hits    []index.Hit
	matches []PageMatch // in the place of hits: pages that were read
	found   int         // with matches: how many the index has found
	total   int
	how     index.Match
	err     error
	partly  bool // a page could not be read, so it is not kept
}

// Bounds of a rankCache: how many rankings it keeps, how many pages each has, and how
// many pages the filter of one names.
const (
	maxRankings      = 128
	maxRankedPages   = 200
	maxFilteredPages = 1000
)

// errRankingCut is the error of a ranking until there is another, or none.
var errRankingCut = errors.New("the search was not finished")

// search is [index.Index.Search]. Its hits must not be changed.
func (c *rankCache) search(ctx context.Context, x *index.Index, q index.Query, offset, limit int) (
	hits []index.Hit, total int, how index.Match, err error,
) {
	r := c.find(ctx, rankKey(q, offset, limit), func(r *ranking) { r.hits, r.total, r.how, r.err = x.Search(ctx, q, offset, limit) })
	return r.hits, r.total, r.how, r.err
}

// find returns the ranking of a key, which work fills in if nothing else has. Without a
// key it is not kept.
func (c *rankCache) find(ctx context.Context, key string, work func(*ranking)) *ranking {
	if key == "" {
		r := new(ranking)
		work(r)
		return r
	}
	for {
		r, mine := c.begin(key)
		if mine {
			c.run(key, r, func() { work(r) })
			return r
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			return &ranking{err: ctx.Err()}
		}
		if r.err == nil {
			return r
		} // the call that ran it may have been cancelled, which is nothing to this one
	}
}

// begin returns the ranking of a key, and whether it is new and the caller has to run it.
func (c *rankCache) begin(key string) (r *ranking, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r = c.rankings[key]; r != nil {
		return r, false
	}
	if c.rankings == nil || len(c.rankings) >= maxRankings {
		c.rankings = map[string]*ranking{}
	}
	r = &ranking{done: make(chan struct{}), err: errRankingCut}
	c.rankings[key] = r
	return r, true
}

// run does the work of a ranking and tells who waits for it. One that fails is not kept.
func (c *rankCache) run(key string, r *ranking, work func()) {
	defer close(r.done)
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if (r.err != nil || r.partly) && c.rankings[key] == r {
			delete(c.rankings, key)
		}
	}()
	work()
}

// rankKey tells a search from others; empty: its answer is not to be kept.
func rankKey(q index.Query, offset, limit int) string {
	if len(q.Terms) == 0 || q.Test != nil || limit > maxRankedPages || len(q.Files)+len(q.Excluded) > maxFilteredPages {
		return ""
	}
	f := q.Filter
	return fmt.Sprintf("%#v %#v %q %q %q %q %q %q %d %d %#v %#v %d %d",
		q.Terms, q.Spellings, f.Page, f.Below, f.Tag, f.Property, f.Value, f.Tasks,
		f.Since.UnixNano(), f.Until.UnixNano(), f.Files, f.Excluded, offset, limit)
}
