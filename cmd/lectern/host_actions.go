package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/lectern-mcp/lectern/status"
)

// asked is what a person can ask of a running hub: supervisor.Actions. Starting,
// stopping and restarting it is the daemon's, on the other end.
type asked struct{ *host }

// Preview implements supervisor.Actions.
func (a asked) Preview(ctx context.Context, act status.Action) (status.Plan, error) {
	plan := status.Plan{Steps: []status.Step{}, Risks: []string{}}
	switch act.Verb {
	case status.Allow, status.Refuse:
		return a.previewAnswer(act)
	case status.AddSource, status.RemoveSource, status.SetGrant, status.SetOption, status.AllowOrigin:
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
	case status.UndoChanges:
		return a.hub.PlanUndo(ctx, pickOf(act))
	case status.ResetCircuitBreaker:
		plan.Title = "Let " + act.Target + " change things again without asking you each time"
	case status.Acknowledge:
		plan.Title = "Show no more that " + act.Target + " happened"
	case status.ReopenSource:
		plan.Title = "Close source " + act.Target + " and open it again"
	case status.Reload:
		plan.Title = "Read " + a.places.File() + " again"
	case status.PinHub:
		plan.Title = "Keep the hub running when it is idle"
	case status.UnpinHub:
		plan.Title = "Let the hub leave when it is idle"
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
func (a asked) Do(ctx context.Context, act status.Action) error {
	switch act.Verb {
	case status.Allow, status.Refuse:
		return a.answer(ctx, act)
	case status.AddSource, status.RemoveSource, status.SetGrant, status.SetOption, status.AllowOrigin:
		if err := a.inFull(act); err != nil {
			return err
		}
		if _, err := a.carryOut(ctx, act); err != nil {
			return err
		}
		return a.reload(ctx)
	case status.UndoChanges:
		return a.hub.Undo(ctx, pickOf(act))
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

// inFull refuses relative paths: the hub's directory is not the person's.
func (a asked) inFull(act status.Action) error {
	if act.Source != nil && !filepath.IsAbs(a.expand(act.Source.Place)) {
		return fmt.Errorf("add source: %q is relative; write the path in full, or from ~", act.Source.Place)
	}
	return nil
}

func unknownVerb(act status.Action) error {
	if act.Verb == status.StartHub {
		return errors.New("start hub: it runs already")
	}
	return fmt.Errorf("the hub does not know how to %s", act.Verb)
}
