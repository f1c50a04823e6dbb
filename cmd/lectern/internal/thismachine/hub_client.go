package thismachine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/install"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// A HubClient reaches the hub of this user, if one runs. It starts none by
// itself.
type HubClient struct{ *app.App }

// API is everything that can be asked of a hub. It writes no log, because a
// panel may be on the screen.
func (c HubClient) API() status.Client {
	to := c.HubConnectConfig(slog.New(slog.DiscardHandler))
	to.Offline = c.offlineSnapshot
	return daemon.Client(to)
}

// offlineSnapshot is the snapshot without a hub: what the configuration names.
func (c HubClient) offlineSnapshot() status.Snapshot {
	s := status.Snapshot{
		Hub:     status.Hub{Config: c.Paths.File()},
		Sources: []status.Source{}, Sessions: []status.Session{}, Peers: []status.Peer{},
		Running: []status.RunningCall{}, Problems: []status.Problem{}, Approvals: []status.Approval{}, Outcomes: []status.ApprovalOutcome{},
		Snippets: install.Planner{App: c.App}.Snippets(""),
	}
	conf, err := c.Config()
	if err != nil {
		s.Problems = append(s.Problems, problems.NewConfigBroken(c.Paths.File(), err, c.Now()))
		return s
	}
	for _, src := range c.Sources(conf) {
		s.Sources = append(s.Sources, status.Source{
			Component: status.Component{Name: src.Name, State: status.Stopped}, Kind: src.Kind, Location: src.Location(),
			ReadOnly: src.ReadOnly, Effects: []string{}, Sample: src.Sample != nil,
		})
	}
	return s
}

// HubRunning reports whether a snapshot is of a running hub.
func HubRunning(s status.Snapshot) bool {
	return s.Hub.State == status.Ready || s.Hub.State == status.Degraded
}

// snapshotTimeout is how long the running hub may take to send a snapshot.
const snapshotTimeout = 5 * time.Second

// Snapshot is the present state of the hub.
func (c HubClient) Snapshot(ctx context.Context) (status.Snapshot, error) {
	s, err := firstSnapshot(ctx, c.API())
	if errors.Is(err, errNoAnswer) {
		err = fmt.Errorf("%w; see %s", err, c.Paths.Log())
	}
	return s, err
}

var errNoAnswer = fmt.Errorf("ask hub: no answer within %s", snapshotTimeout)

func firstSnapshot(ctx context.Context, c status.Client) (status.Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, snapshotTimeout)
	defer cancel()
	shots, err := c.Watch(ctx)
	if err != nil {
		return status.Snapshot{}, err
	}
	s, ok := <-shots
	if !ok {
		return s, errNoAnswer
	}
	return s, nil
}

// sourcesOpenTimeout is how long SnapshotAfterOpen waits for sources to open.
const sourcesOpenTimeout = 2 * time.Second

// SnapshotAfterOpen is the snapshot when no source is opening any more, or the
// last one if that takes long.
func (c HubClient) SnapshotAfterOpen(ctx context.Context) (status.Snapshot, error) {
	last, err := c.Snapshot(ctx)
	if err != nil {
		return last, err
	}
	ctx, cancel := context.WithTimeout(ctx, sourcesOpenTimeout)
	defer cancel()
	shots, err := c.API().Watch(ctx)
	if err != nil {
		return last, err
	}
	opening := func(s status.Source) bool { return s.State == status.Starting }
	for slices.ContainsFunc(last.Sources, opening) {
		next, more := <-shots
		if !more {
			break
		}
		last = next
	}
	return last, nil
}

// Reload makes a running hub read the configuration again.
func (c HubClient) Reload(ctx context.Context) error {
	if _, err := daemon.GetHealth(ctx, c.Paths.Daemon()); errors.Is(err, daemon.ErrNoHub) {
		return nil
	}
	if err := c.API().Do(ctx, status.Action{Verb: status.Reload}); err != nil {
		return fmt.Errorf("the configuration is saved, but the running hub could not apply it: %w", err)
	}
	return nil
}
