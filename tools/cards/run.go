package cards

import (
	"context"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// upkeepEvery is how often the background work looks for what is due.
const upkeepEvery = 10 * time.Minute

// noAccounts is a Problem that the background work finds.
var noAccounts = status.ProblemType{
	Code: "cards.accounts", Severity: status.Warning,
	Description: "A wiki of cards lacks one of the accounts that API keys act as, so these keys get no tokens.",
	Title:       "The wiki {source} lacks the account {name}",
	Fix:         "Restart the hub, which creates the account again.",
}

// Run implements [tools.Runner]: it rotates the keys that sign tokens, and removes what
// has expired. With several hubs on one database one of them does it.
func (w *Wiki) Run(ctx context.Context) error {
	if w.local == nil {
		return nil
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		if err := w.local.keepUp(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		timer.Reset(upkeepEvery)
	}
}

func (l *local) keepUp(ctx context.Context) error {
	missing, err := l.missingAccount(ctx)
	if err != nil {
		return err
	}
	if missing != "" {
		l.report.Raise(noAccounts, status.Args{"name": missing})
	} else {
		l.report.Clear(noAccounts)
	}
	if err := l.auth.RotateAfter(ctx, l.signingTime); err != nil {
		return err
	}
	if err := removeDrafts(l); err != nil {
		return err
	}
	if err := cardstore.MergeIndex(ctx, l.store); err != nil {
		return err
	}
	return l.store.DB().Sweep(ctx)
}
