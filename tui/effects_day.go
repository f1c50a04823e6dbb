package tui

import (
	"context"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

const (
	maxDayChanges   = 500     // of a day that are shown
	maxLookedBack   = 20_000  // newer Changes that are passed over to get to a day
	maxDayDiffBytes = 4 << 20 // of all diffs together
	diffsAtOnce     = 20      // that one query asks for
)

// loadDayChanges are the Changes of a time, the newest first, with as many diffs as there is
// room for. More says that not all of them are there.
func loadDayChanges(ctx context.Context, client status.Client, q pane.DayChangesQuery) (status.Changes, error) {
	from, to := time.Unix(q.From, 0), time.Unix(q.To, 0)
	day := status.Changes{Diffs: map[string]string{}}
	f := status.Filter{Since: from, Limit: 500}
	for passed := 0; ; {
		page, err := status.Ask(ctx, client, status.ChangesQuery, f)
		if err != nil {
			return status.Changes{}, err
		}
		for _, c := range page.Changes {
			if passed++; c.Time.Before(to) && !c.Time.Before(from) {
				day.Changes = append(day.Changes, c)
			}
		}
		if n := len(day.Changes); n > maxDayChanges || passed >= maxLookedBack && page.More {
			day.Changes, day.More = day.Changes[:min(n, maxDayChanges)], true
			break
		}
		if !page.More || len(page.Changes) == 0 {
			break
		}
		f.Before = page.Changes[len(page.Changes)-1].ID
	}
	return day, loadDiffs(ctx, client, &day)
}

// loadDiffs adds the diffs of the Changes, the newest first.
func loadDiffs(ctx context.Context, client status.Client, day *status.Changes) error {
	size := 0
	for i := 0; i < len(day.Changes) && size < maxDayDiffBytes; i += diffsAtOnce {
		ids := make([]string, 0, diffsAtOnce)
		for _, c := range day.Changes[i:min(len(day.Changes), i+diffsAtOnce)] {
			ids = append(ids, c.ID)
		}
		page, err := status.Ask(ctx, client, status.ChangesQuery, status.Filter{IDs: ids})
		if err != nil {
			return err
		}
		for id, diff := range page.Diffs {
			day.Diffs[id] = diff
			size += len(diff)
		}
	}
	return nil
}
