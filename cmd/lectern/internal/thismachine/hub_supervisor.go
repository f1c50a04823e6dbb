package thismachine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// A HubSupervisor keeps a hub running while a panel is open: it starts one, and
// restarts one that died after the delays of its policy. A hub that a person
// stopped, or that exited when idle, is not restarted. The hub is not a child
// process: it goes on when the panel is closed.
type HubSupervisor struct {
	HubClient

	restarts   supervisor.RestartHistory // only Run uses it
	outputSize int64                     // of the file with the output of hubs, at first

	mu     sync.Mutex
	reason stopReason
	exit   string // how the last hub ended that this process started; empty: none did
}

// A stopReason is why no hub is running that should. The zero value: there is no such
// reason.
type stopReason struct {
	state    status.State
	note     string
	since    time.Time
	stderr   []string
	problems []status.Problem
}

// maxStderrLines is how many lines of a hub's stderr are shown.
const maxStderrLines = 8

// NewHubSupervisor makes a supervisor that has not started yet.
func NewHubSupervisor(a *app.App, p supervisor.RestartPolicy) *HubSupervisor {
	s := &HubSupervisor{HubClient: HubClient{a}, restarts: supervisor.RestartHistory{RestartPolicy: p}}
	if info, err := os.Stat(a.Paths.Daemon().Output()); err == nil {
		s.outputSize = info.Size()
	}
	return s
}

// API is the hub as the panel reaches it: without a hub its snapshots say why,
// and a start that fails by hand is shown as well.
func (s *HubSupervisor) API() status.Client {
	to := s.HubConnectConfig(slog.New(slog.DiscardHandler))
	to.OnExit = s.recordExit
	to.OnStartFailed = func(err error) { s.setFailure(status.Failed, err) }
	to.Offline = func() status.Snapshot {
		snap := s.offlineSnapshot()
		s.addReasonToSnapshot(&snap)
		return snap
	}
	return daemon.Client(to)
}

// Run supervises the hub until ctx ends.
func (s *HubSupervisor) Run(ctx context.Context) {
	shots, err := s.HubClient.API().Watch(ctx)
	if err != nil {
		return
	}
	s.startHub(ctx, daemon.StartAlways)
	var since time.Time // zero: no hub has run since the last restart
	for snap := range shots {
		switch {
		case HubRunning(snap):
			if s.clearStopReason() == status.CrashLoop {
				s.restarts.Reset() // a person has started it
			}
			if since.IsZero() {
				since = s.Now()
			}
		case !since.IsZero() && s.waitToRestart(ctx, s.Now().Sub(since)):
			since = time.Time{}
			s.startHub(ctx, daemon.StartReplacement)
		}
	}
}

// waitToRestart waits as long as the policy says after a hub that ran for ran;
// false: do not restart.
func (s *HubSupervisor) waitToRestart(ctx context.Context, ran time.Duration) bool {
	if !daemon.HubLeftDiscovery(s.Paths.Daemon()) {
		return true // it was stopped on purpose, which StartReplacement respects
	}
	delay, crashLoop := s.restarts.RecordExit(ran, s.Now())
	if crashLoop {
		s.mu.Lock()
		exit := cmp.Or(s.exit, "the reason is unknown")
		s.mu.Unlock()
		s.setFailure(status.CrashLoop, fmt.Errorf("the hub exited %d times within %s (%s); it is not restarted automatically",
			s.restarts.LoopExits, s.restarts.LoopWithin, exit))
		return false
	}
	s.setStopReason(stopReason{
		state: status.Failed, note: fmt.Sprintf("it exited; restart in %s", delay.Round(100*time.Millisecond)),
		since: s.Now(),
	})
	return supervisor.Sleep(ctx, delay)
}

func (s *HubSupervisor) startHub(ctx context.Context, policy daemon.StartPolicy) {
	to := s.HubConnectConfig(slog.New(slog.DiscardHandler))
	to.Start, to.OnExit = policy, s.recordExit
	conn, _, err := daemon.Connect(ctx, to)
	if err == nil {
		err = conn.Close()
	}
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, daemon.ErrNoHub):
		s.clearStopReason()
	case err != nil:
		s.setFailure(status.Failed, err)
	}
}

func (s *HubSupervisor) recordExit(exit string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exit = exit
}

// setFailure makes the panel show err, with the last output of the hub.
func (s *HubSupervisor) setFailure(state status.State, err error) {
	p := problems.HubStartFailed.New(problems.HubComponent, status.Args{"why": err.Error()})
	p.Since, p.Action = s.Now(), &status.Action{Verb: status.StartHub}
	s.setStopReason(stopReason{
		state: state, note: "s tries again", since: p.Since, problems: []status.Problem{p},
		stderr: daemon.LastOutput(s.Paths.Daemon(), s.outputSize, maxStderrLines),
	})
}

func (s *HubSupervisor) setStopReason(r stopReason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reason = r
}

// clearStopReason forgets the reason, and returns its state.
func (s *HubSupervisor) clearStopReason() status.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.reason.state
	s.reason = stopReason{}
	return before
}

// addReasonToSnapshot adds to a snapshot without a hub why there is none.
func (s *HubSupervisor) addReasonToSnapshot(snap *status.Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.reason; r.state != "" {
		snap.Hub.State, snap.Hub.Note, snap.Hub.Since, snap.Hub.Stderr = r.state, r.note, r.since, r.stderr
		snap.Problems = append(snap.Problems, r.problems...)
	}
}
