package supervisor_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/logs"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
	"github.com/lectern-mcp/lectern/supervisor"
)

func TestHubAPI(t *testing.T) {
	statustest.Run(t, func(t *testing.T, f *statustest.Fake) status.Client {
		log, err := logs.New(logs.Options{
			Level: slog.LevelDebug, Lines: statustest.LinesKept,
			Escape: func(s string) string { return s }, // the lines of the suite are escaped
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := log.Close(); err != nil {
				t.Error(err)
			}
		})
		state := supervisor.NewSnapshotStore(time.Now)
		f.Tee(
			func(snap status.Snapshot) { state.Update(func(s *status.Snapshot) { *s = snap }) },
			func(l status.Line) { logLine(t, log, l) },
		)
		queries := status.QueryHandlers{}
		status.HandleStream(queries, status.LogsQuery, supervisor.NewLogsQueryHandler(log))
		return supervisor.HubAPI{State: state, Router: status.Router{Client: f, Queries: queries}}
	}, status.LogsQuery.Name)
}

func logLine(t *testing.T, log *logs.Log, l status.Line) {
	level := map[status.Level]slog.Level{
		status.Debug: slog.LevelDebug, status.Info: slog.LevelInfo, status.Warn: slog.LevelWarn, status.Fail: slog.LevelError,
	}[l.Level]
	r := slog.NewRecord(l.Time, level, l.Text, 0)
	r.AddAttrs(slog.String("component", l.Component))
	if err := log.Handle(context.Background(), r); err != nil {
		t.Error(err)
	}
}

// The first snapshot holds what BeforeWatch adds.
func TestWatchBeginsUpToDate(t *testing.T) {
	s := supervisor.NewSnapshotStore(time.Now)
	l := supervisor.HubAPI{State: s, BeforeWatch: func() { s.Update(func(snap *status.Snapshot) { snap.Approvals = []status.Approval{{ID: "a"}} }) }}
	shots, err := l.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if first := <-shots; len(first.Approvals) != 1 {
		t.Errorf("the first snapshot is of before: %+v", first)
	}
}
