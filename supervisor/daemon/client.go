package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/loopback"
	"github.com/lectern-mcp/lectern/supervisor"
)

// Client returns a status.Client that works with a hub or without: its snapshots
// show when there is none, and go on with the next. It starts and
// stops hubs itself, and passes everything else to the one that runs, or
// returns ErrNoHub.
func Client(c ConnectConfig) status.Client {
	client := &client{ConnectConfig: c}
	client.Router = status.Router{
		Client: loopback.Dial(func(ctx context.Context) (net.Conn, error) {
			conn, err := c.Paths.dialSocket(ctx, controlSocket)
			if err != nil && isNotListening(err) {
				return nil, c.Paths.noHubError()
			}
			return conn, err
		}),
		Actions: status.ActionHandlers{
			status.StartHub:   {Preview: client.previewStart, Do: client.withStartFailedCallback(client.startHub)},
			status.StopHub:    {Preview: client.previewStop, Do: client.stopHub},
			status.RestartHub: {Preview: client.previewStop, Do: client.withStartFailedCallback(client.restartHub)},
		},
	}
	return client
}

type client struct {
	ConnectConfig
	status.Router // its Client is the hub that runs
}

// retryInterval is how long a client without a hub waits before it tries to
// connect again.
const retryInterval = 250 * time.Millisecond

// Watch implements status.Client. The channel is closed when ctx ends, and not
// when a hub does.
func (c *client) Watch(ctx context.Context) (<-chan status.Snapshot, error) {
	out := make(chan status.Snapshot, 1)
	go func() {
		defer close(out)
		var last status.Snapshot
		for ctx.Err() == nil {
			snaps, err := c.Router.Watch(ctx)
			if err == nil {
				for last = range snaps {
					status.Offer(out, last)
				}
				err = ErrNoHub
			}
			if offline := c.offlineSnapshot(last, err); !sameOutage(last, offline) && ctx.Err() == nil {
				last = offline
				status.Offer(out, last)
			}
			supervisor.Sleep(ctx, retryInterval)
		}
	}()
	return out, nil
}

// sameOutage reports whether a and b show the same reason for a missing hub.
func sameOutage(a, b status.Snapshot) bool {
	return a.Hub.State == b.Hub.State && a.Hub.Note == b.Hub.Note && slices.EqualFunc(a.Problems, b.Problems,
		func(p, q status.Problem) bool { return p.Code == q.Code && p.Title == q.Title })
}

// offlineSnapshot is the snapshot without a hub.
func (c *client) offlineSnapshot(last status.Snapshot, cause error) status.Snapshot {
	s := status.Snapshot{
		Sources: []status.Source{}, Sessions: []status.Session{}, Peers: []status.Peer{}, Problems: []status.Problem{},
		Snippets: []status.Snippet{},
	}
	if c.Offline != nil {
		s = c.Offline()
	}
	s.Seq, s.Time = last.Seq+1, c.Now()
	if s.Hub.State == "" {
		s.Hub.Component = status.Component{State: status.Stopped, Since: s.Time, Note: "no hub is running"}
	}
	s.Hub.Name = "hub"
	if !errors.Is(cause, ErrNoHub) {
		s.Hub.State, s.Hub.Note = status.Failed, cause.Error()
	}
	return s
}

func (c *client) newStartHubPlanStep() status.Step {
	return status.Step{Description: "start " + strings.Join(c.Command, " ")}
}

func (c *client) previewStart(context.Context, status.Action) (status.Plan, error) {
	return status.Plan{Title: "Start the hub", Steps: []status.Step{c.newStartHubPlanStep()}, Risks: []string{}}, nil
}

// previewStop plans to stop the hub, or to restart it.
func (c *client) previewStop(ctx context.Context, a status.Action) (status.Plan, error) {
	v, err := GetHealth(ctx, c.Paths)
	if err != nil {
		return status.Plan{}, err
	}
	stop := status.Step{Description: fmt.Sprintf("stop the hub (pid %d)", v.PID)}
	if v.InFlight > 0 {
		stop.Description += fmt.Sprintf(" once its %d calls in flight have ended", v.InFlight)
	}
	plan := status.Plan{Title: "Stop the hub", Steps: []status.Step{stop}, Risks: []string{}}
	if v.Waiting > 0 {
		then := AskedAgainWithinAMinute
		if a.Verb == status.RestartHub {
			then = AskedAgain
		}
		plan.Risks = append(plan.Risks, fmt.Sprintf("waiting for your answer: %d. Nothing is written, and %s", v.Waiting, then))
	}
	switch {
	case a.Verb == status.RestartHub:
		plan.Title, plan.Steps = "Restart the hub", append(plan.Steps, c.newStartHubPlanStep())
	case v.Sessions > 0:
		plan.Risks = append(plan.Risks, fmt.Sprintf("%d agents are connected; their next call starts a hub again", v.Sessions))
	}
	return plan, nil
}

// withStartFailedCallback is start with a report of its failure.
func (c *client) withStartFailedCallback(start func(context.Context, status.Action) error) func(context.Context, status.Action) error {
	return func(ctx context.Context, a status.Action) error {
		err := start(ctx, a)
		if err != nil && ctx.Err() == nil && c.OnStartFailed != nil {
			c.OnStartFailed(err)
		}
		return err
	}
}

func (c *client) startHub(ctx context.Context, _ status.Action) error {
	conn, _, err := Connect(ctx, c.ConnectConfig)
	if err != nil {
		return err
	}
	return conn.Close()
}

func (c *client) stopHub(ctx context.Context, _ status.Action) error {
	return c.stopHubWith(ctx, StopRequest{})
}

func (c *client) restartHub(ctx context.Context, a status.Action) error {
	if err := c.stopHubWith(ctx, StopRequest{Restart: true}); err != nil && !errors.Is(err, ErrNoHub) {
		return err
	}
	return c.startHub(ctx, a)
}

func (c *client) stopHubWith(ctx context.Context, req StopRequest) error {
	ctx, cancel := context.WithTimeoutCause(ctx, stopTimeout,
		fmt.Errorf("stop hub: it still runs after %s; see %s", stopTimeout, c.Paths.Output()))
	defer cancel()
	_, err := StopHubAndWait(ctx, c.Paths, req)
	return err
}
