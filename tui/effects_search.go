package tui

import (
	"context"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// concurrentSearches is how many sources are searched at once.
const concurrentSearches = 4

// searchSources searches each source and delivers what it has found when it has
// answered. When ctx ends what is left is dropped.
func (fx effects) searchSources(ctx context.Context, q pane.SearchAllQuery) <-chan pane.SourceSearch {
	found, names := make(chan pane.SourceSearch), make(chan string)
	var searching sync.WaitGroup
	for range concurrentSearches {
		searching.Go(func() {
			for name := range names {
				one := pane.SourceSearch{Source: name}
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
