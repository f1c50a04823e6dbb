package hubproc

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/configedit"
	"github.com/lectern-mcp/lectern/status"
)

// actions are what people can ask of a running hub: supervisor.Actions. Starting,
// stopping and restarting it is the daemon's, on the other side of the socket.
type actions struct{ *hubProcess }

// Preview implements supervisor.Actions.
func (a actions) Preview(ctx context.Context, act status.Action) (status.Plan, error) {
	plan := status.Plan{Steps: []status.Step{}, Risks: []string{}}
	switch act.Verb {
	case status.Allow, status.Refuse:
		return a.previewAnswer(act)
	case status.AddSource, status.RemoveSource, status.SetGrant, status.SetOption, status.AllowOrigin:
		if err := a.checkAbsolute(act); err != nil {
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
	case status.UndoChanges:
		return a.hub.PlanUndo(ctx, changeFilter(act))
	case status.ResetCircuitBreaker:
		plan.Title = "Reset the circuit breaker of " + act.Target + ", so that its changes are no longer held for approval"
	case status.Acknowledge:
		plan.Title = "Dismiss the notice " + act.Target
	case status.ReopenSource:
		plan.Title = "Close source " + act.Target + " and open it again"
	case status.Reload:
		plan.Title = "Read " + a.Paths.File() + " again"
	case status.PinHub:
		plan.Title = "Keep the hub running when it is idle"
	case status.UnpinHub:
		plan.Title = "Let the hub exit when it is idle"
	case status.StopHub, status.RestartHub:
		plan.Title = map[status.Verb]string{status.StopHub: "Stop the hub", status.RestartHub: "Restart the hub"}[act.Verb]
		if _, sessions := a.hub.Busy(); sessions > 0 {
			plan.Risks = append(plan.Risks, fmt.Sprintf("%d agents are connected; calls in flight are finished first", sessions))
		}
	default:
		return status.Plan{}, unknownVerb(act)
	}
	return plan, nil
}

// Do implements supervisor.Actions.
func (a actions) Do(ctx context.Context, act status.Action) error {
	switch act.Verb {
	case status.Allow, status.Refuse:
		return a.answerApproval(ctx, act)
	case status.AddSource, status.RemoveSource, status.SetGrant, status.SetOption, status.AllowOrigin:
		if err := a.checkAbsolute(act); err != nil {
			return err
		}
		if _, err := a.editor().Apply(ctx, act); err != nil {
			return err
		}
		return a.reload(ctx)
	case status.UndoChanges:
		return a.hub.Undo(ctx, changeFilter(act))
	case status.ResetCircuitBreaker:
		return a.hub.ResetFuse(act.Target)
	case status.Acknowledge:
		return a.acknowledge(act.Target)
	case status.ReopenSource:
		return a.hub.Reopen(ctx, act.Target)
	case status.Reload:
		return a.reload(ctx)
	case status.PinHub, status.UnpinHub:
		pin := act.Verb == status.PinHub
		a.pinned.Store(pin)
		a.state.Update(func(s *status.Snapshot) { s.Hub.Pinned = pin })
		return nil
	default:
		return unknownVerb(act)
	}
}

func (a actions) editor() configedit.Editor { return configedit.Editor{App: a.App} }

// checkAbsolute refuses relative paths: the hub's working directory is not the
// person's.
func (a actions) checkAbsolute(act status.Action) error {
	if act.Source != nil && !filepath.IsAbs(a.editor().ExpandHome(act.Source.Place)) {
		return fmt.Errorf("add source: %q is a relative path; write it in full, or starting with ~", act.Source.Place)
	}
	return nil
}

// changeFilter is the filter of an action, which may have none.
func changeFilter(a status.Action) status.Filter {
	if a.Filter == nil {
		return status.Filter{}
	}
	return *a.Filter
}

func unknownVerb(act status.Action) error {
	if act.Verb == status.StartHub {
		return errors.New("start hub: it is already running")
	}
	return fmt.Errorf("unknown action %q", act.Verb)
}
