package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// A tender keeps a hub running while a panel is open: it starts one, and one
// that dies it brings back after the waits of the usual policy. One that a
// person stopped, or that left when idle, stays away. The hub is not its
// child: it goes on when the panel is closed.
type tender struct {
	*world
	policy supervisor.RestartPolicy
	said   int64 // how long the file with the output of hubs was at first

	starts []time.Time // of late, after deaths; run's alone

	mu   sync.Mutex
	fate fate
	exit string // how the last hub ended, of those started here; empty: none has
}

// A fate is why no hub runs that is wanted. The zero value: there is no such
// reason.
type fate struct {
	state  status.State
	note   string
	since  time.Time
	stderr []string
	wrong  []status.Problem
}

// lastWords is how many lines of a hub's stderr are shown.
const lastWords = 8

func (w *world) newTender(p supervisor.RestartPolicy) *tender {
	t := &tender{world: w, policy: p}
	if info, err := os.Stat(w.hubPaths().Output()); err == nil {
		t.said = info.Size()
	}
	return t
}

// run tends until ctx ends.
func (t *tender) run(ctx context.Context) {
	shots, err := t.client(nil).Watch(ctx)
	if err != nil {
		return
	}
	t.start(ctx, daemon.StartAlways)
	up := false
	for snap := range shots {
		switch {
		case runs(snap):
			if t.clear() == status.CrashLoop {
				t.starts = nil // a person has tried again
			}
			up = true
		case up && t.wait(ctx):
			up = false
			t.start(ctx, daemon.StartLost)
		}
	}
}

// wait lets the time pass that the policy asks for; false: do not start.
func (t *tender) wait(ctx context.Context) bool {
	if !daemon.Lost(t.hubPaths()) {
		return true // whoever made it leave decides; StartLost respects that
	}
	now := t.now()
	for len(t.starts) > 0 && now.Sub(t.starts[0]) > t.policy.LoopWithin {
		t.starts = t.starts[1:]
	}
	t.starts = append(t.starts, now)
	if len(t.starts) >= t.policy.LoopExits {
		t.mu.Lock()
		how := cmp.Or(t.exit, "how is not known")
		t.mu.Unlock()
		t.blame(status.CrashLoop, fmt.Errorf("the hub ended %d times within %s (%s); it is not started again by itself", len(t.starts), t.policy.LoopWithin, how))
		return false
	}
	after := t.policy.Steps[min(len(t.starts), len(t.policy.Steps))-1]
	t.set(fate{state: status.Failed, note: fmt.Sprintf("it ended; it starts again in %s", after), since: now})
	timer := time.NewTimer(after)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (t *tender) start(ctx context.Context, policy daemon.StartPolicy) {
	to := t.connecting(slog.New(slog.DiscardHandler))
	to.Start, to.Ended = policy, t.ended
	conn, _, err := daemon.Connect(ctx, to)
	if err == nil {
		err = conn.Close()
	}
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, daemon.ErrNoHub):
		t.clear()
	case err != nil:
		t.blame(status.Failed, err)
	}
}

// ended takes note of how a hub ended.
func (t *tender) ended(exit string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.exit = exit
}

// blame makes err what the panel shows, with what the hub said last.
func (t *tender) blame(state status.State, err error) {
	p := hubStart.New(hubPart, status.Args{"why": err.Error()})
	p.Since, p.Action = t.now(), &status.Action{Verb: status.StartHub}
	t.set(fate{
		state: state, note: "s tries again", since: p.Since, wrong: []status.Problem{p},
		stderr: daemon.LastWords(t.hubPaths(), t.said, lastWords),
	})
}

func (t *tender) set(f fate) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fate = f
}

// clear forgets what was wrong, and returns what state that was.
func (t *tender) clear() status.State {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.fate.state
	t.fate = fate{}
	return was
}

// tell adds to a picture without a hub why there is none.
func (t *tender) tell(s *status.Snapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f := t.fate; f.state != "" {
		s.Hub.State, s.Hub.Note, s.Hub.Since, s.Hub.Stderr = f.state, f.note, f.since, f.stderr
		s.Problems = append(s.Problems, f.wrong...)
	}
}

// A tended is the hub of a tender as the panel reaches it: that a person could
// not start one is known to both.
type tended struct {
	status.Client
	tender *tender
}

// Do implements status.Client.
func (t tended) Do(ctx context.Context, a status.Action) error {
	err := t.Client.Do(ctx, a)
	if err != nil && ctx.Err() == nil && (a.Verb == status.StartHub || a.Verb == status.RestartHub) {
		t.tender.blame(status.Failed, err)
	}
	return err
}
