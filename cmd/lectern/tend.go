package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	policy supervisor.Policy

	mu     sync.Mutex
	wrong  []status.Problem
	starts []time.Time // of late, after deaths
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
			up = true
			t.blame(nil)
		case up && t.wait(ctx):
			up = false
			t.start(ctx, daemon.StartLost)
		}
	}
}

// wait lets the time pass that the policy asks for; false: do not start.
func (t *tender) wait(ctx context.Context) bool {
	now := t.now()
	for len(t.starts) > 0 && now.Sub(t.starts[0]) > t.policy.LoopWithin {
		t.starts = t.starts[1:]
	}
	t.starts = append(t.starts, now)
	if len(t.starts) >= t.policy.LoopExits {
		t.blame(fmt.Errorf("the hub ended %d times within %s; what it said last is in %s", len(t.starts), t.policy.LoopWithin, t.hubPaths().Output()))
		return false
	}
	timer := time.NewTimer(t.policy.Steps[min(len(t.starts), len(t.policy.Steps))-1])
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
	to.Start = policy
	conn, _, err := daemon.Connect(ctx, to)
	if err == nil {
		err = conn.Close()
	}
	if ctx.Err() == nil && !errors.Is(err, daemon.ErrNoHub) {
		t.blame(err)
	}
}

// blame makes err the Problem that the panel shows; nil: there is none.
func (t *tender) blame(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wrong = nil
	if err != nil {
		p := hubStart.At(hubPart, status.Words{"why": err.Error()})
		p.Since, p.Action = t.now(), &status.Action{Verb: status.StartHub}
		t.wrong = []status.Problem{p}
	}
}

func (t *tender) problems() []status.Problem {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.wrong
}
