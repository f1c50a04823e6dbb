package supervisor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// healthReport is the result of checks: a new state, or why to end the child.
type healthReport struct {
	state     status.State
	note      string
	endReason string
}

// watchHealth checks the child until ctx ends.
func (p *Process) watchHealth(ctx context.Context, out chan<- healthReport) {
	send := func(n healthReport) {
		select {
		case out <- n:
		case <-ctx.Done():
		}
	}
	if err := p.awaitReady(ctx); err != nil {
		send(healthReport{endReason: fmt.Sprintf("not ready within %s: %v", p.Timing.ReadyWithin, err)})
		return
	}
	send(healthReport{state: status.Ready})
	if p.Live == nil {
		return
	}
	tick := time.NewTicker(p.Timing.LiveEvery)
	defer tick.Stop()
	for misses := 0; ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		err := p.askWithin(ctx, p.Live, p.Timing.LiveEvery)
		switch {
		case err == nil && misses > 0:
			misses = 0
			send(healthReport{state: status.Ready})
		case err == nil:
		case misses+1 >= p.Timing.LiveMisses:
			send(healthReport{endReason: fmt.Sprintf("does not answer: %v", err)})
			return
		default:
			misses++
			send(healthReport{state: status.Degraded, note: fmt.Sprintf("does not answer: %v", err)})
		}
	}
}

func (p *Process) awaitReady(ctx context.Context) error {
	if p.Ready == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.Timing.ReadyWithin)
	defer cancel()
	last := errors.New("no check was answered in time")
	err := Poll(ctx, p.Timing.ReadyEvery, func() (bool, error) {
		err := p.askWithin(ctx, p.Ready, p.Timing.ReadyWithin)
		if err != nil && ctx.Err() == nil {
			last = err
		}
		return err == nil, nil
	})
	if err != nil {
		return last
	}
	return nil
}

func (p *Process) askWithin(ctx context.Context, question func(context.Context) error, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return question(ctx)
}
