package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/loopback"
)

// Client returns a status.Access that works with a hub or without: what it
// watches says when there is none, and goes on with the next. It starts and
// stops hubs itself, and passes everything else to the one that runs, or
// returns ErrNoHub.
func Client(c ConnectConfig) status.API {
	return &client{ConnectConfig: c, API: loopback.Dial(func(ctx context.Context) (net.Conn, error) {
		conn, err := loopnet.DialSocket(ctx, c.Paths.Control())
		if err != nil && isAbsent(err) {
			return nil, ErrNoHub
		}
		return conn, err
	})}
}

type client struct {
	ConnectConfig
	status.API // of the hub that runs
}

// lookEvery is how often a client without a hub looks for one.
const lookEvery = 250 * time.Millisecond

// Watch implements status.Client. The channel is closed when ctx ends, and not
// when a hub does.
func (c *client) Watch(ctx context.Context) (<-chan status.Snapshot, error) {
	ch := make(chan status.Snapshot)
	go func() {
		defer close(ch)
		w := &watch{out: ch}
		for ctx.Err() == nil {
			shots, err := c.API.Watch(ctx)
			if err == nil {
				w.from(ctx, shots)
				err = ErrNoHub
			}
			if ctx.Err() == nil {
				w.without(ctx, c.offline(w.last, err))
			}
		}
	}()
	return ch, nil
}

// watch offers the newest of the snapshots to one reader.
type watch struct {
	out   chan<- status.Snapshot
	last  status.Snapshot
	offer chan<- status.Snapshot // nil: the reader has last
}

// from passes snapshots on until their channel is closed.
func (w *watch) from(ctx context.Context, shots <-chan status.Snapshot) {
	for {
		select {
		case s, open := <-shots:
			if !open {
				return
			}
			w.last, w.offer = s, w.out
		case w.offer <- w.last:
			w.offer = nil
		case <-ctx.Done():
			return
		}
	}
}

// without offers a snapshot that says that there is no hub, unless the reader
// has been told, and returns when it is time to look for one again.
func (w *watch) without(ctx context.Context, s status.Snapshot) {
	if w.last.Hub.State != s.Hub.State || w.last.Hub.Note != s.Hub.Note || !slices.EqualFunc(w.last.Problems, s.Problems, sameProblem) {
		w.last, w.offer = s, w.out
	}
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	for {
		select {
		case w.offer <- w.last:
			w.offer = nil
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// sameProblem reports whether b says what a does.
func sameProblem(a, b status.Problem) bool { return a.Code == b.Code && a.Title == b.Title }

// offline is the picture without a hub.
func (c *client) offline(last status.Snapshot, why error) status.Snapshot {
	s := status.Snapshot{
		Sources: []status.Source{}, Sessions: []status.Session{}, Peers: []status.Peer{}, Problems: []status.Problem{}, Snippets: []status.Snippet{},
	}
	if c.Offline != nil {
		s = c.Offline()
	}
	s.Seq, s.Time = last.Seq+1, c.Now()
	if s.Hub.State == "" {
		s.Hub.Component = status.Component{State: status.Stopped, Since: s.Time, Note: "no hub runs"}
	}
	s.Hub.Name = "hub"
	if !errors.Is(why, ErrNoHub) {
		s.Hub.State, s.Hub.Note = status.Failed, why.Error()
	}
	return s
}

// Logs implements status.Client. A query that follows goes on with the next
// hub, from its first line.
func (c *client) Logs(ctx context.Context, q status.LogQuery) (<-chan status.Line, error) {
	if !q.Follow {
		return c.API.Logs(ctx, q)
	}
	return follow(ctx, c.Paths, func(ctx context.Context, after uint64) (<-chan status.Line, error) {
		if q.After != after {
			q.Last = 0 // these have been read
		}
		q.After = after
		return c.API.Logs(ctx, q)
	}, q.After, func(l status.Line) uint64 { return l.Seq }), nil
}

// Calls implements status.Ledger, with hubs as Logs does.
func (c *client) Calls(ctx context.Context, q status.CallQuery) (<-chan status.Call, error) {
	if !q.Follow {
		return c.API.Calls(ctx, q)
	}
	return follow(ctx, c.Paths, func(ctx context.Context, after uint64) (<-chan status.Call, error) {
		return c.API.Calls(ctx, status.CallQuery{After: after, Follow: true})
	}, q.After, func(n status.Call) uint64 { return n.Seq }), nil
}

// Preview implements status.Client.
func (c *client) Preview(ctx context.Context, a status.Action) (status.Plan, error) {
	start := status.Step{What: "start " + strings.Join(c.Command, " ")}
	switch a.Verb {
	case status.StartHub:
		return status.Plan{Title: "Start the hub", Steps: []status.Step{start}, Risks: []string{}}, nil
	case status.StopHub, status.RestartHub:
	default:
		return c.API.Preview(ctx, a)
	}
	v, err := Ask(ctx, c.Paths)
	if err != nil {
		return status.Plan{}, err
	}
	stop := status.Step{What: fmt.Sprintf("stop the hub (pid %d) once its %d calls in flight have ended", v.PID, v.InFlight)}
	plan := status.Plan{Title: "Stop the hub", Steps: []status.Step{stop}, Risks: []string{}}
	if v.Sessions > 0 {
		plan.Risks = append(plan.Risks, fmt.Sprintf("%d agents are connected; their next call starts a hub again", v.Sessions))
	}
	if a.Verb == status.RestartHub {
		plan.Title, plan.Steps, plan.Risks = "Restart the hub", append(plan.Steps, start), []string{}
	}
	return plan, nil
}

// Do implements status.Client.
func (c *client) Do(ctx context.Context, a status.Action) error {
	switch a.Verb {
	case status.StartHub:
		return c.start(ctx)
	case status.StopHub:
		return c.stop(ctx, StopRequest{})
	case status.RestartHub:
		if err := c.stop(ctx, StopRequest{Again: true}); err != nil && !errors.Is(err, ErrNoHub) {
			return err
		}
		return c.start(ctx)
	default: // all else is the running hub's to do
		return c.API.Do(ctx, a)
	}
}

func (c *client) start(ctx context.Context) error {
	conn, _, err := Connect(ctx, c.ConnectConfig)
	if err != nil {
		return err
	}
	return conn.Close()
}

func (c *client) stop(ctx context.Context, ask StopRequest) error {
	ctx, cancel := context.WithTimeoutCause(ctx, longEnough, fmt.Errorf("stop hub: it is still there after %s; see %s", longEnough, c.Paths.Output()))
	defer cancel()
	return Stop(ctx, c.Paths, ask)
}
