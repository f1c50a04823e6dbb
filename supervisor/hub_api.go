package supervisor

import (
	"context"
	"log/slog"

	"github.com/lectern-mcp/lectern/internal/logs"
	"github.com/lectern-mcp/lectern/status"
)

// HubAPI is the status.Client inside the hub process. The router has what the
// process carries out and answers; [NewLogsQueryHandler] answers status.LogsQuery.
type HubAPI struct {
	status.Router
	State *SnapshotStore
	// BeforeWatch brings State up to date when a client begins to watch. Nil: it
	// always is.
	BeforeWatch func()
}

// Watch implements status.Client.
func (a HubAPI) Watch(ctx context.Context) (<-chan status.Snapshot, error) {
	if a.BeforeWatch != nil {
		a.BeforeWatch()
	}
	return a.State.Watch(ctx), nil
}

// NewLogsQueryHandler delivers the lines of log that a filter selects. The log must escape
// what a terminal would obey: status.Line promises it.
func NewLogsQueryHandler(log *logs.Log) func(context.Context, status.LogFilter) (<-chan status.Line, error) {
	return func(ctx context.Context, f status.LogFilter) (<-chan status.Line, error) {
		lines := log.Query(ctx, logs.Query{
			After: f.After, Last: f.Last, Level: slogLevel(f.Level), Component: f.Component, Follow: f.Follow,
		})
		ch := make(chan status.Line)
		go func() {
			defer close(ch)
			for n := range lines {
				select {
				case ch <- LogLineToStatus(n):
				case <-ctx.Done():
					return
				}
			}
		}()
		return ch, nil
	}
}

// LogLineToStatus translates a line of the log. Lines that logs.ReadTail found are not
// escaped yet.
func LogLineToStatus(n logs.Line) status.Line {
	return status.Line{
		Seq: n.Seq, Time: n.Time, Level: statusLevel(n.Level), Component: n.Component, Text: n.Text, Missed: n.Missed,
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
