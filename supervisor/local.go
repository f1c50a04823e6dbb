package supervisor

import (
	"context"
	"errors"
	"log/slog"

	"github.com/lectern-mcp/lectern/internal/logs"
	"github.com/lectern-mcp/lectern/status"
)

// Actions is what a hub can be asked to do. cmd gives it, because it knows the
// configuration; Preview changes nothing.
type Actions interface {
	Preview(ctx context.Context, a status.Action) (status.Plan, error)
	Do(ctx context.Context, a status.Action) error
}

// Local is the status.Access inside the hub process. Its Logs must escape what
// a terminal would obey: status.Line promises it. What agents did and what a
// person does by hand is not the supervisor's: cmd gives both. Desk and Shelf
// may be nil where nobody asks them.
type Local struct {
	State *State
	Log   *logs.Log
	Actions
	status.Operator
	status.Browser
	// Draw brings State up to date when somebody begins to watch; nil: it is.
	Draw func()
	// Recent answers Calls; nil: nobody keeps them.
	Recent func(ctx context.Context, q status.CallQuery) (<-chan status.Call, error)
	// History answers Changes; nil: nobody keeps them.
	History func(ctx context.Context, p status.Filter) (status.Changes, error)
}

var _ status.API = Local{}

// Watch implements status.Client.
func (l Local) Watch(ctx context.Context) (<-chan status.Snapshot, error) {
	if l.Draw != nil {
		l.Draw()
	}
	return l.State.Watch(ctx), nil
}

// Logs implements status.Client.
func (l Local) Logs(ctx context.Context, q status.LogQuery) (<-chan status.Line, error) {
	lines := l.Log.Query(ctx, logs.Query{
		After: q.After, Last: q.Last, Level: slogLevel(q.Level), Part: q.Component, Follow: q.Follow,
	})
	ch := make(chan status.Line)
	go func() {
		defer close(ch)
		for n := range lines {
			select {
			case ch <- StatusLine(n):
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch, nil
}

// Calls is status.Ledger's.
func (l Local) Calls(ctx context.Context, q status.CallQuery) (<-chan status.Call, error) {
	if l.Recent == nil {
		return nil, errors.New("list calls: this hub keeps none")
	}
	return l.Recent(ctx, q)
}

// Changes is status.Ledger's.
func (l Local) Changes(ctx context.Context, p status.Filter) (status.Changes, error) {
	if l.History == nil {
		return status.Changes{}, errors.New("list changes: this hub keeps none")
	}
	return l.History(ctx, p)
}

// StatusLine translates a logged line, also one that logs.ReadTail found. Its
// text is n's as it is: only that of a Log is escaped already.
func StatusLine(n logs.Line) status.Line {
	return status.Line{
		Seq: n.Seq, Time: n.Time, Level: statusLevel(n.Level), Component: n.Part, Text: n.Text, Missed: n.Missed,
	}
}

func slogLevel(l status.Level) slog.Level {
	switch l {
	case status.Debug:
		return slog.LevelDebug
	case status.Warn:
		return slog.LevelWarn
	case status.Fail:
		return slog.LevelError
	default:
		return slog.LevelInfo
	}
}

// statusLevel rounds down: a level between two of ours is the lighter one.
func statusLevel(l slog.Level) status.Level {
	switch {
	case l < slog.LevelInfo:
		return status.Debug
	case l < slog.LevelWarn:
		return status.Info
	case l < slog.LevelError:
		return status.Warn
	default:
		return status.Fail
	}
}
