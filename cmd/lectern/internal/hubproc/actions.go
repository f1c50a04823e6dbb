package hubproc

import (
	"context"
	"fmt"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/configedit"
	"github.com/lectern-mcp/lectern/status"
)

// actions carries out what people ask of a running hub. Starting, stopping and
// restarting it is done by the daemon's client on the other side of the socket.
type actions struct{ *hubProcess }

// handlers are the actions of the hub process.
func (a actions) handlers() status.ActionHandlers {
	changes, limiter := a.hub.Changes(), a.hub.Limiter()
	handlers := status.ActionHandlers{
		status.Allow:     {Preview: a.previewAnswer, Do: a.answerApproval},
		status.Refuse:    {Preview: a.previewAnswer, Do: a.answerApproval},
		status.MarkShown: {Do: func(_ context.Context, act status.Action) error { return a.hub.Approvals().MarkShown(act.Target) }},
		status.UndoChanges: {
			Preview: func(ctx context.Context, act status.Action) (status.Plan, error) {
				return changes.PlanUndo(ctx, changeFilter(act))
			},
			Do: func(ctx context.Context, act status.Action) error { return changes.Undo(ctx, changeFilter(act)) },
		},
		status.ResetCircuitBreaker: {Do: func(_ context.Context, act status.Action) error { return limiter.ResetCircuitBreaker(act.Target) }},
		status.Acknowledge:         {Do: func(_ context.Context, act status.Action) error { return a.acknowledge(act.Target) }},
		status.ReopenSource:        {Do: func(ctx context.Context, act status.Action) error { return a.hub.Reopen(ctx, act.Target) }},
		status.Reload:              {Do: func(ctx context.Context, _ status.Action) error { return a.reload(ctx) }},
		status.PinHub:              {Do: a.pin},
		status.UnpinHub:            {Do: a.pin},
	}
	for _, verb := range configedit.Verbs() {
		handlers[verb] = status.ActionHandler{Preview: a.previewEdit, Do: a.editConfig}
	}
	return handlers
}

func (a actions) previewEdit(ctx context.Context, act status.Action) (status.Plan, error) {
	if err := a.editor().CheckAbsolute(act); err != nil {
		return status.Plan{}, err
	}
	p, err := a.editor().Propose(act)
	if err != nil {
		return status.Plan{}, err
	}
	if _, sessions := a.hub.Busy(); sessions > 0 && act.Verb == status.RemoveSource {
		p.Plan.Risks = append(p.Plan.Risks, fmt.Sprintf("%d agents are connected", sessions))
	}
	return p.Plan, ctx.Err()
}

func (a actions) editConfig(ctx context.Context, act status.Action) error {
	if err := a.editor().CheckAbsolute(act); err != nil {
		return err
	}
	if _, err := a.editor().Apply(ctx, act); err != nil {
		return err
	}
	return a.reload(ctx)
}

func (a actions) pin(_ context.Context, act status.Action) error {
	pin := act.Verb == status.PinHub
	a.pinned.Store(pin)
	a.state.Update(func(s *status.Snapshot) { s.Hub.Pinned = pin })
	return nil
}

func (a actions) editor() configedit.Editor { return configedit.Editor{App: a.App} }

// changeFilter is the filter of an action, which may have none.
func changeFilter(a status.Action) status.Filter {
	if a.Filter == nil {
		return status.Filter{}
	}
	return *a.Filter
}
