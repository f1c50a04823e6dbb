package tui

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// concurrentSearches is how many sources are searched at once.
const concurrentSearches = 4

// sourceOrderPeriod is how long a search waits for a source whose rows come before those
// of others that have answered.
const sourceOrderPeriod = 500 * time.Millisecond

// searchSources searches each source and delivers what it has found when it has
// answered, in the order of the sources but for slow ones. When ctx ends what is left
// is dropped.
func (fx effects) searchSources(ctx context.Context, q pane.SearchAllQuery) <-chan pane.SourceSearchResult {
	ordered := make(chan pane.SourceSearchResult)
	go deliverInOrder(ctx, strings.Split(q.Sources, ","), fx.searchEach(ctx, q), ordered)
	return ordered
}

// deliverInOrder passes on what sources have found in the order of names. After
// sourceOrderPeriod it waits for none any more.
func deliverInOrder(ctx context.Context, names []string, found <-chan pane.SourceSearchResult, ordered chan<- pane.SourceSearchResult) {
	defer close(ordered)
	held, late := map[string]pane.SourceSearchResult{}, time.NewTimer(sourceOrderPeriod)
	defer late.Stop()
	for inOrder, more := true, true; more; {
		var one pane.SourceSearchResult
		select {
		case one, more = <-found:
			held[one.Source] = one
		case <-late.C:
			inOrder = false
		}
		var waiting []string
		for _, name := range names {
			one, answered := held[name]
			if !answered || inOrder && len(waiting) > 0 {
				waiting = append(waiting, name)
				continue
			}
			select {
			case ordered <- one:
			case <-ctx.Done():
				return
			}
		}
		names = waiting
	}
}

// searchEach searches four sources at a time, and delivers what each has found.
func (fx effects) searchEach(ctx context.Context, q pane.SearchAllQuery) <-chan pane.SourceSearchResult {
	found, names := make(chan pane.SourceSearchResult), make(chan string)
	var searching sync.WaitGroup
	for range concurrentSearches {
		searching.Go(func() {
			for name := range names {
				one := pane.SourceSearchResult{Source: name}
				one.Search, one.Err = status.Ask(ctx, fx.cfg.Client, status.SearchQuery, status.SearchText{Source: name, Text: q.Text})
				select {
				case found <- one:
				case <-ctx.Done():
				}
			}
		})
	}
	go func() {
		for name := range strings.SplitSeq(q.Sources, ",") {
			names <- name
		}
		close(names)
		searching.Wait()
		close(found)
	}()
	return found
}
