package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/lectern-mcp/lectern/status"
)

// asked carries out what a person asks of a running hub. Starting, stopping and
// restarting it is done by the daemon's client on the other end.
type asked struct{ *host }

// handlers are the actions of the hub process.
func (a asked) handlers() status.ActionHandlers {
	handlers := status.ActionHandlers{
		status.Allow:  {Preview: a.previewAnswer, Do: a.answer},
		status.Refuse: {Preview: a.previewAnswer, Do: a.answer},
		status.UndoChanges: {
			Preview: func(ctx context.Context, act status.Action) (status.Plan, error) {
				return a.hub.PlanUndo(ctx, pickOf(act))
			},
			Do: func(ctx context.Context, act status.Action) error { return a.hub.Undo(ctx, pickOf(act)) },
		},
		status.ResetCircuitBreaker: {Do: func(_ context.Context, act status.Action) error { return a.hub.ResetFuse(act.Target) }},
		status.Acknowledge:         {Do: func(_ context.Context, act status.Action) error { return a.acknowledge(act.Target) }},
		status.ReopenSource:        {Do: func(ctx context.Context, act status.Action) error { return a.hub.Reopen(ctx, act.Target) }},
		status.Reload:              {Do: func(ctx context.Context, _ status.Action) error { return a.reload(ctx) }},
		status.PinHub:              {Do: a.pin},
		status.UnpinHub:            {Do: a.pin},
	}
	for verb := range configEdits {
		handlers[verb] = status.ActionHandler{Preview: a.previewEdit, Do: a.edit}
	}
	return handlers
}

func (a asked) previewEdit(ctx context.Context, act status.Action) (status.Plan, error) {
	if err := a.inFull(act); err != nil {
		return status.Plan{}, err
	}
	p, err := a.propose(act)
	if err != nil {
		return status.Plan{}, err
	}
	if _, sessions := a.hub.Busy(); sessions > 0 && act.Verb == status.RemoveSource {
		p.plan.Risks = append(p.plan.Risks, fmt.Sprintf("%d agents are connected", sessions))
	}
	return p.plan, ctx.Err()
}

func (a asked) edit(ctx context.Context, act status.Action) error {
	if err := a.inFull(act); err != nil {
		return err
	}
	if _, err := a.carryOut(ctx, act); err != nil {
		return err
	}
	return a.reload(ctx)
}

func (a asked) pin(_ context.Context, act status.Action) error {
	pin := act.Verb == status.PinHub
	a.pinned.Store(pin)
	a.state.Update(func(s *status.Snapshot) { s.Hub.Pinned = pin })
	return nil
}

// inFull refuses relative paths: the hub's directory is not the person's.
func (a asked) inFull(act status.Action) error {
	if act.Source != nil && !filepath.IsAbs(a.expand(act.Source.Place)) {
		return fmt.Errorf("add source: %q is relative; write the path in full, or from ~", act.Source.Place)
	}
	return nil
}
